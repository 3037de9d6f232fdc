import { describe, expect, test } from "vitest";
import type { Client } from "../../../../../provider/client";
import { PartialCreate, type LifecycleContext } from "../../../../../provider/lifecycles";
import { servesProvider } from "../../../../../provider/lifecycles/configuration";
import { listObjects, purge } from "../../../../../provider/lifecycles/queries/results";
import {
  requireServiceStorage,
  ServiceStorage,
  storageFailures,
} from "../../../../../provider/lifecycles/queries/service-storage";
import { selectQuery, type SelectQueryState } from "../../../../../provider/lifecycles/resources/select-query";
import { splitTable } from "../../../../../provider/lifecycles/resources/split-table";
import { testContext } from "../context";
import { FakeService } from "../fake-service";
import { MemoryStorage } from "../memory-storage";

type Objects = Readonly<Record<string, string>>;

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
const wrong = "dag:storage is not the storage of the service";
const correction = "correct dag:storage (or DAG_STORAGE), or dag:endpoint (or DAG_ENDPOINT)";

/** A context whose dag:storage has other objects than the service's storage. */
function contextOf(own: Objects, theirs: Objects, { isPlan = false, ...given }: Given = {}) {
  const service = new FakeService();
  const [memory, remote] = [new MemoryStorage(own), new MemoryStorage(theirs)];
  service.storage = remote;
  const context = testContext({ service, ...given });
  return { ...context, memory, remote, storage: new ServiceStorage(memory, context, { isPlan }) };
}

type Given = Partial<LifecycleContext> & { readonly isPlan?: boolean };

/** A client whose list of objects answers, or fails, as one of these does; the last one does from then on. */
function clientWith(...answers: Client["listObjects"][]) {
  const asked: Parameters<Client["listObjects"]>[] = [];
  const ask: Client["listObjects"] = (...call) => answers[Math.min(asked.push(call), answers.length) - 1]!(...call);
  return { asked, client: { ...new FakeService().client, listObjects: ask } as unknown as Client };
}

const unanswered = () => Promise.reject(new Error("no answer"));

/** Another service's queries have the same IDs. */
async function made(theirs: Objects, inputs: object = query) {
  const right = contextOf(theirs, theirs);
  const { id, state } = await selectQuery.create({ ...query, ...inputs }, right);
  return { id, state, records: right.service.records };
}

