/** Another query has written to the folder of a result: its objects are never read as those of the result. */
import { describe, expect, test } from "vitest";
import { lifecycleOf, type Lifecycle } from "../../../../../provider/lifecycles";
import type { SelectQueryState } from "../../../../../provider/lifecycles/resources/select-query";
import { testContext } from "../context";
import { MemoryStorage } from "../memory-storage";

type Any = Lifecycle<object, SelectQueryState>;

const select = { clusterName: "demo", query: "SELECT a FROM wildlife.t", outputResourcePath: "dag://out/a/" };
const split = {
  clusterName: "demo",
  inputObjectKeys: ["dag://landing/a.csv"],
  outputDatabase: "out",
  outputTable: "a",
};
const kinds = [
  ["SelectQuery", select, "outputResourcePath"],
  ["SplitTable", split, "outputTable"],
] as const;
const object = "dag://out/a/000000_0";

/** Creates a resource, and lets another query write to its folder. @param more inputs of the resource. */
async function overwritten(name: string, inputs: object, more: object = {}) {
  const storage = new MemoryStorage({ [object]: "mine\n", "dag://landing/a.csv": "1\n" });
  const context = testContext({ storage });
  const lifecycle = lifecycleOf(name) as unknown as Any;
  const news = { ...inputs, ...more };
  const { id, state } = await lifecycle.create(news, context);
  storage.put(object, "THEIRS,2\n", new Date("2026-11-20T12:00:05Z"));
  context.service.add("select", { ...select, status: "finished" });
  return { storage, context, lifecycle, id, stored: { inputs: news, state } };
}

const refusal = (field: string) =>
  `the objects in dag://out/a/ cannot be read as the result of query 1: query 2 has published there since. The outputs stay ` +
  `as they are. ${
    field === "outputTable"
      ? 'Put back what query 1 wrote and move the rest away, set another outputTable, or delete all objects in dag://out/a/ and run "pulumi up --refresh"'
      : `Set another ${field}, or run "pulumi up --replace 'urn:pulumi:dev::unit::dag:index:Any::one'"`
  }`;

describe("update", () => {
  test("resultRows: the rows of another query are not read", async () => {
    const { lifecycle, id, stored, context } = await overwritten("SelectQuery", select);
    const update = lifecycle.update(id, stored, { ...select, resultRows: 5 }, context);
    await expect(update).rejects.toThrow(refusal("outputResourcePath"));
  });

  test.each(kinds)("%s, expect: is not checked against another query's objects", async (name, inputs, field) => {
    const { lifecycle, id, stored, context, storage } = await overwritten(name, inputs);
    // A failed expectation would run the query again.
    const update = lifecycle.update(id, stored, { ...inputs, expect: { rows: { min: 9 } } }, context);
    await expect(update).rejects.toThrow(refusal(field));
    await expect(update).rejects.not.toHaveProperty("state");
    expect(storage.names()).toContain(object);
  });

  test.each(kinds)("%s: objects that no query published are not read either, and named", async (name, inputs) => {
    const { lifecycle, id, stored, context, storage } = await overwritten(name, inputs);
    context.service.forget(2);
    const update = (secret = false) =>
      lifecycle.update(id, stored, { ...inputs, expect: { rows: { min: 1 } } }, { ...context, secret });
    await expect(update()).rejects.toThrow(`as the result of query 1: query 1 wrote ${object} with other content. The`);
    for (const added of ["b.csv", "c.csv"]) storage.put(`dag://out/a/${added}`, "crow\n");
    await expect(update()).rejects.toThrow(": query 1 did not write dag://out/a/b.csv and 1 more. The outputs stay");
    await expect(update(true)).rejects.toThrow(/they are not, or not only, those that query 1 published(?!.*dag:\/\/)/);
    await storage.deleteFolder({ bucket: "out", key: "a/" });
    storage.put("dag://out/a/b/c.csv", "crow\n");
    await expect(update()).rejects.toThrow(": query 1 did not write dag://out/a/b/c.csv. The outputs stay");
  });

  test("objects of a result that were deleted are named", async () => {
    const storage = new MemoryStorage({ [object]: "mine\n", "dag://out/a/000001_0": "mine too\n" });
    const context = testContext({ storage });
    const lifecycle = lifecycleOf("SelectQuery") as unknown as Any;
    const { id, state } = await lifecycle.create(select, context);
    await storage.delete({ bucket: "out", key: "a/000001_0" });
    const update = lifecycle.update(id, { inputs: select, state }, { ...select, resultRows: 1 }, context);
    await expect(update).rejects.toThrow(
      ": query 1 also wrote dag://out/a/000001_0, no longer there. The outputs stay",
    );
  });

  test.each(kinds)("%s: a result that was never listed does not get another query's objects", async (name, inputs) => {
    const { lifecycle, id, stored, context } = await overwritten(name, inputs);
    const { result: _result, ...state } = stored.state;
    const news = { ...inputs, deletionPolicy: "purge" };
    expect(await lifecycle.update(id, { ...stored, state }, news, context)).toEqual(state);
    context.service.forget(2);
    const listed = await lifecycle.update(id, { ...stored, state }, news, context);
    expect(listed.result?.objects).toHaveLength(1);
  });

  test("other inputs: the rows stay, and fewer than one row need no objects", async () => {
    const more = { resultRows: 2, expect: { rows: { min: 1 } } };
    const { lifecycle, id, stored, context } = await overwritten("SelectQuery", select, more);
    const { state } = stored;
    expect(state.result!.rows).toEqual([["mine"]]);
    const kept = await lifecycle.update(id, stored, { ...stored.inputs, deletionPolicy: "purge" }, context);
    expect(kept).toEqual(state);
    const { rows: _rows, ...list } = state.result!;
    expect(await lifecycle.update(id, stored, { ...stored.inputs, resultRows: 0 }, context)).toEqual({
      ...state,
      result: list,
    });
  });

  test("a secret input: the folder is not shown", async () => {
    const { lifecycle, id, stored, context } = await overwritten("SelectQuery", select);
    const secret = { ...context, secret: true };
    const update = lifecycle.update(id, stored, { ...select, resultRows: 5 }, secret);
    await expect(update).rejects.toThrow("query 2 has published there since");
    await expect(update).rejects.not.toThrow("dag://");
  });
});

