import { describe, expect, test } from "vitest";
import { errors } from "../../../../provider/api";
import { PartialCreate, unknown } from "../../../../provider/lifecycles";
import {
  selectQuery,
  type SelectQueryInputs,
  type SelectQueryState,
} from "../../../../provider/lifecycles/selectQuery";
import { checkOptions, testContext, until } from "./context";
import { FakeService } from "./fakeService";
import { MemoryStorage } from "./memoryStorage";

const inputs: SelectQueryInputs = {
  clusterName: "demo",
  query: "SELECT a FROM db.t",
  outputResourcePath: "dag://out/a/",
  label: "daily",
};

describe("check", () => {
  const failures = (given: object, options: Partial<typeof checkOptions> = {}) =>
    selectQuery.check({ ...inputs, ...given }, { ...checkOptions, ...options }).failures;

  test("takes inputs as they are, and adds nothing", () => {
    expect(selectQuery.check(inputs, checkOptions)).toEqual({ inputs, failures: [], warnings: [] });
  });

  test.each([
    [{ clusterName: "no spaces" }, "clusterName", 'clusterName "no spaces" is not valid'],
    [{ query: undefined }, "query", "query is missing"],
    [{ outputResourcePath: "s3://x/y" }, "outputResourcePath", "dag://<bucket>/<path>"],
    [{ outputResourcePath: "dag://out/" }, "outputResourcePath", "it must be a folder below a bucket"],
    [{ outputFormat: "xml" }, "outputFormat", "csv, tsv"],
    [{ resultRows: 1_001 }, "resultRows", "a whole number from 0 to 1000"],
    [{ deletionPolicy: "burn" }, "deletionPolicy", "keep, purge"],
    [{ label: "x".repeat(243) }, "label", "at most 242"],
    [{ querry: "x" }, "querry", "querry is not an input of SelectQuery; it has clusterName, query"],
  ])("refuses %j", (given, property, reason) => {
    expect(failures(given)).toEqual([{ property, reason: expect.stringContaining(reason) as string }]);
  });

  test("says where a statement is no HiveQL, and shows the line", () => {
    const [failure] = failures({ query: "SELECT a\nFORM t WHERE" });
    expect(failure).toMatchObject({ property: "query" });
    expect(failure!.reason).toMatch(/^query cannot run: line 2, column \d+: /);
    expect(failure!.reason).toContain("\n  FORM t WHERE\n");
    expect(failure!.reason.split("\n").at(-1)!.trim()).toBe("^");
  });

  test("shows nothing of a secret statement", () => {
    const [failure] = failures({ query: "SELECT 'hunter2' FORM t t2 x" }, { secret: true });
    expect(failure!.reason).toMatch(/line 1, column \d+/);
    expect(failure!.reason).not.toContain("hunter2");
  });

  test("warns of a statement that only another engine may know", () => {
    const query = "SELECT xpath('<a/>', 'a') FROM db.t";
    const { failures: found, warnings } = selectQuery.check({ ...inputs, query }, checkOptions);
    expect(found).toEqual([]);
    for (const warning of warnings) expect(warning).toMatch(/^query may not run: /);
  });

  test("refuses an output inside a table that the statement reads", () => {
    expect(failures({ query: "SELECT a FROM wildlife.birds", outputResourcePath: "dag://wildlife/birds/sub" })).toEqual(
      [
        {
          property: "outputResourcePath",
          reason: expect.stringContaining("lies in the table wildlife.birds") as string,
        },
      ],
    );
  });

  test("needs storage for purge and rows, and says how to set it", () => {
    for (const given of [{ deletionPolicy: "purge" }, { resultRows: 3 }]) {
      expect(failures(given)).toEqual([]);
      const [failure] = failures(given, { storage: false });
      expect(failure).toMatchObject({ property: Object.keys(given)[0] });
      expect(failure!.reason).toContain("pulumi config set dag:storage");
    }
  });

  test("leaves the whole label where no token is added", () => {
    expect(failures({ label: "x".repeat(255) }, { submissionToken: false })).toEqual([]);
  });

  test("lets pass what is not known yet", () => {
    const given = { clusterName: unknown, query: unknown, outputResourcePath: unknown, label: unknown };
    expect(selectQuery.check(given, checkOptions)).toEqual({ inputs: given, failures: [], warnings: [] });
  });
});

