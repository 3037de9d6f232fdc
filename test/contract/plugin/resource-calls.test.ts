import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configuration, PluginProcess, secret, select, table, unknownText, urnOf } from "./plugin-process";

const urn = urnOf("SelectQuery", "one");

let plugin: PluginProcess;
beforeAll(async () => {
  plugin = await PluginProcess.start();
  await plugin.handshake();
  await plugin.configure(configuration);
});
afterAll(() => plugin?.[Symbol.asyncDispose]());

/** The hidden input that the check of a new resource adds. */
const created = { __gen: expect.any(String) as string };

describe("inputs", () => {
  test("check: removes inputs that equal their default, because the state stores inputs twice", async () => {
    const news = { ...select, outputFormat: "csv", deletionPolicy: "keep" };
    expect(await plugin.check(urn, news)).toEqual({ inputs: { ...select, ...created }, failures: [] });
  });

  test("check: a new resource gets a generation, and an existing one keeps what it has", async () => {
    const { inputs } = await plugin.check(urn, select);
    expect((await plugin.check(urn, select, { olds: inputs })).inputs).toEqual(inputs);
    expect((await plugin.check(urn, select, { olds: select })).inputs).toEqual(select);
    expect((await plugin.check(urn, select)).inputs).not.toEqual(inputs);
  });
});

describe("differences", () => {
  const tableUrn = urnOf("SplitTable", "t");
  const made = { ...table, outputTable: "t", inputObjectKeys: ["dag://data/a.csv", "dag://data/b.csv"] };
  const finished = { status: "finished", queryId: 1, progress: "100%", startTime: "", accessKeyId: "AK" };
  const oldTable = {
    inputs: made,
    properties: { ...made, ...finished, location: "dag://tables/t/", qualifiedName: "tables.t" },
  };
  const oldQuery = (inputs: object) => ({
    inputs: { ...inputs },
    properties: { ...inputs, ...finished, stage: 1, location: "dag://results/one/" },
  });

  test("diff: names the changed element of a list, and replaces by the list", async () => {
    const news = { ...made, inputObjectKeys: ["dag://data/a.csv", "dag://data/c.csv", "dag://data/d.csv"] };
    expect(await plugin.diff(tableUrn, "1", oldTable, news)).toEqual({
      changes: true,
      replaces: ["inputObjectKeys"],
      deleteBeforeReplace: true,
      detailedDiff: { "inputObjectKeys[1]": "UPDATE_REPLACE", "inputObjectKeys[2]": "ADD_REPLACE" },
    });
    const fewer = await plugin.diff(tableUrn, "1", oldTable, { ...made, inputObjectKeys: ["dag://data/a.csv"] });
    expect(fewer.detailedDiff).toEqual({ "inputObjectKeys[1]": "DELETE_REPLACE" });
  });

  test("diff: reports added and deleted values", async () => {
    const old = oldQuery({ ...select, outputFormat: "tsv", triggers: { day: 1, of: ["x"] }, resultRows: 2 });
    const news = { ...select, label: "nightly", triggers: { day: 2, of: ["x"] } };
    const { detailedDiff, replaces } = await plugin.diff(urn, "1", old, news);
    expect(detailedDiff).toEqual({
      outputFormat: "DELETE_REPLACE",
      label: "ADD_REPLACE",
      "triggers.day": "UPDATE_REPLACE",
      resultRows: "DELETE",
    });
    expect(replaces.toSorted()).toEqual(["label", "outputFormat", "triggers"]);
  });

  test("diff: finds no difference between equal secret and plain values", async () => {
    const old = oldQuery({ ...select, query: secret(select.query) });
    for (const query of [secret(select.query), select.query]) {
      expect(await plugin.diff(urn, "1", old, { ...select, query })).toMatchObject({ changes: false });
    }
  });

  test("diff: ignores changes of ignored inputs, but not an unfinished status", async () => {
    const news = { ...select, query: "SELECT 2 AS two", triggers: [1, 2] };
    const old = oldQuery({ ...select, triggers: [1, 1] });
    expect(await plugin.diff(urn, "1", old, news, ["query", "triggers[1]"])).toMatchObject({
      changes: false,
      replaces: [],
      detailedDiff: {},
    });
    expect(await plugin.diff(urn, "1", old, news, ["query"])).toMatchObject({ replaces: ["triggers"] });
    const running = { ...old, properties: { ...old.properties, status: "running" } };
    expect(await plugin.diff(urn, "1", running, news, ["*"])).toMatchObject({ detailedDiff: { status: "UPDATE" } });
  });

  test("diff: a state of the dynamic provider needs an update, for each resource type", async () => {
    const hidden = { __provider: "code", __dag: "urn" };
    const kinds: Record<string, [object, object]> = {
      SelectQuery: [select, { ...finished, stage: 1 }],
      SplitTable: [made, finished],
      ClusterRestart: [{ clusterName: "demo" }, { type: "duckdb", debug: false, status: "norm", restartedAt: "x" }],
      ClusterLogExport: [{ clusterName: "demo", outputLogPath: "dag://logs/demo/" }, { exportedAt: "x" }],
    };
    for (const [kind, [inputs, state]] of Object.entries(kinds)) {
      const old = { inputs: { ...inputs, ...hidden }, properties: { ...inputs, ...hidden, ...state } };
      const found = await plugin.diff(urnOf(kind, "moved"), "1", old, { ...inputs });
      expect(found, kind).toMatchObject({ changes: true, replaces: [], detailedDiff: { __provider: "DELETE" } });
    }
  });

  test("diff: uses the properties as inputs when an old engine sends no inputs", async () => {
    const { properties } = oldQuery(select);
    expect(await plugin.diff(urn, "1", { inputs: {}, properties }, select)).toMatchObject({ changes: false });
  });
});