test.each(kinds)(
  "%s, refresh of a lookup: names no option, which it does not have, and the query that is there",
  async (...given) => {
    const { lifecycle, id, stored, context, storage } = await overwritten(given[0], given[1]);
    const lookup = { ...context, isLookup: true };
    await lifecycle.read(id, stored, lookup);
    context.service.forget(2);
    await lifecycle.read(id, stored, lookup);
    await storage.deleteFolder({ bucket: "out", key: "a/" });
    expect(await lifecycle.read(id, stored, lookup)).toBeUndefined();
    expect(context.warnings).toEqual([
      expect.stringMatching(/query 2 has published there since\. Use the id of query 2, if it is to be read$/),
      expect.stringMatching(/query 1 wrote .* with other content\. Use the id of another query$/),
      expect.stringContaining("no longer exists: use the id of another query. If"),
    ]);
  },
);

describe("a query that ended after its wait was interrupted", () => {
  test.each(kinds)("%s: neither an update nor a refresh takes another query's objects", async (name, inputs, field) => {
    const { lifecycle, id, stored, context } = await overwritten(name, inputs);
    const { result: _result, ...state } = stored.state;
    const unfinished = { ...stored, state: { ...state, status: "running" as const } };
    await expect(lifecycle.update(id, unfinished, inputs, context)).rejects.toThrow(refusal(field));
    const refreshed = await lifecycle.read(id, unfinished, context);
    expect(refreshed!.state).toEqual(unfinished.state);
    expect(context.warnings).toEqual([expect.stringContaining(refusal(field))]);
    context.service.forget(2);
    expect(await lifecycle.update(id, unfinished, inputs, context)).toMatchObject({ status: "finished" });
  });
});

test.each(kinds)("%s, update that sets rerunOnInputChange: says that what was read is not known", async (...given) => {
  const [name, inputs] = given;
  const storage = new MemoryStorage({ [object]: "1\n", "dag://landing/a.csv": "1\n", "dag://wildlife/t/a.csv": "1\n" });
  const context = testContext({ storage });
  const lifecycle = lifecycleOf(name) as unknown as Any;
  const follows = { ...inputs, rerunOnInputChange: true };
  const first = await lifecycle.create(follows, context);
  expect(context.warnings).toEqual([]);
  const { inputFingerprint, ...state } = first.state;
  const updated = await lifecycle.update(first.id, { inputs, state }, follows, context);
  expect(updated.inputFingerprint).toBe(inputFingerprint);
  expect(context.warnings).toEqual([
    expect.stringMatching(/what the input objects were when query 1 ran is not known.*pulumi up --replace 'urn:/s),
  ]);
  expect(await lifecycle.update(first.id, { inputs: follows, state: updated }, follows, context)).toEqual(updated);
  expect(context.warnings).toHaveLength(1);
});

test("SelectQuery, update that sets rerunOnInputChange: says nothing of a query that reads no objects", async () => {
  const context = testContext({ storage: new MemoryStorage({ [object]: "1\n" }) });
  const lifecycle = lifecycleOf("SelectQuery") as unknown as Any;
  const inputs = { ...select, query: "SELECT 1" };
  const { id, state } = await lifecycle.create(inputs, context);
  await lifecycle.update(id, { inputs, state }, { ...inputs, rerunOnInputChange: true }, context);
  expect(context.warnings).toEqual([]);
});
