/**
 * A stack that is deployed again and again by the real lifecycles over the real client, as Pulumi's engine calls them.
 * Its process is killed or interrupted at any step; what an operation has returned before is kept.
 */
import type { Oracle } from "../oracle";
import type { Random } from "../world/random";
import { world, type Actor } from "../world/world";
import { partsIn, valueIn, valueOf } from "./content";
import { DeploymentRun, type Declared, type Stored } from "./deployment-run";
import { bucketsFolder, type WorldStorage } from "./storage";

/** What changes between two runs. */
interface Version {
  /** The content of the input object. */
  input: number;
  triggers: number;
  /** Of the statements of the queries, by their names. */
  statements: Record<string, number>;
  hasLast: boolean;
}

export interface DeploymentOptions {
  /** Returns the storage that a run uses. */
  readonly storage: () => WorldStorage;
  readonly oracle: Oracle;
  /** True for a program of four resources and up to four runs with faults; else it has one to three, and two runs. */
  readonly isLong: boolean;
}

/** How a run has ended. */
interface Ended {
  readonly problems: readonly string[];
  readonly isKilled: boolean;
  /** True for a run that faults may hit. */
  readonly isFaulty: boolean;
  /** True for a run that has read its resources first. */
  readonly isRefreshed: boolean;
}

/** Runs after the last fault until one must succeed. */
const cleanRuns = 8;

export class Deployment {
  isDone = false;
  readonly #name: string;
  readonly #state = new Map<string, Stored>();
  readonly #version: Version = { input: 0, triggers: 0, statements: { q: 0, p: 0, r: 0 }, hasLast: true };
  readonly #user: Actor;
  readonly #random: Random = world().choices;
  readonly #cluster: string;
  /** The runs that were killed. */
  readonly #killed = new Set<string>();
  /** The resources that a killed run was deleting. */
  readonly #lateDeletes = new Set<string>();
  #runs = 0;
  #cleanRuns = 0;
  #lastProblems: readonly string[] = [];

  constructor(
    number: number,
    private readonly options: DeploymentOptions,
  ) {
    if (!options.isLong) this.#version.statements = this.#random.pick([{}, { q: 0 }]);
    this.#name = `stack${number}`;
    this.#cluster = options.isLong ? this.#random.pick(["one", "two"]) : "one";
    this.#user = world().actor(`user of ${this.#name}`);
    world().files.createFolders(`${bucketsFolder}/${this.#name}/input`);
    this.#putInput();
    world().after(this.#random.between(0, 2000), () => this.#next(), this.#user);
  }

  #putInput(): void {
    const path = `${bucketsFolder}/${this.#name}/input/o.csv`;
    const content = `value=v${this.#version.input},1\n`.padEnd(20 + this.#version.input, "x");
    world().files.write(path, Buffer.from(content), true);
    world().files.flush();
  }

  /** Begins a run, in a new process. */
  #next(): void {
    const isFaulty = world().hasFaults && this.#runs < (this.options.isLong ? 4 : 2);
    if (!isFaulty) this.#cleanRuns += 1;
    if (this.#cleanRuns > cleanRuns) {
      world().violate(
        "every operation ends",
        `${cleanRuns} runs of ${this.#name} without faults fail: ${this.#lastProblems.join("; ")}`,
      );
      return;
    }
    const number = (this.#runs += 1);
    const random = this.#random;
    if (number > 1 && isFaulty) this.#change();
    const actor = world().actor(`${this.#name}-run-${number}`, { ahead: random.between(-2000, 2000) });
    const interrupt = new AbortController();
    const isDestroyed = number > 1 && isFaulty && random.chance(this.#lastProblems.length > 0 ? 0.3 : 0.1);
    const program = isDestroyed ? [] : this.#program();
    const isRefreshed = !isFaulty || random.chance(0.4);
    world().tell(
      `${isDestroyed ? "destroys all" : `runs ${describe(program)}`}${isRefreshed ? ", refreshed" : ""}`,
      actor,
    );
    const table = this.#isMade("t") ? this.#state.get("t")?.id : undefined;
    let isOver = false;
    const over = (problems: readonly string[], isKilled: boolean) => {
      if (isOver) return;
      isOver = true;
      if (isKilled) {
        this.#killed.add(actor.name);
        for (const name of run.deleting) this.#lateDeletes.add(name);
      }
      world().kill(actor);
      world().tell(isKilled ? "is killed" : `ends: ${problems.join("; ") || "all is done"}`, actor);
      // Before a power failure, which may lose what was deleted just now.
      if (isDestroyed && !isKilled && problems.length === 0) this.#checkDestroyed(table);
      // A run that follows at once meets queries that this one has left. Those of a killed run, whose statements have
      // changed since, end some time.
      const pause = isFaulty ? random.pick([50, 5000]) * random.next() : 60_000;
      world().after(pause, () => this.#ended(program, { problems, isKilled, isFaulty, isRefreshed }), this.#user);
    };
    const run = new DeploymentRun(this.#state, this.options.storage(), {
      stack: this.#name,
      actor,
      signal: interrupt.signal,
    });
    world().after(1, () => void run.execute(program, isRefreshed).then((problems) => over(problems, false)), actor);
    if (!isFaulty) return;
    const until = random.pick([30, 300, 3000, 30_000]) * random.next();
    world().after(
      until,
      () => {
        if (isOver) return;
        if (world().fault("a deployment is killed", 0.35)) over([], true);
        else if (world().fault("a deployment is interrupted", 0.3)) {
          world().after(0, () => interrupt.abort(new Error("interrupted by the user")), actor);
        }
      },
      this.#user,
    );
  }

  #ended(program: readonly Declared[], { problems, isKilled, isFaulty, isRefreshed }: Ended): void {
    this.#lastProblems = problems;
    // The message of a table that exists says to delete its objects.
    if (problems.some((problem) => problem.includes("OutputTableAlreadyExists"))) {
      const path = `${bucketsFolder}/${this.#name}/t`;
      if (!this.#isMade("t") && world().files.find(path) && !this.options.oracle.isWritten(path)) {
        world().tell("deletes the objects of the table that exists", this.#user);
        world().files.remove(path);
      }
    }
    const isSuccessful = !isKilled && problems.length === 0;
    const isChecked = isSuccessful && this.#check(program, isRefreshed);
    if (isFaulty || !isChecked) return this.#next();
    this.isDone = true;
  }

  /** Returns true when the state has a resource, and no run has deleted it to replace it. */
  #isMade(name: string): boolean {
    const stored = this.#state.get(name);
    return stored !== undefined && stored.isPending !== true;
  }

  #change(): void {
    const { choices: random } = world();
    const version = this.#version;
    if (random.chance(0.25)) {
      version.input += 1;
      version.triggers += random.between(0, 1);
      this.#putInput();
    }
    if (random.chance(0.15)) version.triggers += 1;
    for (const name of Object.keys(version.statements)) if (random.chance(0.2)) version.statements[name]! += 1;
    if (random.chance(0.15)) version.hasLast = !version.hasLast;
  }