describe("dag:storage", () => {
  test("of an explicit provider resource: its arguments are named, and not the stack's keys", async () => {
    servesProvider("urn:pulumi:dev::shop::pulumi:providers:dag::other");
    try {
      expect(await storageFailures("dag://out/a/", contextOf({}, ours))).toEqual([
        {
          property: "",
          reason:
            'storage of the provider resource "other" is not the storage of the service: in dag://out/a/ the service has ' +
            '1 object, storage of the provider resource "other" has none: correct storage of the provider resource "other" ' +
            '(or DAG_STORAGE), or endpoint of the provider resource "other" (or DAG_ENDPOINT)',
        },
      ]);
    } finally {
      servesProvider("urn:pulumi:dev::shop::pulumi:providers:dag::default");
    }
  });

  test.each([
    [ours, ours],
    [{ ...ours, "dag://out/a/more": "x" }, ours],
    [{}, {}],
  ])("a folder with %j, and %j at the service: may be the same", async (own, theirs) => {
    expect(await storageFailures("dag://out/a/", contextOf(own, theirs))).toEqual([]);
  });

  test.each([
    [others, ours, "the service has 1 object, dag:storage has other ones"],
    [{}, ours, "the service has 1 object, dag:storage has none"],
    [ours, {}, "the service has no objects, dag:storage has 1"],
  ])("a folder with %j, and %j at the service: %s", async (own, theirs, reason) => {
    const text = `${wrong}: in dag://out/a/ ${reason}: ${correction}`;
    expect(await storageFailures("dag://out/a/", contextOf(own, theirs))).toEqual([{ property: "", reason: text }]);
    const [secret] = await storageFailures("dag://out/a/", contextOf(own, theirs, { secret: true }));
    expect(secret?.reason).toContain(`in [secret] ${reason}`);
  });

  test("every access is refused where it has other objects than the service", async () => {
    const { storage, memory } = contextOf({ ...others, "dag://out/b/0": "x" }, { ...ours, "dag://out/b/0": "x" });
    const [folder, object] = [
      { bucket: "out", key: "a/" },
      { bucket: "out", key: "a/000000_0" },
    ];
    const accesses = [
      () => Array.fromAsync(storage.list(folder)),
      () => Array.fromAsync(storage.folders(folder)),
      () => storage.head(object),
      () => storage.read(object),
      () => storage.write(object, "x"),
      () => storage.copy({ location: object, size: 1, lastModified: new Date(0) }, object),
      () => storage.delete(object),
      () => storage.deleteFolder(folder),
    ];
    for (const access of accesses) await expect(access()).rejects.toThrow(wrong);
    await purge(storage, "dag://out/b/");
    expect(memory.names()).toEqual(["dag://out/a/000000_0"]);
  });

  test("a service that has only the API tells nothing, and everything is done as before", async () => {
    const context = contextOf(ours, ours);
    context.service.storage = undefined;
    const { id, state } = await selectQuery.create(query, context);
    expect(state.result?.objects).toHaveLength(1);
    await selectQuery.delete(id, { inputs: query, state }, context);
    expect(context.memory.names()).toEqual([]);
  });

  test("a service that does not answer: a change is refused, a plan goes on and asks nothing more", async () => {
    const strict = clientWith(unanswered);
    const changed = contextOf(ours, ours, { client: strict.client });
    await expect(listObjects(changed.storage, "dag://out/a/")).rejects.toThrow("no answer");
    await expect(requireServiceStorage("dag://out/a/", changed)).rejects.toThrow("no answer");
    expect(strict.asked[0]?.[1]).toEqual({ signal: changed.signal });
    const quick = clientWith(unanswered);
    const planned = contextOf(ours, ours, { client: quick.client, isPlan: true });
    for (const folder of ["dag://out/a/", "dag://out/b/"]) {
      await listObjects(planned.storage, folder);
      expect(await storageFailures(folder, planned)).toEqual([]);
    }
    expect(quick.asked.map(([, options]) => options)).toEqual([
      { signal: planned.signal, timeout: 10_000, maxRetries: 0 },
    ]);
  });

  test("a service that does not answer: a delete that keeps the table asks once, and says that it keeps it", async () => {
    const { id, state } = await splitTable.create(table, contextOf(ours, ours));
    const { client, asked } = clientWith(unanswered);
    const context = contextOf(ours, ours, { client });
    await splitTable.delete(id, { inputs: { ...table, deletionPolicy: "keep" }, state }, context);
    expect(context.warnings).toEqual([expect.stringContaining("its objects in dag://out/a/ are kept")]);
    expect(asked.map(([, options]) => options?.maxRetries)).toEqual([0]);
  });

  test("a second look that has no answer leaves the difference that the first has found", async () => {
    const none = async () => ({ objects: [], isTruncated: false });
    for (const second of [unanswered, async () => undefined]) {
      const { client } = clientWith(none, second);
      expect(await storageFailures("dag://out/a/", contextOf(ours, {}, { client }))).toHaveLength(1);
    }
  });

  test("objects that a query replaces between the two lists: the second look tells", async () => {
    const storages: MemoryStorage[] = [];
    const sleep = async () => storages[0]!.put("dag://out/a/000000_0", "1\n2\n");
    const context = contextOf(others, ours, { sleep });
    storages.push(context.memory);
    expect(await storageFailures("dag://out/a/", context)).toEqual([]);
  });

  test("temporary objects of running queries tell nothing", async () => {
    const context = contextOf({ "dag://out/tmp/7/0": "x" }, { "dag://out/tmp/8/0": "xy" });
    expect(await storageFailures("dag://out/", context)).toEqual([]);
  });

  test("a bucket that dag:storage lacks has no objects", async () => {
    const [present, absent] = [contextOf({}, ours), contextOf({}, {})];
    for (const { memory } of [present, absent]) {
      memory.broken = true;
      memory.bucketExists = () => Promise.resolve(false);
    }
    expect(await storageFailures("dag://out/a/", present)).toHaveLength(1);
    expect(await storageFailures("dag://out/a/", absent)).toEqual([]);
  });

  test("a folder is asked about once in a run, each for itself, and again when a query has written there", async () => {
    const context = contextOf({ ...ours, "dag://out/b/0": "other" }, { ...ours, "dag://out/b/0": "x" });
    for (let looks = 0; looks < 3; looks += 1) await listObjects(context.storage, "dag://out/a/");
    await listObjects(new ServiceStorage(context.memory, context), "dag://out/a/");
    expect(context.service.listed).toEqual(["dag://out/a/"]);
    await expect(listObjects(context.storage, "dag://out/b/")).rejects.toThrow(wrong);
    context.remote.put("dag://out/a/000000_0", "3\n4\n5\n");
    await listObjects(context.storage, "dag://out/a/");
    await expect(requireServiceStorage("dag://out/a/", context, { isWritten: true })).rejects.toThrow(wrong);
  });
});