describe("diff", () => {
  const diff = (news: object, state: object = { status: "finished" }) =>
    selectQuery.diff({ inputs, state }, { ...inputs, ...news });

  test("no difference where nothing changed, or only how it is written", () => {
    expect(diff({}).changes).toBe(false);
    expect(diff({ outputFormat: "csv", deletionPolicy: "keep" }).changes).toBe(false);
    expect(diff({ outputResourcePath: "dag://out/a" }).changes).toBe(false);
  });

  test.each([
    { clusterName: "other" },
    { query: "SELECT b FROM db.t" },
    { outputResourcePath: "dag://out/b/" },
    { outputFormat: "tsv" },
    { label: "weekly" },
    { label: undefined },
    { triggers: [1] },
    { query: unknown },
  ])("%o makes a new one, after the old one is gone", (news) => {
    expect(diff(news)).toMatchObject({ changes: true, replaces: Object.keys(news), deleteBeforeReplace: true });
  });

  test.each([{ deletionPolicy: "purge" }, { resultRows: 5 }])("%o is an update", (news) => {
    expect(diff(news)).toMatchObject({ changes: true, replaces: [] });
  });

  test("an unfinished query is to be waited for, a failed one to be run anew", () => {
    expect(diff({}, { status: "running" })).toMatchObject({ changes: true, replaces: [] });
    expect(diff({}, { status: "error" })).toMatchObject({ changes: true, replaces: ["status"] });
    expect(diff({}, { status: "canceled" })).toMatchObject({ changes: true, replaces: ["status"] });
    expect(diff({}, { status: "running", recordExpired: true }).changes).toBe(false);
  });
});

