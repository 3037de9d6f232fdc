/** Generates programs of tables and queries with changes between their runs, and says what each run must run. */
import fc from "fast-check";

/** A table or a query of a generated program. It reads only nodes before it. */
export interface Node {
  readonly name: string;
  readonly kind: "table" | "query";
  /** Names of the nodes that a query reads. */
  readonly reads: readonly string[];
  /** Part of the statement, or a trigger of the table. */
  readonly version: number;
  /** `rerunWithTables: false`. */
  readonly keep: boolean;
  /** `rerunOnInputChange: true`; a query then reads an external table, too. */
  readonly follows: boolean;
}

/** One run: the program, the versions of the nodes' own input objects, and how it runs. */
export interface Step {
  readonly program: readonly Node[];
  /** Version of the input object of each table, and of the external table of each query, by name. */
  readonly objects: Readonly<Record<string, number>>;
  readonly refresh: boolean;
  /** Number of queries after whose end the run is killed before it stores the last one; undefined for a whole run. */
  readonly killedAfter: number | undefined;
}

const names = ["a", "b", "c", "d", "e"] as const;

const firstProgram: fc.Arbitrary<Node[]> = fc
  .tuple(
    ...names.map((name, index) =>
      fc.record({
        name: fc.constant(name),
        kind:
          index === 0
            ? fc.constant("table" as const)
            : fc.constantFrom("table" as const, "query" as const, "query" as const),
        reads: fc.subarray(names.slice(0, index), { minLength: Math.min(index, 1) }),
        version: fc.constant(0),
        keep: fc.boolean().map((keep) => keep && index % 2 === 0),
        follows: fc.boolean(),
      }),
    ),
  )
  .map((nodes) => nodes.map((node) => (node.kind === "table" ? { ...node, reads: [], keep: false } : node)));

/** A change before a run. */
type Change =
  | { readonly change: "version" | "object" | "keep" | "follows"; readonly node: number }
  | { readonly change: "reads"; readonly node: number; readonly mask: number }
  | { readonly change: "nothing" };

const anyChange: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    change: fc.constantFrom("version" as const, "object" as const, "object" as const, "keep" as const),
    node: fc.nat(names.length - 1),
  }),
  fc.record({ change: fc.constant("reads" as const), node: fc.nat(names.length - 1), mask: fc.nat(31) }),
  fc.record({ change: fc.constant("nothing" as const) }),
);

const anyStep = fc.record({
  changes: fc.array(anyChange, { maxLength: 2 }),
  refresh: fc.boolean(),
  killedAfter: fc.option(fc.nat(4), { nil: undefined, freq: 3 }),
});

/** Generates the steps of one stack. */
export function anySteps(options: { readonly maxLength: number; readonly kills: boolean }): fc.Arbitrary<Step[]> {
  const more = fc.array(anyStep, { minLength: 2, maxLength: options.maxLength });
  return fc.tuple(firstProgram, more).map(([first, following]) => {
    const steps: Step[] = [{ program: first, objects: {}, refresh: false, killedAfter: undefined }];
    for (const { changes, refresh, killedAfter } of following) {
      let { program, objects } = steps.at(-1)!;
      for (const change of changes) [program, objects] = changed(program, objects, change);
      steps.push({ program, objects, refresh, killedAfter: options.kills ? killedAfter : undefined });
    }
    const last = steps.at(-1)!;
    return [...steps, { ...last, refresh: true, killedAfter: undefined }];
  });
}

function changed(
  program: readonly Node[],
  objects: Step["objects"],
  change: Change,
): [readonly Node[], Step["objects"]] {
  if (change.change === "nothing") return [program, objects];
  const node = program[change.node]!;
  const replaced = (part: Partial<Node>): [readonly Node[], Step["objects"]] => [
    program.map((other) => (other === node ? { ...node, ...part } : other)),
    objects,
  ];
  switch (change.change) {
    case "version":
      return replaced({ version: node.version + 1 });
    case "object":
      return [program, { ...objects, [node.name]: (objects[node.name] ?? 0) + 1 }];
    case "keep":
      return node.kind === "query" ? replaced({ keep: !node.keep }) : [program, objects];
    case "follows":
      return replaced({ follows: !node.follows });
    case "reads": {
      if (node.kind === "table") return [program, objects];
      const before = names.slice(0, change.node);
      const reads = before.filter((_, index) => (change.mask >> index) & 1);
      return replaced({ reads: reads.length > 0 ? reads : before.slice(0, 1) });
    }
  }
}

/** What a node has read when it ran last. */
interface Made {
  /** How often the node has run. */
  readonly generation: number;
  readonly version: number;
  readonly reads: Readonly<Record<string, number>>;
  readonly object: number;
}

/** The model of a stack. */
export class Model {
  readonly #made = new Map<string, Made>();
  /** Nodes of which a refresh has found a changed input object. */
  readonly #changed = new Set<string>();
  #generations = 0;

  /** Returns the names of the nodes that a run must run, in order, and stores that they ran. */
  run({ program, objects, refresh, killedAfter }: Step): string[] {
    if (refresh) {
      for (const { name, follows } of this.#stored(program)) {
        if (follows && this.#made.get(name)!.object !== (objects[name] ?? 0)) this.#changed.add(name);
      }
    }
    this.#last = program;
    const ran: string[] = [];
    for (const node of program) {
      if (!this.#mustRun(node)) continue;
      ran.push(node.name);
      this.#made.delete(node.name);
      this.#changed.delete(node.name);
      // Killed before its state is stored: the next run does not know it.
      if (killedAfter !== undefined && ran.length > killedAfter) return ran;
      this.#generations += 1;
      this.#made.set(node.name, {
        generation: this.#generations,
        version: node.version,
        reads: this.#generationsOf(node),
        object: objects[node.name] ?? 0,
      });
    }
    return ran;
  }

  #last: readonly Node[] = [];

  /** The nodes of the last program that have been made: a refresh knows nothing of a new program. */
  #stored(program: readonly Node[]): Node[] {
    const last = new Map(this.#last.map((node) => [node.name, node]));
    return program.flatMap(({ name }) => (this.#made.has(name) ? (last.get(name) ?? []) : []));
  }

  #mustRun(node: Node): boolean {
    const made = this.#made.get(node.name);
    if (!made || made.version !== node.version) return true;
    const before = Object.keys(made.reads);
    if (before.length !== node.reads.length || !node.reads.every((name) => before.includes(name))) return true;
    if (node.follows && this.#changed.has(node.name)) return true;
    if (node.keep) return false;
    return node.reads.some((name) => this.#made.get(name)!.generation !== made.reads[name]);
  }

  #generationsOf({ reads }: Node): Readonly<Record<string, number>> {
    return Object.fromEntries(reads.map((name) => [name, this.#made.get(name)!.generation]));
  }
}

/** Returns the statement of a query. */
export function statementOf({ name, reads, version, follows }: Node): string {
  const from = [...reads.map((read) => `tables.${read}`), ...(follows ? [`outside.${name}`] : [])];
  return `SELECT ${from.map((_, index) => `t${index}.v`).join(", ")}, ${version} AS v FROM ${from
    .map((table, index) => `${table} t${index}`)
    .join(" CROSS JOIN ")}`;
}
