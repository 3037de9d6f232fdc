import fc from "fast-check";
import { expect, test } from "vitest";
import { errors } from "../../../../../contract";
import { lifecycleOf, type PartialCreate } from "../../../../../provider/lifecycles";
import { ProgramTables } from "../../../../../provider/lifecycles/freshness/program-tables";
import { checkOptions, testContext } from "../context";
import { FakeService } from "../fake-service";
import { MemoryStorage } from "../memory-storage";
import { anySteps, Model, statementOf, type Node, type Step } from "./programs";

/** A stored resource. */
interface Stored {
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly state: object;
}

/** Calls the lifecycles as the engine does: check, compare, check again, delete, create. */
class Engine {
  readonly storage = new MemoryStorage({});
  readonly service = new FakeService();
  readonly #stored = new Map<string, Stored>();

  /** Returns the names of the resources that it created, in order. */
  async up(step: Step): Promise<string[]> {
    for (const { name, kind } of step.program) {
      const object = `dag://${kind === "table" ? "raw" : "outside"}/${name}/o.csv`;
      this.storage.put(object, "x".repeat(1 + (step.objects[name] ?? 0)));
    }
    if (step.refresh) await this.#refresh();
    const programTables = new ProgramTables();
    const ran: string[] = [];
    for (const node of step.program) {
      if (!(await this.#deploy(node, programTables, ran, step.killedAfter))) return ran;
    }
    return ran;
  }

  async #refresh() {
    for (const [name, stored] of this.#stored) {
      const found = await lifecycleOf(kindOf(stored))!.read(stored.id, stored, this.#context(name));
      this.#stored.set(name, { ...stored, ...(found as Stored) });
    }
  }

  /** Returns false when the run is killed. */
  async #deploy(node: Node, programTables: ProgramTables, ran: string[], killedAfter: number | undefined) {
    const { name } = node;
    const lifecycle = lifecycleOf(node.kind === "table" ? "SplitTable" : "SelectQuery")!;
    const check = (olds: object | undefined) => {
      const { inputs, failures } = lifecycle.check(inputsOf(node), { ...checkOptions, urn: name, olds, programTables });
      expect(failures).toEqual([]);
      return inputs;
    };
    const stored = this.#stored.get(name);
    let inputs = check(stored?.inputs) as Stored["inputs"];
    const context = { ...this.#context(name), programTables };
    if (stored) {
      const { changes, replaces } = lifecycle.diff(stored, inputs);
      if (replaces.length === 0) {
        const state = changes ? await lifecycle.update(stored.id, stored, inputs, context) : stored.state;
        this.#stored.set(name, { id: stored.id, inputs, state });
        return true;
      }
      inputs = check(undefined) as Stored["inputs"];
      await lifecycle.delete(stored.id, stored, context);
      this.#stored.delete(name);
      this.#forgetTable(name);
    }
    const { id, state } = await lifecycle.create(inputs, context).catch((error: unknown) => {
      if (!((error as Error).cause instanceof errors.OutputTableAlreadyExists)) throw error;
      // The table of a killed run, whose inputs have changed since. The message says what to do: delete the objects.
      this.#forgetTable(name);
      return lifecycle.create(inputs, context);
    });
    ran.push(name);
    if (killedAfter !== undefined && ran.length > killedAfter) return false;
    this.#stored.set(name, { id, inputs, state });
    return true;
  }

  /** A table whose objects were deleted exists no longer. */
  #forgetTable(name: string) {
    for (const record of this.service.records.filter((one) => one.type === "split" && one.outputTable === name)) {
      this.service.forget(record.id);
    }
  }

  #context(urn: string) {
    return testContext({ service: this.service, storage: this.storage, urn });
  }
}

function kindOf({ inputs }: Stored): string {
  return "query" in inputs ? "SelectQuery" : "SplitTable";
}

function inputsOf(node: Node): object {
  const { name, version, follows, keep } = node;
  if (node.kind === "table") {
    return {
      clusterName: "demo",
      inputObjectKeys: [`dag://raw/${name}/*.csv`],
      outputDatabase: "tables",
      outputTable: name,
      deletionPolicy: "purge",
      triggers: [version],
      ...(follows && { rerunOnInputChange: true }),
    };
  }
  return {
    clusterName: "demo",
    query: statementOf(node),
    outputResourcePath: `dag://tables/${name}/`,
    ...(follows && { rerunOnInputChange: true }),
    ...(keep && { rerunWithTables: false }),
  };
}

test("a table that is rebuilt gets another generation, also with the same random seed", () => {
  const inputs = inputsOf({ name: "a", kind: "table", reads: [], version: 0, keep: false, follows: false });
  const generationOf = (given: object) => {
    const { inputs: checked } = lifecycleOf("SplitTable")!.check(inputs, { ...checkOptions, ...given });
    return (checked as { readonly generation?: string }).generation;
  };
  const randomSeed = new Uint8Array([1, 2, 3]);
  const first = generationOf({ randomSeed, programTables: new ProgramTables() });
  expect(first).toMatch(/^\w{8}$/);
  const programTables = new ProgramTables();
  expect(generationOf({ olds: { ...inputs, generation: first }, randomSeed, programTables })).toBe(first);
  const next = generationOf({ randomSeed, programTables });
  expect(next).toMatch(/^\w{8}$/);
  expect(next).not.toBe(first);
});

test("any program and any changes: each run runs what the model says, nothing less and nothing more", async () => {
  await fc.assert(
    fc.asyncProperty(anySteps({ maxLength: 6, kills: true }), async (steps) => {
      const engine = new Engine();
      const model = new Model();
      const ran: string[][] = [];
      const expected: string[][] = [];
      for (const step of steps) {
        ran.push(await engine.up(step));
        expected.push(model.run(step));
      }
      // The last step is the one before again, so that a second run of it runs nothing.
      ran.push(await engine.up(steps.at(-1)!));
      expected.push([]);
      expect(ran).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});

test("refresh: an input object that changed while an interrupted query runs makes the table again", async () => {
  const storage = new MemoryStorage({ "dag://raw/birds/o.csv": "owl\n" });
  const context = testContext({ storage, timeout: 300 });
  context.service.manual = true;
  const node: Node = { name: "birds", kind: "table", reads: [], version: 0, keep: false, follows: true };
  const splitTable = lifecycleOf("SplitTable")!;
  const { inputs } = splitTable.check(inputsOf(node), { ...checkOptions, urn: "birds" });
  const partial = await splitTable.create(inputs, context).catch((error: unknown) => error as PartialCreate<object>);
  const { state } = partial as PartialCreate<object>;
  const unchanged = await splitTable.read("1", { inputs, state }, context);
  expect(splitTable.diff({ inputs, state: unchanged!.state }, inputs).replaces).toEqual([]);
  storage.put("dag://raw/birds/o.csv", "owl\nwren\n");
  const changed = await splitTable.read("1", { inputs, state }, context);
  expect(changed!.state).toMatchObject({ status: "running", inputsChanged: ["dag://raw/birds/o.csv (changed)"] });
  const { replaces } = splitTable.diff({ inputs, state: changed!.state }, inputs);
  expect(replaces).toEqual(["inputsChanged"]);
  await splitTable.delete("1", { inputs, state: changed!.state }, context);
  expect(context.service.records[0]!.status).toBe("canceled");
});
