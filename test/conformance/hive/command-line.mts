/** Reads the options of `npm run conformance:hive`. */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

/** The options of a run. */
export interface Options {
  /** The address of the Hive server; not used when `start` is true. */
  readonly url: string;
  /** True when the run starts a Hive server of its own. */
  readonly start: boolean;
  /** The folder of another pom.xml and hive-site.xml for that server; undefined for those of this repository. */
  readonly home?: string | undefined;
  readonly seed: number;
  readonly cases: number;
  /** One of {@link kinds}; undefined for all of them. */
  readonly kind?: string | undefined;
  readonly sessions: number;
  /** The name of the only function to call; undefined for all functions. */
  readonly function?: string | undefined;
  /** A file for the disagreements, as lines of JSON. */
  readonly out?: string | undefined;
}

const usage = `usage: npm run conformance:hive -- [options]
  --url hive://HOST:PORT  a HiveServer2 that accepts connections without authentication
                          (default hive://127.0.0.1:10001)
  --start                 start a Hive server for this run; needs mvn and Java 17
  --hive-home DIR         for --start: the folder of another pom.xml (Hive's artifacts) and hive-site.xml (its settings)
  --seed N                repeat the statements of an earlier run (default: a random seed, which is printed)
  --cases N               number of expressions; in addition, a tenth as many queries (default 600)
  --kind KIND             expressions, literals (expressions without a table), casts, aggregates, arguments (calls with
                          each argument of every type), queries, lakes (queries over partitions and Parquet files),
                          order (queries whose rows have an order), or fields (of a text file, read as every type);
                          default: all
  --sessions N            number of statements that Hive runs at once (default 2)
  --function NAME         only calls of this function
  --out FILE              write each disagreement as a line of JSON`;
/** Kinds of generated statements. */
export const kinds = [
  "expressions",
  "literals",
  "casts",
  "aggregates",
  "arguments",
  "queries",
  "lakes",
  "order",
  "fields",
];

/** Reads the command line. Prints the usage and exits when an option is invalid or `--help` is given. */
export function readCommandLine(): Options {
  try {
    const { values } = parseArgs({
      options: {
        url: { type: "string", default: "hive://127.0.0.1:10001" },
        start: { type: "boolean", default: false },
        "hive-home": { type: "string" },
        seed: { type: "string" },
        cases: { type: "string", default: "600" },
        kind: { type: "string" },
        sessions: { type: "string", default: "2" },
        function: { type: "string" },
        out: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
    const { "hive-home": home, seed, cases, sessions, ...rest } = values;
    if (rest.help) throw new TypeError("");
    if (!rest.start && home !== undefined) throw new TypeError("--hive-home needs --start");
    if (rest.kind !== undefined && !kinds.includes(rest.kind))
      throw new TypeError(`--kind ${rest.kind} is unknown: use one of ${kinds.join(", ")}`);
    const count = (name: string, text: string) => {
      if (!/^\d{1,9}$/.test(text))
        throw new TypeError(`${name} ${text} is invalid: use an integer of at most 9 digits`);
      return Number(text);
    };
    return {
      ...rest,
      home,
      seed: seed === undefined ? randomInt(1_000_000) : count("--seed", seed),
      cases: count("--cases", cases),
      sessions: Math.max(1, count("--sessions", sessions)),
    };
  } catch (error) {
    const { message } = error as Error;
    console.error(message === "" ? usage : `${message}\n${usage}`);
    process.exit(message === "" ? 0 : 2);
  }
}
