/** Reads the options of `npm run simulate`. */
import { parseArgs } from "node:util";
import { seedsOf, type Kind } from "./kinds.mts";

/** What the command is to do. */
export interface Options {
  readonly schedules: number;
  readonly seed: number;
  /** The only kind of schedules to run. @default all */
  readonly kind?: Exclude<Kind, "short"> | undefined;
  /** A part of the names of the mutants to find; empty for all of them, undefined to change nothing. */
  readonly mutants?: string | undefined;
}

/** A text for the user in place of work to do. */
export interface Told {
  readonly text: string;
  /** 0 for the help, 2 for a command line that is invalid. */
  readonly exitCode: 0 | 2;
}

const usage = `usage: npm run simulate -- [options]
  --schedules N     number of schedules, for each mutant with --mutants (default 20000)
  --seed S          number of the first schedule, which repeats an earlier run (default: from the clock; it is printed)
  --kind KIND       only schedules of a kind: long (more actors and resources), or shared (several services that share
                    a state in PostgreSQL); default: all
  --mutants [NAME]  change one line of the code at a time, and count the schedules until one violates a guarantee; only
                    the changes whose names contain NAME
  --help            print this text
Exit code 0: no guarantee is violated; with --mutants, each change is found. 1: not so. 2: the command line is invalid.`;

/** Returns what a command line asks for. @param now milliseconds, from which the seed follows when none is given */
export function readCommandLine(args: readonly string[], now: number): Options | Told {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        schedules: { type: "string", default: "20000" },
        seed: { type: "string", default: String(now % 1_000_000_000) },
        kind: { type: "string" },
        mutants: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) return { text: usage, exitCode: 0 };
    const [name = "", ...more] = positionals;
    if (positionals.length > 0 && !values.mutants)
      throw new TypeError(`"${name}" is no option: a name needs --mutants`);
    if (more.length > 0) throw new TypeError(`--mutants takes one name, not "${positionals.join('", "')}": quote it`);
    return {
      schedules: integer("--schedules", values.schedules, 1),
      seed: integer("--seed", values.seed, 0),
      kind: kindNamed(values.kind),
      ...(values.mutants && { mutants: name }),
    };
  } catch (error) {
    // The first sentence of the parser names the option; the others are about texts that begin with a dash.
    const [problem] = (error as Error).message.split(/\. |\n/);
    return { text: `${problem} (npm run simulate -- --help lists the options)`, exitCode: 2 };
  }
}

/** Returns the seeds to run, for a mutant those of the only kind that can find it. */
export function seedsFor({ seed, kind }: Pick<Options, "seed" | "kind">, of = kind) {
  return of === undefined ? { seed, step: 1 } : seedsOf(of, seed);
}

function integer(option: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  throw new TypeError(`${option} ${text} is invalid: use an integer from ${least} on`);
}

function kindNamed(name: string | undefined): Options["kind"] {
  if (name === undefined || name === "long" || name === "shared") return name;
  throw new TypeError(`--kind ${name} is unknown: use long or shared`);
}