describe("ids", () => {
  test.each(["abc", "-5", "1.5", "1e3", " 12 ", "", "0", "99999999999999999999"])(
    "read: %j is no query, and says what an id is",
    async (id) => {
      await expect(plugin.read(urn, id)).rejects.toThrow(`the id "${id}" of a SelectQuery is not valid`);
      await expect(plugin.read(urnOf("SplitTable", "t"), id)).rejects.toThrow(
        `the id "${id}" of a SplitTable is not valid`,
      );
    },
  );

  test.each(["demo", "demo/logs", "demo/dag://x/y", "de mo/dag://logs/x/"])(
    "read: %j is not the id of a log export, and the error describes the id",
    async (id) => {
      const failure = plugin.read(urnOf("ClusterLogExport", "e"), id);
      await expect(failure).rejects.toThrow(`the id "${id}" of a ClusterLogExport is not valid`);
    },
  );
});

describe("names", () => {
  const seed = new Uint8Array([1, 2, 3]);
  const tableUrn = urnOf("SplitTable", "My-Events");
  const nameOf = async (options: Parameters<PluginProcess["check"]>[2]) => {
    const { inputs, failures } = await plugin.check(tableUrn, table, options);
    return failures.length > 0 ? failures : inputs["outputTable"];
  };

  test("check: generates the same table name from the resource's name and the engine's seed each time", async () => {
    const name = await nameOf({ randomSeed: seed });
    expect(name).toMatch(/^my_events_[0-9a-f]{7}$/);
    expect(await nameOf({ randomSeed: seed })).toBe(name);
    expect(await nameOf({ randomSeed: new Uint8Array([9]) })).not.toBe(name);
  });

  test("check: generates a valid table name from any resource name", async () => {
    for (const [name, word] of [
      ["Größe 表", "gr__e___"],
      ["a::b", "a__b_"],
      ["x".repeat(200), `${"x".repeat(120)}_`],
    ] as const) {
      const { inputs } = await plugin.check(urnOf("SplitTable", name), table, { randomSeed: seed });
      expect(inputs["outputTable"]).toMatch(new RegExp(`^${word}[0-9a-f]{7}$`));
    }
  });

  test("check: keeps the existing name of the resource", async () => {
    expect(await nameOf({ randomSeed: seed, olds: { ...table, outputTable: "kept" } })).toBe("kept");
  });

  test("check: applies the autonaming setting", async () => {
    expect(await nameOf({ autonaming: { mode: "PROPOSE", proposedName: "My-Events-77" } })).toBe("my_events_77");
    expect(await nameOf({ autonaming: { mode: "ENFORCE", proposedName: "events" } })).toBe("events");
    expect(await nameOf({ autonaming: { mode: "ENFORCE", proposedName: "My-Events" } })).toEqual([
      { property: "outputTable", reason: expect.stringContaining("pulumi:autonaming") },
    ]);
    expect(await nameOf({ autonaming: { mode: "DISABLE", proposedName: "" } })).toEqual([
      { property: "outputTable", reason: expect.stringContaining("autonaming is disabled") },
    ]);
  });
});

