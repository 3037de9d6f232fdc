import { describe, expect, test } from "vitest";
import { errors } from "../../../../../contract";
import { PartialCreate } from "../../../../../provider/lifecycles";
import {
  selectQuery,
  type SelectQueryInputs,
  type SelectQueryState,
} from "../../../../../provider/lifecycles/resources/select-query";
import { testContext, until } from "../context";
import { MemoryStorage } from "../memory-storage";

const inputs: SelectQueryInputs = {
  clusterName: "demo",
  query: "SELECT a FROM db.t",
  outputResourcePath: "dag://out/a/",
  label: "daily",
};

describe("create", () => {
  test("submits the query, waits, and stores its outputs", async () => {
    const context = testContext();
    const { id, state } = await selectQuery.create(inputs, context);
    expect(id).toBe("1");
    expect(state).toEqual({
      queryId: 1,
      status: "finished",
      progress: "100%",
      stage: 1,
      startTime: "2026-11-20 12:00:00",
      accessKeyId: "AK",
      location: "dag://out/a/",
      log: "done\n",
    });
    expect(context.service.records[0]!.label).toMatch(/^daily#[0-9a-f]{12}$/);
    expect(context.rows).toContain("[2/3] running 0% · stage 1 · query 1");
  });

  test("adds no token when dag:submissionToken is false", async () => {
    const context = testContext({ submissionToken: false });
    await selectQuery.create(inputs, context);
    expect(context.service.records[0]!.label).toBe("daily");
    expect(context.service.count("listQueries")).toBe(0);
  });

  test("a failed query is an error with its id, the message and the last lines of the log", async () => {
    const context = testContext();
    context.service.manual = true;
    const created = selectQuery.create(inputs, context);
    await until(() => context.service.records.length === 1);
    const time = "2026-11-20T12:00:01.000Z";
    const log = `${Array.from({ length: 30 }, (_, n) => `line ${n}`).join("\n")}\n${time} failed: the disk is full\n${time} error after 2 s\n`;
    context.service.finish(1, "error", log);
    const error = await created.catch((caught: unknown) => caught as Error);
    expect(error).toMatchObject({ code: "QueryFailed" });
    expect((error as Error).message).toMatch(/^query 1 on cluster "demo" failed: the disk is full\n/);
    expect((error as Error).message).toContain("line 29");
    expect((error as Error).message).not.toContain("line 10\n");
    expect(error).not.toBeInstanceOf(PartialCreate);
  });

  test("the row and the message of a failed query name its page in the console", async () => {
    const context = testContext({ consoleUrl: "http://127.0.0.1:9393" });
    context.service.manual = true;
    const created = selectQuery.create(inputs, context);
    await until(() => context.service.records.length === 1);
    context.service.finish(1, "error", "failed: the disk is full\n");
    await expect(created).rejects.toThrow(
      /^query 1 on .*\nThe query in the console: http:\/\/127\.0\.0\.1:9393\/console\/queries\/1$/s,
    );
    expect(context.rows).toContain("[2/3] running · query 1 · http://127.0.0.1:9393/console/queries/1");
  });

  test("the log of a failed query is not shown when an input is secret", async () => {
    const context = testContext({ secret: true });
    context.service.manual = true;
    const created = selectQuery.create(inputs, context);
    await until(() => context.service.records.length === 1);
    context.service.finish(1, "error", "failed on 'hunter2'\n");
    await expect(created).rejects.toThrow(/^query 1 on cluster "\[secret\]" failed; its log is not shown/);
  });

  test("a cancelled query is an error too", async () => {
    const context = testContext();
    context.service.manual = true;
    const created = selectQuery.create(inputs, context);
    await until(() => context.service.records.length === 1);
    context.service.finish(1, "canceled");
    await expect(created).rejects.toThrow(/^query 1 on cluster "demo" was cancelled/);
  });

  test("stores the last 64 KiB of a log, from the beginning of a line", async () => {
    const context = testContext();
    context.service.manual = true;
    const created = selectQuery.create(inputs, context);
    await until(() => context.service.records.length === 1);
    context.service.finish(1, "finished", "a line of text with ümläuts\n".repeat(5_000));
    const { state } = await created;
    expect(Buffer.byteLength(state.log!)).toBeLessThanOrEqual(65_536);
    expect(state.log!.startsWith("a line")).toBe(true);
  });

  test("a missing log is a warning, not an error", async () => {
    const context = testContext();
    context.service.trouble = (operation) =>
      operation === "getQueryLog" ? new errors.InvalidQueryState("the cluster was restarted") : undefined;
    const { state } = await selectQuery.create(inputs, context);
    expect(state).not.toHaveProperty("log");
    expect(context.warnings).toEqual([expect.stringContaining("cannot read the log of query 1")]);
  });

  test("an update to more rows of a result that was deleted says how it is made again", async () => {
    const storage = new MemoryStorage({ "dag://out/a/000000_0": "owl,1\n" });
    const context = testContext({ storage });
    const { id, state } = await selectQuery.create(inputs, context);
    await storage.deleteFolder({ bucket: "out", key: "a/" });
    const update = selectQuery.update(id, { inputs, state }, { ...inputs, resultRows: 2 }, context);
    await expect(update).rejects.toThrow('were deleted: run "pulumi up --refresh", which makes it again');
  });

  test("lists the result's objects and returns its first rows", async () => {
    const storage = new MemoryStorage({
      "dag://out/a/000000_0": 'owl,"1,5"\nkite,\\N\n',
      "dag://out/a/000001_0": "wren,3\n",
    });
    const { state } = await selectQuery.create({ ...inputs, resultRows: 3 }, testContext({ storage }));
    expect(state.result).toEqual({
      etag: expect.any(String),
      objects: [
        { location: "dag://out/a/000000_0", size: 18 },
        { location: "dag://out/a/000001_0", size: 7 },
      ],
      rows: [
        ["owl", "1,5"],
        ["kite", null],
        ["wren", "3"],
      ],
    });
  });

  test("stores the first rows also where 16 MiB of them end inside quotes, and refuses to store fewer than asked", async () => {
    const cell = `"${"l\n".repeat(100_000)}"`;
    const storage = new MemoryStorage({ "dag://out/a/000000_0": `${cell}\n`.repeat(90) });
    const { state } = await selectQuery.create({ ...inputs, resultRows: 80 }, testContext({ storage }));
    expect(state.result?.rows).toHaveLength(80);
    const partial = await selectQuery
      .create({ ...inputs, resultRows: 90 }, testContext({ storage }))
      .catch((error) => error);
    expect(partial).toBeInstanceOf(PartialCreate);
    expect((partial as PartialCreate).reasons.join()).toContain(
      "the first 90 rows of the result's object 000000_0 have more than 16 MiB, the most that is read of an object: set resultRows to at most 83",
    );
  });

  test("a result that cannot be read keeps the finished query, which is not run again", async () => {
    const storage = new MemoryStorage({});
    storage.broken = true;
    const context = testContext({ storage });
    const partial = await selectQuery.create(inputs, context).catch((error: unknown) => error as PartialCreate);
    expect(partial).toBeInstanceOf(PartialCreate);
    const { state } = partial as PartialCreate<SelectQueryState>;
    // A refresh removes the engine's own mark of an unfinished resource.
    expect((await selectQuery.read("1", { inputs, state }, context))?.state).toEqual(state);
    expect(context.warnings).toEqual([
      expect.stringContaining("cannot read the result of query 1: StorageAccessError"),
    ]);
    expect(selectQuery.diff({ inputs, state }, inputs)).toMatchObject({ changes: true, replaces: [] });
    storage.broken = false;
    const refreshed = await selectQuery.read("1", { inputs, state }, context);
    const healed = await selectQuery.update("1", { inputs, state }, inputs, context);
    for (const found of [refreshed?.state, healed]) {
      expect(found).toMatchObject({ status: "finished", result: { objects: [] } });
    }
    expect(context.service.count("submitSelect")).toBe(1);
  });
});

describe("read", () => {
  test("keeps the stored state, and updates it from the query's record", async () => {
    const context = testContext();
    const { id, state } = await selectQuery.create(inputs, context);
    expect(await selectQuery.read(id, { inputs, state }, context)).toEqual({ id, inputs, state });
  });

  test("a missing record does not run the query again", async () => {
    const context = testContext();
    const { id, state } = await selectQuery.create(inputs, context);
    context.service.forget(1);
    const found = await selectQuery.read(id, { inputs, state }, context);
    expect(found).toEqual({ id, inputs, state: { ...state, recordExpired: true } });
    expect(selectQuery.diff(found!, inputs).changes).toBe(false);
    expect(context.warnings).toEqual([expect.stringContaining("no longer has the record of query 1")]);
  });

  test("a missing record of a query that had not ended: the next up fails, and does not run it again", async () => {
    const context = testContext();
    const { id, state } = await selectQuery.create(inputs, context);
    context.service.forget(1);
    const found = await selectQuery.read(id, { inputs, state: { ...state, status: "running" } }, context);
    expect(found!.state).toMatchObject({ status: "running", recordExpired: true });
    expect(context.warnings).toEqual([expect.stringContaining("How it ended is unknown")]);
    expect(selectQuery.diff(found!, inputs)).toMatchObject({ changes: true, replaces: [] });
    const update = selectQuery.update(id, { inputs, state: found!.state }, inputs, context);
    await expect(update).rejects.toMatchObject({ reasons: [expect.stringContaining("its final status is unknown")] });
    expect(context.service.count("submitSelect")).toBe(1);
  });

  test("reads a query by its id alone, with the inputs that would create it", async () => {
    const context = testContext();
    await selectQuery.create(inputs, context);
    const found = await selectQuery.read("1", undefined, context);
    expect(found).toMatchObject({
      id: "1",
      inputs: { ...inputs, outputFormat: "csv" },
      state: { status: "finished", log: "done\n" },
    });
    expect(selectQuery.diff(found!, inputs).changes).toBe(false);
    expect(await selectQuery.read("7", undefined, context)).toBeUndefined();
    expect(context.warnings).toEqual([]);
    await selectQuery.read("1", undefined, { ...context, urn: "urn:pulumi:other::p::dag:index:SelectQuery::q" });
    expect(context.warnings).toEqual([
      expect.stringContaining(
        'After an import, both own its objects while a stack has that resource, and deletionPolicy "purge" of one deletes what the other has',
      ),
    ]);
    const lookup = { ...context, urn: "urn:pulumi:other::p::dag:index:SelectQuery::q", isLookup: true };
    await selectQuery.read("1", undefined, lookup);
    expect(context.warnings).toHaveLength(1);
  });

  test("an import of a result that is gone, or another query's, is refused", async () => {
    const storage = new MemoryStorage({ "dag://out/a/000000_0": "1\n" });
    const context = testContext({ storage });
    await selectQuery.create(inputs, context);
    expect(await selectQuery.read("1", undefined, context)).toMatchObject({ id: "1" });
    await selectQuery.create({ ...inputs, query: "SELECT 777" }, context);
    const overwritten = "the objects in dag://out/a/ are not those of query 1: query 2 has published there since";
    await expect(selectQuery.read("1", undefined, context)).rejects.toThrow(overwritten);
    context.service.output = { location: "dag://out/a/", queryId: 2 };
    await expect(selectQuery.read("1", undefined, context)).rejects.toThrow(
      `${overwritten}: use the id of the query that published them (2)`,
    );
    context.service.output = { location: "dag://out/a/", others: "dag://out/a/ has 1 object, changed since" };
    const makes = "do not import it, nor read it with get, so that a resource of the program makes the result";
    await expect(selectQuery.read("2", undefined, context)).rejects.toThrow(
      `they are not, or not only, those that query 2 published: ${makes}`,
    );
    await storage.deleteFolder({ bucket: "out", key: "a/" });
    await expect(selectQuery.read("2", undefined, context)).rejects.toThrow(
      `the objects that query 2 published in dag://out/a/ were deleted: ${makes}`,
    );
    await expect(selectQuery.read("2", undefined, { ...context, isLookup: true })).rejects.toThrow(
      'were deleted: make the result with a resource of this program, or with "pulumi up --refresh" of the stack that has ' +
        "the resource of query 2, and use the id of the query that this runs",
    );
  });

  test.each([
    ["error", "query 1 failed (status error)"],
    ["canceled", "query 1 was cancelled (status canceled)"],
  ] as const)(
    "an import of a query with status %s is refused, and a lookup and a refresh are not",
    async (status, text) => {
      const context = testContext();
      const { id, state } = await selectQuery.create(inputs, context);
      context.service.records[0]!.status = status;
      const remedy = 'use the id of a query that has finished, or do not import it, so that "pulumi up" runs the query';
      await expect(selectQuery.read(id, undefined, context)).rejects.toThrow(
        `${text}, so it has published no objects: ${remedy}`,
      );
      const lookup = { ...context, isLookup: true };
      expect(await selectQuery.read(id, undefined, lookup)).toMatchObject({ state: { status } });
      expect(await selectQuery.read(id, { inputs, state }, context)).toMatchObject({ state: { status } });
    },
  );

  test("collects the result of a query that finished after the last run", async () => {
    const storage = new MemoryStorage({ "dag://out/a/000000_0": "1\n" });
    const context = testContext({ storage });
    const { id, state } = await selectQuery.create(inputs, context);
    const { log: _log, result: _result, ...rest } = state;
    const found = await selectQuery.read(id, { inputs, state: { ...rest, status: "running" } }, context);
    expect(found!.state).toEqual(state);
  });

  test("rejects the id of a split", async () => {
    const context = testContext();
    context.service.add("split", { outputTable: "t", outputDatabase: "db", inputObjectKeys: [] });
    await expect(selectQuery.read("1", undefined, context)).rejects.toThrow("not a select: use a SplitTable for it");
  });
});

/** What happened to a result before its resource is deleted. */
interface Kept {
  readonly withState?: boolean;
  readonly changed?: boolean;
  readonly status?: "canceled";
  readonly later?: boolean;
  readonly expired?: boolean;
}

describe("delete", () => {
  test("cancels a running query, and waits until it has ended", async () => {
    const context = testContext();
    context.service.manual = true;
    const { id } = context.service.add("select", { outputResourcePath: "dag://out/a/" });
    await selectQuery.delete(String(id), { inputs, state: { status: "running" } as never }, context);
    expect(context.service.records[0]!.status).toBe("canceled");
    expect(context.infos).toEqual([`query ${id}, which still runs, is cancelled with its resource`]);
  });

  test("sends no request for a query that has ended, and keeps its output", async () => {
    const storage = new MemoryStorage({ "dag://out/a/000000_0": "1\n" });
    const context = testContext({ storage });
    await selectQuery.delete("1", { inputs, state: { status: "finished" } as never }, context);
    expect(context.service.calls).toEqual([]);
    expect(storage.names()).toEqual(["dag://out/a/000000_0"]);
  });

  test("succeeds when the query no longer exists or has already ended", async () => {
    const context = testContext();
    await selectQuery.delete("9", { inputs, state: { status: "running" } as never }, context);
    await selectQuery.create(inputs, context);
    await selectQuery.delete("1", { inputs, state: { status: "running" } as never }, context);
  });

  test("purge waits for a result that is being published, which cannot be cancelled any more, and deletes it", async () => {
    const storage = new MemoryStorage({});
    const context = testContext({ storage });
    const { service } = context;
    service.manual = true;
    const { id } = service.add("select", inputs);
    let looks = 0;
    service.trouble = (operation) => {
      if (operation === "cancelQuery") return new errors.InvalidQueryState("its result is being published");
      if (operation === "getQuery" && (looks += 1) === 2) {
        storage.put("dag://out/a/000000_0", "1\n");
        service.finish(id);
      }
      return undefined;
    };
    const purging = { ...inputs, deletionPolicy: "purge" as const };
    await selectQuery.delete(String(id), { inputs: purging, state: { status: "running" } as never }, context);
    expect(service.records[0]!.status).toBe("finished");
    expect(storage.names()).toEqual([]);
  });

  test("purge deletes the output and nothing else", async () => {
    const storage = new MemoryStorage({ "dag://out/a/000000_0": "1\n", "dag://out/ab/000000_0": "2\n" });
    const purging = { ...inputs, deletionPolicy: "purge" as const };
    const context = testContext({ storage });
    const { id, state } = await selectQuery.create(purging, context);
    await selectQuery.delete(id, { inputs: purging, state }, context);
    expect(storage.names()).toEqual(["dag://out/ab/000000_0"]);
    expect(context.warnings).toEqual([]);
  });

  test.each([
    ["that changed since", { withState: true, changed: true }, "query 1 wrote dag://out/a/000000_0 with other content"],
    ["of a query that did not finish", { status: "canceled" }, "query 1 did not publish them"],
    ["to which a later query published", { later: true }, "query 2 has published there since"],
    ["whose query has no record", { expired: true }, "no longer has the record of query 1"],
  ] as const)("purge keeps objects %s, and says why", async (_what, given: Kept, reason) => {
    const storage = new MemoryStorage({ "dag://out/a/000000_0": "1\n" });
    const context = testContext({ storage });
    const purging = { ...inputs, deletionPolicy: "purge" as const };
    const { state } = await selectQuery.create(purging, context);
    const [record] = context.service.records;
    if (given.status) record!.status = given.status;
    if (given.later) {
      context.service.add("select", { ...inputs, outputResourcePath: "dag://out/a" });
      context.service.records[1]!.status = "finished";
    }
    if (given.expired) context.service.records.pop();
    if (given.changed) storage.put("dag://out/a/000000_0", "10\n");
    // A state of an earlier version has no etag, and one of a time without storage no list of objects.
    const { result: _none, ...without } = state;
    await selectQuery.delete("1", { inputs: purging, state: given.withState ? state : without }, context);
    expect(storage.names()).toEqual(["dag://out/a/000000_0"]);
    expect(context.warnings).toEqual([expect.stringContaining(reason)]);
  });

  test("purge deletes what a state of an earlier version lists, while no later query published there", async () => {
    const storage = new MemoryStorage({ "dag://out/a/000000_0": "1\n" });
    const context = testContext({ storage });
    const purging = { ...inputs, deletionPolicy: "purge" as const };
    const { id, state } = await selectQuery.create(purging, context);
    const { etag: _new, ...earlier } = state.result!;
    await selectQuery.delete(id, { inputs: purging, state: { ...state, result: earlier } }, context);
    expect(storage.names()).toEqual([]);
  });

  test("purge without dag:storage is an error that names the remedy", async () => {
    const purging = { ...inputs, deletionPolicy: "purge" as const };
    const deleted = selectQuery.delete("1", { inputs: purging, state: { status: "finished" } as never }, testContext());
    await expect(deleted).rejects.toThrow("pulumi config set dag:storage");
  });
});