describe("create", () => {
  test("submits, waits, and keeps what became of it", async () => {
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

  test("adds no token where it is turned off", async () => {
    const context = testContext({ submissionToken: false });
    await selectQuery.create(inputs, context);
    expect(context.service.records[0]!.label).toBe("daily");
    expect(context.service.count("listQueries")).toBe(0);
  });

  test("a query that fails is an error with its id, the message and the log's last lines", async () => {
    const context = testContext();
    context.service.manual = true;
    const created = selectQuery.create(inputs, context);
    await until(() => context.service.records.length === 1);
    const log = `${Array.from({ length: 30 }, (_, n) => `line ${n}`).join("\n")}\nfailed: the disk is full\n`;
    context.service.finish(1, "error", log);
    const error = await created.catch((caught: unknown) => caught as Error);
    expect(error).toMatchObject({ code: "QueryFailed" });
    expect((error as Error).message).toMatch(/^query 1 on cluster "demo" failed: failed: the disk is full\n/);
    expect((error as Error).message).toContain("line 29");
    expect((error as Error).message).not.toContain("line 10\n");
    expect(error).not.toBeInstanceOf(PartialCreate);
  });

  test("the log of a failed query stays hidden where an input is secret", async () => {
    const context = testContext({ secret: true });
    context.service.manual = true;
    const created = selectQuery.create(inputs, context);
    await until(() => context.service.records.length === 1);
    context.service.finish(1, "error", "failed on 'hunter2'\n");
    await expect(created).rejects.toThrow(/^query 1 on cluster "demo" failed; its log is not shown/);
  });

  test("a cancelled query is an error too", async () => {
    const context = testContext();
    context.service.manual = true;
    const created = selectQuery.create(inputs, context);
    await until(() => context.service.records.length === 1);
    context.service.finish(1, "canceled");
    await expect(created).rejects.toThrow(/^query 1 on cluster "demo" was cancelled/);
  });

  test("keeps the last 64 KiB of a log, from the beginning of a line", async () => {
    const context = testContext();
    context.service.manual = true;
    const created = selectQuery.create(inputs, context);
    await until(() => context.service.records.length === 1);
    context.service.finish(1, "finished", "a line of text with ümläuts\n".repeat(5_000));
    const { state } = await created;
    expect(Buffer.byteLength(state.log!)).toBeLessThanOrEqual(65_536);
    expect(state.log!.startsWith("a line")).toBe(true);
  });

  test("a log that is gone is a warning, and no failure", async () => {
    const context = testContext();
    context.service.trouble = (operation) =>
      operation === "getQueryLog" ? new errors.InvalidQueryState("the cluster was restarted") : undefined;
    const { state } = await selectQuery.create(inputs, context);
    expect(state).not.toHaveProperty("log");
    expect(context.warnings).toEqual([expect.stringContaining("the log of query 1 is not to be had")]);
  });

  test("lists the result's objects and shows its first rows", async () => {
    const storage = new MemoryStorage({
      "dag://out/a/000000_0": 'owl,"1,5"\nkite,\\N\n',
      "dag://out/a/000001_0": "wren,3\n",
    });
    const { state } = await selectQuery.create({ ...inputs, resultRows: 3 }, testContext({ storage }));
    expect(state.result).toEqual({
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

  test("a result that cannot be looked at keeps the finished query, which is not run anew", async () => {
    const storage = new MemoryStorage({});
    storage.broken = true;
    const context = testContext({ storage });
    const partial = await selectQuery.create(inputs, context).catch((error: unknown) => error as PartialCreate);
    expect(partial).toBeInstanceOf(PartialCreate);
    expect(partial).toMatchObject({ id: "1", state: { status: "finished" } });
    storage.broken = false;
    const { state } = partial as PartialCreate<SelectQueryState>;
    const healed = await selectQuery.update("1", { inputs, state }, inputs, context);
    expect(healed.result).toEqual({ objects: [] });
    expect(context.service.count("submitSelect")).toBe(1);
  });
});

describe("never twice", () => {
  test("a lost answer: the query that arrived is found, and not submitted again", async () => {
    const context = testContext();
    let drops = 1;
    context.service.trouble = (operation) => (operation === "submitSelect" && drops-- > 0 ? "drop after" : undefined);
    expect((await selectQuery.create(inputs, context)).id).toBe("1");
    expect(context.service.records).toHaveLength(1);
  });

  test("a lost answer of a query that ended meanwhile: it is found as well", async () => {
    const context = testContext();
    const old = context.service.add("select", { label: "daily#000000000000" });
    await until(() => old.status === "finished");
    let drops = 1;
    context.service.trouble = (operation) => {
      if (operation !== "submitSelect" || drops-- <= 0) return undefined;
      setTimeout(() => context.service.finish(2), 0);
      return "drop after";
    };
    expect((await selectQuery.create(inputs, context)).id).toBe("2");
    expect(context.service.records).toHaveLength(2);
  });

  test("a request that never arrived: it is sent again", async () => {
    const context = testContext();
    let drops = 1;
    context.service.trouble = (operation) => (operation === "submitSelect" && drops-- > 0 ? "drop before" : undefined);
    expect((await selectQuery.create(inputs, context)).id).toBe("1");
    expect(context.service.count("submitSelect")).toBe(2);
  });

  test("a lost answer without a token: an error that says what to do, and nothing is sent again", async () => {
    const context = testContext({ submissionToken: false });
    context.service.trouble = (operation) => (operation === "submitSelect" ? "drop after" : undefined);
    await expect(selectQuery.create(inputs, context)).rejects.toThrow(/dag:submissionToken is off/);
    expect(context.service.count("submitSelect")).toBe(1);
  });

  test("a killed process: the next one adopts its running query", async () => {
    const service = new FakeService();
    service.manual = true;
    void selectQuery.create(inputs, testContext({ service })).catch(() => {});
    await until(() => service.records.length === 1);
    const next = new FakeService();
    Object.assign(next, { records: service.records, manual: true });
    const context = testContext({ service: next });
    const created = selectQuery.create(inputs, context);
    await until(() => context.infos.length === 1);
    next.finish(1);
    expect((await created).id).toBe("1");
    expect(next.count("submitSelect")).toBe(0);
    expect(context.infos[0]).toContain("query 1 of an earlier run is the same and still runs");
  });

  test("an earlier run that has ended is run again", async () => {
    const service = new FakeService();
    await selectQuery.create(inputs, testContext({ service }));
    expect((await selectQuery.create(inputs, testContext({ service }))).id).toBe("2");
  });

  test("another's running query is not adopted", async () => {
    const context = testContext();
    context.service.add("select", { label: "daily#000000000000" });
    context.service.add("select", { label: "daily" });
    expect((await selectQuery.create(inputs, context)).id).toBe("3");
  });
});

describe("slots", () => {
  test("any number of queries succeeds on any cluster, in order, and the rows say how many are ahead", async () => {
    const service = new FakeService();
    service.slots = 2;
    const contexts = Array.from({ length: 12 }, (_, n) =>
      testContext({ service, urn: `urn:pulumi:dev::unit::dag:index:SelectQuery::q${n}` }),
    );
    const made = await Promise.all(
      contexts.map((context, n) => selectQuery.create({ ...inputs, label: `q${n}` }, context)),
    );
    expect(made.map(({ id }) => Number(id))).toEqual(contexts.map((_, n) => n + 1));
    expect(contexts.at(-1)!.rows).toContain("[1/3] waiting for a slot (11 ahead)");
    // One is refused before the queue knows that the cluster is full.
    expect(service.count("submitSelect")).toBeLessThanOrEqual(12 + 1);
    expect(service.count("listQueries")).toBeLessThanOrEqual(2);
  });

  test("a cluster that is about to come is waited for", async () => {
    const context = testContext();
    context.service.cluster.status = "restarting";
    context.service.trouble = (operation) =>
      operation === "submitSelect" && context.service.cluster.status === "restarting"
        ? new errors.InvalidClusterState("it is restarting")
        : undefined;
    const created = selectQuery.create(inputs, context);
    await until(() => context.rows.includes("[1/3] waiting for cluster demo (restarting)"));
    context.service.cluster.status = "norm";
    expect((await created).id).toBe("1");
  });

  test("a cluster that will not come by itself is an error", async () => {
    const context = testContext();
    context.service.cluster.status = "stopped";
    context.service.trouble = (operation) =>
      operation === "submitSelect" ? new errors.InvalidClusterState("it is stopped") : undefined;
    await expect(selectQuery.create(inputs, context)).rejects.toThrow("it is stopped");
  });
});

describe("an interrupted wait", () => {
  const interrupted = async (
    given: Parameters<typeof testContext>[0],
    after: (service: FakeService) => void = () => {},
  ) => {
    const context = testContext(given);
    context.service.manual = true;
    const created = selectQuery.create(inputs, context).catch((error: unknown) => error as PartialCreate);
    await until(() => context.service.records.length === 1);
    after(context.service);
    return { context, partial: await created };
  };

  test("keeps the id and the state at the timeout, and says how to go on", async () => {
    const { partial } = await interrupted({ timeout: 40 });
    expect(partial).toBeInstanceOf(PartialCreate);
    expect(partial).toMatchObject({ id: "1", state: { queryId: 1, status: "running", location: "dag://out/a/" } });
    expect((partial as PartialCreate).reasons[0]).toMatch(/^query 1 still runs after 40 ms .*run "pulumi up" again/);
  });

  test("keeps them at the signal", async () => {
    const stop = new AbortController();
    const { partial } = await interrupted({ signal: stop.signal }, () => stop.abort());
    expect(partial).toMatchObject({ id: "1", state: { status: "running" } });
  });

  test("keeps them where the record is gone, and never runs it again by itself", async () => {
    const { partial } = await interrupted({}, (service) => service.forget(1));
    expect(partial).toMatchObject({ id: "1" });
    expect((partial as PartialCreate).reasons[0]).toContain('change "triggers" to run it again');
  });

  test("update goes on waiting for that same query", async () => {
    const { context, partial } = await interrupted({ timeout: 40 });
    const { state } = partial as PartialCreate<SelectQueryState>;
    const updated = selectQuery.update("1", { inputs, state }, inputs, { ...context, timeout: 60_000 });
    context.service.finish(1);
    expect(await updated).toMatchObject({ status: "finished", log: "done\n" });
    expect(context.service.count("submitSelect")).toBe(1);
  });

  test("update of one that failed meanwhile keeps it as failed, so that it is replaced", async () => {
    const { context, partial } = await interrupted({ timeout: 40 });
    context.service.finish(1, "error", "failed: no\n");
    const { state } = partial as PartialCreate<SelectQueryState>;
    const failed = await selectQuery
      .update("1", { inputs, state }, inputs, context)
      .catch((error: unknown) => error as PartialCreate);
    expect(failed).toMatchObject({ id: "1", state: { status: "error" } });
    expect((failed as PartialCreate).reasons[0]).toContain("failed: no");
    expect(
      selectQuery.diff({ inputs, state: (failed as PartialCreate<SelectQueryState>).state }, inputs).replaces,
    ).toEqual(["status"]);
  });
});

describe("read", () => {
  test("keeps what is known, and takes what the service says", async () => {
    const context = testContext();
    const { id, state } = await selectQuery.create(inputs, context);
    expect(await selectQuery.read(id, { inputs, state }, context)).toEqual({ id, inputs, state });
  });

  test("a record that is gone is no reason to run again", async () => {
    const context = testContext();
    const { id, state } = await selectQuery.create(inputs, context);
    context.service.forget(1);
    const found = await selectQuery.read(id, { inputs, state }, context);
    expect(found).toEqual({ id, inputs, state: { ...state, recordExpired: true } });
    expect(selectQuery.diff(found!, inputs).changes).toBe(false);
    expect(context.warnings).toEqual([expect.stringContaining("no longer has the record of query 1")]);
  });

  test("finds a query by its id alone, with the inputs that would make it", async () => {
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
  });

  test("collects the result of a query that has finished since", async () => {
    const storage = new MemoryStorage({ "dag://out/a/000000_0": "1\n" });
    const context = testContext({ storage });
    const { id, state } = await selectQuery.create(inputs, context);
    const { log: _log, result: _result, ...rest } = state;
    const found = await selectQuery.read(id, { inputs, state: { ...rest, status: "running" } }, context);
    expect(found!.state).toEqual(state);
  });

  test("refuses a split's id", async () => {
    const context = testContext();
    context.service.add("split", { outputTable: "t", outputDatabase: "db", inputObjectKeys: [] });
    await expect(selectQuery.read("1", undefined, context)).rejects.toThrow("it belongs to a SplitTable");
  });
});

describe("delete", () => {
  test("cancels a running query, and waits until it has ended", async () => {
    const context = testContext();
    context.service.manual = true;
    const { id } = context.service.add("select", { outputResourcePath: "dag://out/a/" });
    await selectQuery.delete(String(id), { inputs, state: { status: "running" } as never }, context);
    expect(context.service.records[0]!.status).toBe("canceled");
  });

  test("asks nothing of a query that has ended, and keeps its output", async () => {
    const storage = new MemoryStorage({ "dag://out/a/000000_0": "1\n" });
    const context = testContext({ storage });
    await selectQuery.delete("1", { inputs, state: { status: "finished" } as never }, context);
    expect(context.service.calls).toEqual([]);
    expect(storage.names()).toEqual(["dag://out/a/000000_0"]);
  });

  test("is content with a query that is gone or has ended by itself", async () => {
    const context = testContext();
    await selectQuery.delete("9", { inputs, state: { status: "running" } as never }, context);
    await selectQuery.create(inputs, context);
    await selectQuery.delete("1", { inputs, state: { status: "running" } as never }, context);
  });

  test("purge deletes the output and nothing else", async () => {
    const storage = new MemoryStorage({ "dag://out/a/000000_0": "1\n", "dag://out/ab/000000_0": "2\n" });
    const purging = { ...inputs, deletionPolicy: "purge" as const };
    await selectQuery.delete(
      "1",
      { inputs: purging, state: { status: "finished" } as never },
      testContext({ storage }),
    );
    expect(storage.names()).toEqual(["dag://out/ab/000000_0"]);
  });

  test("purge without storage is an error that names the remedy", async () => {
    const purging = { ...inputs, deletionPolicy: "purge" as const };
    const deleted = selectQuery.delete("1", { inputs: purging, state: { status: "finished" } as never }, testContext());
    await expect(deleted).rejects.toThrow("pulumi config set dag:storage");
  });
});

test("forewarn: tells of objects that the result will replace", async () => {
  const storage = new MemoryStorage({ "dag://out/a/old.csv": "1\n" });
  const { warnings, warn } = testContext();
  await selectQuery.forewarn!(inputs, { storage, warn });
  await selectQuery.forewarn!({ ...inputs, outputResourcePath: "dag://out/b/" }, { storage, warn });
  expect(warnings).toEqual(["dag://out/a/ holds objects: they are deleted when the query's result is complete"]);
});
