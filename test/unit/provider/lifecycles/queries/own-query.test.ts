import { expect, test } from "vitest";
import { PartialCreate, lifecycleOf, type Lifecycle } from "../../../../../provider/lifecycles";
import { testContext, type TestContext } from "../context";
import { MemoryStorage } from "../memory-storage";

type Any = Lifecycle<object, { readonly status: string }>;

/** The two resources, with inputs and the folder that they write. */
const kinds = [
  [
    "SelectQuery",
    { clusterName: "demo", query: "SELECT a FROM db.t", outputResourcePath: "dag://out/a/" },
    "dag://out/a/",
    { outputResourcePath: "dag://others/b/" },
  ],
  [
    "SplitTable",
    { clusterName: "demo", inputObjectKeys: ["dag://in/a.csv"], outputDatabase: "out", outputTable: "a" },
    "dag://out/a/",
    { outputDatabase: "others", outputTable: "b" },
  ],
] as const;

/** Creates a resource whose result is in the storage. */
async function created(name: string, inputs: object, at: string) {
  const storage = new MemoryStorage({ [`${at}000000_0`]: "1\n", "dag://in/a.csv": "1\n" });
  const context = testContext({ storage });
  const lifecycle = lifecycleOf(name) as unknown as Any;
  return { storage, context, lifecycle, ...(await lifecycle.create(inputs, context)) };
}

/** Interrupts a create, and gives its ID to another query, as new data of the service does. */
async function interrupted(name: string, inputs: object, other: object, context: TestContext) {
  const lifecycle = lifecycleOf(name) as unknown as Any;
  context.service.manual = true;
  const partial = await lifecycle.create(inputs, { ...context, timeout: 200 }).catch((error: unknown) => error);
  expect(partial).toBeInstanceOf(PartialCreate);
  Object.assign(context.service.records[0]!, other);
  return { lifecycle, stored: { inputs, state: (partial as PartialCreate<{ readonly status: string }>).state } };
}

test.each(kinds)(
  "%s, refresh: a query that has its ID now is not taken for its own",
  async (name, inputs, _at, other) => {
    const context = testContext();
    const { lifecycle, stored } = await interrupted(name, inputs, other, context);
    context.service.finish(1);
    const found = await lifecycle.read("1", stored, context);
    expect(found!.state).toMatchObject({ status: "running", recordExpired: true });
    expect(context.warnings).toEqual([expect.stringContaining("whose ID is that of another query")]);
  },
);

test.each(kinds)("%s, refresh: one of the same folder and another time is another query", async (name, inputs) => {
  const context = testContext();
  const { lifecycle, stored } = await interrupted(name, inputs, { startTime: "2027-01-01 00:00:00" }, context);
  const state = { ...stored.state, startTime: "2026-11-20 12:00:00" };
  context.service.finish(1);
  const found = await lifecycle.read("1", { ...stored, state }, context);
  expect(found!.state).toMatchObject({ status: "running", recordExpired: true });
});

test.each(kinds)("%s, update: does not wait for a query that has its ID now", async (name, inputs, _at, other) => {
  const context = testContext();
  const { lifecycle, stored } = await interrupted(name, inputs, other, context);
  context.service.finish(1);
  const updated = lifecycle.update("1", stored, inputs, { ...context, consoleUrl: "http://127.0.0.1:9393" });
  await expect(updated).rejects.toThrow("whose ID is that of another query");
  await expect(updated).rejects.not.toThrow("/console/queries/1");
});

test.each(kinds)("%s, delete: does not cancel a query that has its ID now", async (name, inputs, _at, other) => {
  const context = testContext();
  const { lifecycle, stored } = await interrupted(name, inputs, other, context);
  await lifecycle.delete("1", stored, context);
  expect(context.service.records[0]!.status).toBe("running");
  expect(context.service.count("cancelQuery")).toBe(0);
  expect(context.infos).toEqual([expect.stringContaining("query 1 is not cancelled")]);
});

test.each(kinds)(
  "%s, refresh: without a record, a result that was deleted exists no longer",
  async (name, inputs, at) => {
    const { storage, context, lifecycle, id, state } = await created(name, inputs, at);
    context.service.forget(Number(id));
    const kept = await lifecycle.read(id, { inputs, state }, context);
    expect(kept!.state).toMatchObject({ recordExpired: true });
    await storage.delete({ bucket: "out", key: "a/000000_0" });
    storage.put("dag://out/other", "the bucket exists");
    expect(await lifecycle.read(id, { inputs, state }, context)).toBeUndefined();
  },
);

test.each(kinds)(
  "%s, refresh: storage that cannot be read is a warning, and nothing is made again",
  async (name, inputs, at) => {
    const { storage, context, lifecycle, id, state } = await created(name, inputs, at);
    storage.broken = true;
    const found = await lifecycle.read(id, { inputs, state }, context);
    expect(found!.state).toMatchObject({ status: "finished" });
    expect(context.warnings[0]).toContain("cannot see whether the objects in dag://out/a/ still exist");
  },
);