describe("with a dag:storage of another environment", () => {
  test.each([
    ["SelectQuery", (context: LifecycleContext) => selectQuery.preflight!(query, context)],
    ["SplitTable", (context: LifecycleContext) => splitTable.preflight!(table, context)],
  ])("preflight of a %s: is a failure, also where the folder is empty there", async (_name, preflight) => {
    for (const own of [others, {}]) {
      const context = contextOf(own, ours, { isPlan: true });
      const failure = { property: "", reason: expect.stringContaining(wrong) as string };
      expect(await preflight(context)).toMatchObject({ failures: [failure] });
      expect(context.warnings).toEqual([]);
    }
  });

  test.each([
    ["SelectQuery", (context: LifecycleContext) => selectQuery.create(query, context)],
    ["SplitTable", (context: LifecycleContext) => splitTable.create(table, context)],
  ])("create of a %s: nothing is submitted", async (_name, create) => {
    for (const own of [others, {}]) {
      const context = contextOf(own, ours);
      await expect(create(context)).rejects.toThrow(wrong);
      expect(context.service.records).toEqual([]);
    }
  });

  test.each([{ inputObjectKeys: ["dag://landing/*.csv"] }, { rerunOnInputChange: true }])(
    "create of a SplitTable with %j: no input is looked for there, and nothing is submitted",
    async (more) => {
      const theirs = { "dag://landing/a.csv": "a\n", "dag://landing/b.csv": "b\n" };
      const context = contextOf({ "dag://landing/a.csv": "staging\n" }, theirs);
      const message = `${wrong}: in dag://landing/`;
      await expect(splitTable.create({ ...table, ...more }, context)).rejects.toThrow(message);
      expect(context.service.records).toEqual([]);
      if (!("inputObjectKeys" in more)) return;
      const { failures } = await splitTable.preflight!({ ...table, ...more }, context);
      expect(failures).toEqual([{ property: "", reason: expect.stringContaining(message) as string }]);
    },
  );

  test("update of a SplitTable that begins to follow its inputs: takes no fingerprint there", async () => {
    const theirs = { ...ours, "dag://landing/a.csv": "a\n" };
    const { id, state } = await splitTable.create(table, contextOf(theirs, theirs));
    const context = contextOf({ ...ours, "dag://landing/a.csv": "staging\n" }, theirs);
    const follows = { ...table, rerunOnInputChange: true };
    await expect(splitTable.update(id, { inputs: table, state }, follows, context)).rejects.toThrow(wrong);
  });

  test.each([
    ["SelectQuery", selectQuery, query],
    ["SplitTable", splitTable, table],
  ] as const)(
    "%s: neither the first nor the second up reads a result there, and a purge keeps it",
    async (...given) => {
      const [, lifecycle, inputs] = given as unknown as [string, typeof selectQuery, typeof query];
      for (const own of [others, {}]) {
        // Before the query, the folder is empty in both.
        const context = contextOf({}, {});
        const begin = () => {
          context.remote.put("dag://out/a/000000_0", "1\n2\n");
          for (const [name, text] of Object.entries<string>(own)) context.memory.put(name, text);
        };
        context.service.trouble = (operation) => void (operation.startsWith("submit") && begin());
        const first = await lifecycle.create(inputs, context).catch((error: unknown) => error as PartialCreate);
        expect(first).toBeInstanceOf(PartialCreate);
        const { reasons, state } = first as PartialCreate<SelectQueryState>;
        expect(reasons[0]).toMatch(/its result cannot be read: dag:storage is not the storage of the service/);
        const stored = { inputs, state };
        const expecting = { ...inputs, expect: { rows: { min: 1 } } };
        const later = { ...context, storage: new ServiceStorage(context.memory, context) };
        for (const news of [inputs, expecting]) {
          await expect(lifecycle.update("1", stored, news, later)).rejects.toThrow(wrong);
        }
        await expect(lifecycle.delete("1", stored, later)).rejects.toThrow(wrong);
        expect(context.memory.names()).toEqual(Object.keys(own));
        // The correct one.
        const right = { ...context, storage: new ServiceStorage(context.remote, context) };
        const updated = await lifecycle.update("1", stored, expecting, right);
        expect(updated).toMatchObject({ status: "finished", result: { objects: [{ size: 4 }] } });
        expect(context.service.records).toHaveLength(1);
      }
    },
  );

  test("update of a good result for other rows, or another expectation: reads nothing there", async () => {
    const { id, state, records } = await made(ours);
    const context = contextOf({ "dag://out/a/000000_0": "7\n" }, ours);
    context.service.records.push(...records);
    const update = (more: object) =>
      selectQuery.update(id, { inputs: query, state }, { ...query, ...more }, context).catch((error: Error) => error);
    for (const more of [{ resultRows: 1 }, { expect: { rows: { min: 5 } } }]) {
      const error = await update(more);
      expect(error).toMatchObject({ message: expect.stringContaining(wrong) as string });
      expect(JSON.stringify(error)).not.toContain("unmetExpectation");
    }
  });

  test.each([{}, others])("refresh with %j: keeps the result, and a purge deletes nothing", async (own) => {
    const { id, state, records } = await made(ours);
    const context = contextOf(own, ours);
    context.service.records.push(...records);
    const found = await selectQuery.read(id, { inputs: query, state }, context);
    expect(found?.state).toEqual(state);
    expect(context.warnings).toEqual([
      `nothing is compared in dag://out/a/: ${wrong}: in dag://out/a/ the service has 1 object, dag:storage has ` +
        `${Object.keys(own).length === 0 ? "none" : "other ones"}: ${correction}`,
    ]);
    await expect(selectQuery.delete(id, { inputs: query, state }, context)).rejects.toThrow(wrong);
    expect(context.memory.names()).toEqual(Object.keys(own));
  });

  test("refresh of a service that does not list its objects now: compares nothing, and says so", async () => {
    const { id, state, records } = await made(ours);
    const { client } = clientWith(unanswered);
    const context = contextOf({}, ours);
    context.service.records.push(...records);
    const asked = { ...context, client: { ...context.client, listObjects: client.listObjects } as unknown as Client };
    const silent = { ...asked, storage: new ServiceStorage(context.memory, asked) };
    expect((await selectQuery.read(id, { inputs: query, state }, silent))?.state).toEqual(state);
    expect(context.warnings).toEqual([expect.stringContaining("cannot see whether dag:storage is the storage of the")]);
    await expect(selectQuery.delete(id, { inputs: query, state }, silent)).rejects.toThrow("no answer");
  });

  test("refresh of an interrupted query that has finished: it stays unfinished, so that its result is checked later", async () => {
    const { id, state, records } = await made(ours);
    const context = contextOf(others, ours);
    context.service.records.push(...records);
    const { result: _result, ...rest } = state;
    const stored = { ...rest, status: "running" as const };
    const inputs = { ...query, expect: { rows: { min: 3 } } };
    expect((await selectQuery.read(id, { inputs, state: stored }, context))?.state).toEqual(stored);
    const split = { ...stored, location: "dag://out/a/", qualifiedName: "out.a" } as never;
    expect((await splitTable.read(id, { inputs: table, state: split }, context))?.state).toEqual(split);
    const right = { ...context, storage: new ServiceStorage(context.remote, context) };
    await expect(selectQuery.update(id, { inputs, state: stored }, inputs, right)).rejects.toThrow(
      "expected at least 3",
    );
  });

  test("a purge deletes nothing there, also where the objects are as a query has published them", async () => {
    const { id, state } = await made(ours);
    const context = contextOf(ours, {});
    await expect(selectQuery.delete(id, { inputs: query, state }, context)).rejects.toThrow(wrong);
    expect(context.memory.names()).toEqual(Object.keys(ours));
  });

  test("an adopted table is not declared deleted", async () => {
    const { state, id } = await splitTable.create(table, contextOf(ours, ours));
    const stored = { inputs: table, state: { ...state, adopted: true } };
    const same = splitTable.diff(stored, table);
    for (const own of [{}, others]) {
      const context = contextOf(own, ours, { isPlan: true });
      expect(await splitTable.withObserved!(id, stored, same, context)).toEqual(same);
      expect(context.warnings).toEqual([expect.stringContaining(`nothing is compared in dag://out/a/: ${wrong}`)]);
    }
    const gone = await splitTable.withObserved!(id, stored, same, contextOf({}, {}));
    expect(gone.replaces).toEqual(["result"]);
  });

  test("a replacement does not tell whose objects are there", async () => {
    const { id, state } = await made(ours);
    const context = contextOf(others, ours, { isPlan: true });
    expect(await selectQuery.othersObjects!(id, { inputs: query, state }, query, context)).toBeUndefined();
    expect(context.warnings).toEqual([expect.stringContaining(`nothing is compared in dag://out/a/: ${wrong}`)]);
  });
});