  #program(): readonly Declared[] {
    const { triggers, statements, hasLast } = this.#version;
    const stack = this.#name;
    const common = (name: string) => ({ clusterName: this.#cluster, label: `urn:${stack}:${name}` });
    const table: Declared = {
      name: "t",
      kind: "SplitTable",
      reads: [],
      inputs: {
        ...common("t"),
        inputObjectKeys: [`dag://${stack}/input/o.csv`],
        outputDatabase: stack,
        outputTable: "t",
        deletionPolicy: "purge",
        rerunOnInputChange: true,
        triggers: [triggers],
      },
    };
    const query = (name: string, from: string): Declared => ({
      name,
      kind: "SelectQuery",
      reads: [from],
      inputs: {
        ...common(name),
        query: `SELECT v AS v${statements[name]} FROM ${stack}.${from}`,
        outputResourcePath: `dag://${stack}/${name}/`,
      },
    });
    const queries = [query("q", "t"), query("p", "t"), ...(hasLast ? [query("r", "q")] : [])];
    return [table, ...queries.filter(({ name }) => statements[name] !== undefined)];
  }

  /**
   * Checks after a run without a problem that the results are what the program makes of its inputs.
   * @returns false when a late request of a killed run has deleted one, which the next refresh sees.
   */
  #check(program: readonly Declared[], isRefreshed: boolean): boolean {
    const values = new Map<string, string>();
    const input = valueIn(world().files.file(`${bucketsFolder}/${this.#name}/input/o.csv`).content.toString());
    for (const { name, kind, inputs, reads } of program) {
      const stored = this.#state.get(name);
      const fail = (what: string) => {
        world().violate("no stale result", `${name} of ${this.#name}: ${what}`);
        return true;
      };
      if (stored?.state["status"] !== "finished") {
        return fail(`a run succeeded, and the state says ${String(stored?.state["status"])}`);
      }
      const parts = partsIn(`${bucketsFolder}/${this.#name}/${name}`);
      const [part] = parts;
      if (part === undefined && this.#lateDeletes.delete(name)) {
        world().count("a late request of a killed run has deleted a result");
        return false;
      }
      if (part === undefined) return fail("a run succeeded, and the result is not there");
      this.#lateDeletes.delete(name);
      const { caller = "" } = this.options.oracle.queries.get(part.queryId) ?? {};
      if (part.queryId > Number(stored.id) && this.#killed.has(caller)) {
        // A request that it had sent before may arrive after the next run. A refresh says that the objects are others.
        world().count("a late request of a killed run has replaced a result");
        return true;
      }
      const read = kind === "SplitTable" ? "split" : String(inputs["query"]);
      const from = kind === "SplitTable" ? [input] : reads.map((each) => values.get(each)!);
      // Without a refresh, a changed input object is noticed by the next refresh only.
      if (kind === "SelectQuery" && part.value !== valueOf(read, from)) {
        return fail(`query ${part.queryId} has written ${part.value}, which its inputs no longer make`);
      }
      if (kind === "SplitTable" && isRefreshed && part.value !== valueOf(read, from)) {
        return fail(`query ${part.queryId} has made the table of another input`);
      }
      if (String(part.queryId) !== stored.id) {
        if (part.queryId < Number(stored.id)) {
          return fail(`the state says query ${stored.id}, and the result is of ${part.queryId}`);
        }
        world().count("a late request has made the same result again");
      }
      values.set(name, part.value);
    }
    world().count("a deployment is as its program says");
    return true;
  }

  /** Checks that a table whose query the state knew was purged. */
  #checkDestroyed(table: string | undefined): void {
    world().count("a deployment is destroyed");
    if (this.#state.size > 0) world().violate("a destroy deletes all", `${[...this.#state.keys()]} are left`);
    const [part] = partsIn(`${bucketsFolder}/${this.#name}/t`);
    if (table !== undefined && String(part?.queryId) === table) {
      world().violate("a destroy deletes all", `the table of query ${table} is left`);
    }
  }
}

function describe(program: readonly Declared[]): string {
  return program
    .map(({ name, inputs }) => `${name} (${String(inputs["query"] ?? `triggers ${String(inputs["triggers"])}`)})`)
    .join(", ");
}