describe("a preview", () => {
  test("check: returns unknown inputs unchanged, also in lists", async () => {
    const news = { ...select, query: unknownText, triggers: ["a", unknownText] };
    expect(await plugin.check(urn, news)).toEqual({ inputs: { ...news, ...created }, failures: [] });
    const keys = { ...table, outputTable: "t", inputObjectKeys: [unknownText, "dag://data/b.csv"] };
    expect(await plugin.check(urnOf("SplitTable", "t"), keys)).toEqual({
      inputs: { ...keys, ...created },
      failures: [],
    });
  });

  test("check: reports invalid inputs beside unknown ones", async () => {
    const { failures } = await plugin.check(urn, { ...select, query: unknownText, outputFormat: "xml" });
    expect(failures.map(({ property }) => property)).toEqual(["outputFormat"]);
  });

  test("diff: an unknown input is a difference", async () => {
    const old = { inputs: select, properties: { ...select, status: "finished" } };
    expect(await plugin.diff(urn, "1", old, { ...select, query: unknownText })).toEqual({
      changes: true,
      replaces: ["query"],
      deleteBeforeReplace: true,
      detailedDiff: { query: "UPDATE_REPLACE" },
    });
  });

  test("create: knows the inputs and the outputs computed from them, and sends no request", async () => {
    const { id, properties } = await plugin.create(urn, { ...select, label: "l" }, { preview: true });
    expect(id).toBe("");
    expect(properties).toMatchObject({
      ...select,
      label: "l",
      location: "dag://results/one/",
      queryId: unknownText,
      status: unknownText,
      log: unknownText,
      result: unknownText,
    });
  });

  test("create: keeps unknown values unknown", async () => {
    const news = { ...select, outputResourcePath: unknownText };
    const { properties } = await plugin.create(urn, news, { preview: true });
    expect(properties).toMatchObject({ outputResourcePath: unknownText, location: unknownText });
  });

  test("update: keeps the outputs of a finished query, except those that are read again", async () => {
    const properties = { ...select, status: "finished", queryId: 7, result: { objects: [] } };
    const news = { ...select, resultRows: 3 };
    const previewed = await plugin.update(urn, "7", { inputs: select, properties }, news, { preview: true });
    expect(previewed).toMatchObject({ queryId: 7, status: "finished", resultRows: 3, result: unknownText });
  });
});

describe("secrets", () => {
  const hidden = { ...select, query: secret("SELECT 1 AS one"), triggers: { of: [secret("x")] } };

  test("check: returns secrets as secrets", async () => {
    const { inputs } = await plugin.check(urn, hidden);
    expect(inputs).toEqual({
      ...select,
      query: secret("SELECT 1 AS one"),
      triggers: secret({ of: ["x"] }),
      ...created,
    });
  });

  test("check: does not quote an invalid secret", async () => {
    const { failures } = await plugin.check(urn, { ...select, query: secret("SELEC hush FROM x") });
    // For a failure that names a property, the engine prints the property's value.
    expect(failures).toEqual([{ property: "", reason: expect.not.stringContaining("hush") }]);
  });

  test("create: outputs that quote inputs are secret when an input is secret", async () => {
    const { properties } = await plugin.create(urn, hidden, { preview: true });
    expect(properties).toMatchObject({
      query: secret("SELECT 1 AS one"),
      log: secret(unknownText),
      result: secret(unknownText),
      location: secret("dag://results/one/"),
      status: unknownText,
    });
  });
});

describe("resources with conflicting locations", () => {
  test("check: names both resources, at the property", async () => {
    await using other = await PluginProcess.start();
    await other.configure(configuration);
    const at = (outputResourcePath: string) => ({ ...select, outputResourcePath });
    expect((await other.check(urnOf("SelectQuery", "a"), at("dag://results/a/"))).failures).toEqual([]);
    expect((await other.check(urnOf("SelectQuery", "a"), at("dag://results/a/"))).failures).toEqual([]);
    const { failures } = await other.check(urnOf("SelectQuery", "b"), at("dag://results/a/b/"));
    expect(failures).toEqual([
      { property: "outputResourcePath", reason: expect.stringMatching(/SelectQuery "b".*SelectQuery "a"/s) },
    ]);
    expect((await other.check(urnOf("SelectQuery", "c"), at("dag://results/c/"))).failures).toEqual([]);
  });

  test("check: forgets earlier resources after a new configuration", async () => {
    await using other = await PluginProcess.start();
    for (const name of ["a", "b"]) {
      await other.configure(configuration);
      expect((await other.check(urnOf("SelectQuery", name), select)).failures).toEqual([]);
    }
  });
});
