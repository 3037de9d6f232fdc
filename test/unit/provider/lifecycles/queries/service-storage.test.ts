import { describe, expect, test } from "vitest";
import { storageProblem } from "../../../../../provider/lifecycles/queries/service-storage";
import { selectQuery } from "../../../../../provider/lifecycles/resources/select-query";
import { splitTable } from "../../../../../provider/lifecycles/resources/split-table";
import { testContext } from "../context";
import { FakeService } from "../fake-service";
import { MemoryStorage } from "../memory-storage";

const ours = { "dag://out/a/000000_0": "1\n2\n" };
const others = { "dag://out/a/000000_0": "9\n" };
const query = {
  clusterName: "demo",
  query: "SELECT a FROM db.t",
  outputResourcePath: "dag://out/a/",
  deletionPolicy: "purge" as const,
};
const table = {
  clusterName: "demo",
  inputObjectKeys: ["dag://landing/a.csv"],
  outputDatabase: "out",
  outputTable: "a",
  deletionPolicy: "purge" as const,
};

/** A context whose dag:storage has other objects than the service's storage. */
function contextOf(own: Readonly<Record<string, string>>, theirs: Readonly<Record<string, string>>) {
  const service = new FakeService();
  service.storage = new MemoryStorage(theirs);
  return testContext({ service, storage: new MemoryStorage(own) });
}

describe("dag:storage that is not that of the service", () => {
  test.each([
    [ours, ours],
    [{ ...ours, "dag://out/a/more": "x" }, ours],
    [{}, {}],
  ])("a folder with %j, and %j at the service: may be the same", async (own, theirs) => {
    expect(await storageProblem("dag://out/a/", contextOf(own, theirs))).toBeUndefined();
  });

  test.each([
    [others, ours, "the service has 1 object, dag:storage has other ones"],
    [{}, ours, "the service has 1 object, dag:storage has none"],
    [ours, {}, "the service has no objects, dag:storage has 1"],
  ])("a folder with %j, and %j at the service: %s", async (own, theirs, reason) => {
    expect(await storageProblem("dag://out/a/", contextOf(own, theirs))).toBe(
      `dag:storage is not the storage of the service: in dag://out/a/ ${reason}`,
    );
  });

  test("a service that does not list objects, or does not answer, tells nothing", async () => {
    expect(await storageProblem("dag://out/a/", testContext({ storage: new MemoryStorage(ours) }))).toBeUndefined();
    const context = contextOf(others, ours);
    const client = { ...context.client, listObjects: () => Promise.reject(new Error("no answer")) } as never;
    expect(await storageProblem("dag://out/a/", { ...context, client })).toBeUndefined();
  });

  test("objects that a query replaces between the two lists: the second look tells", async () => {
    const context = contextOf(others, ours);
    const storage = context.storage as MemoryStorage;
    const sleep = async () => storage.put("dag://out/a/000000_0", "1\n2\n");
    expect(await storageProblem("dag://out/a/", { ...context, sleep })).toBeUndefined();
  });

  const message = "dag:storage is not the storage of the service: in dag://out/a/";

  test.each([
    ["SelectQuery", (own: object) => selectQuery.create(query, contextOf({ ...own }, ours))],
    ["SplitTable", (own: object) => splitTable.create(table, contextOf({ ...own }, ours))],
  ])("%s: its result is not read there, and the next update reads it again", async (_name, create) => {
    for (const own of [others, {}]) {
      await expect(create(own)).rejects.toMatchObject({
        id: "1",
        state: { status: "finished" },
        reasons: [expect.stringMatching(/its result cannot be read: dag:storage is not the storage of the service/)],
      });
    }
  });

  test.each([{}, others])("a refresh with %j keeps the result, and a purge deletes nothing", async (own) => {
    const right = contextOf(ours, ours);
    const { id, state } = await selectQuery.create(query, right);
    const wrong = contextOf(own, ours);
    wrong.service.records.push(...right.service.records);
    const found = await selectQuery.read(id, { inputs: query, state }, wrong);
    expect(found?.state).toEqual(state);
    expect(wrong.warnings).toEqual([expect.stringContaining(`${message} the service has 1 object`)]);
    await expect(selectQuery.delete(id, { inputs: query, state }, wrong)).rejects.toThrow(message);
    expect((wrong.storage as MemoryStorage).names()).toEqual(Object.keys(own));
  });

  test("a purge deletes what is as its query has published it, whatever another service lists", async () => {
    const right = contextOf(ours, ours);
    const { id, state } = await selectQuery.create(query, right);
    const later = contextOf(ours, {});
    await selectQuery.delete(id, { inputs: query, state }, later);
    expect((later.storage as MemoryStorage).names()).toEqual([]);
  });
});
