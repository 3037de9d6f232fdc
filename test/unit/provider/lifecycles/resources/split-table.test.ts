import { describe, expect, test } from "vitest";
import { parseLocation } from "../../../../../contract";
import { unknown } from "../../../../../provider/lifecycles";
import { ProgramTables } from "../../../../../provider/lifecycles/freshness/program-tables";
import { splitTable } from "../../../../../provider/lifecycles/resources/split-table";
import { checkOptions, testContext } from "../context";
import { MemoryStorage } from "../memory-storage";
import { inputs } from "./split-table-inputs";

describe("preflight", () => {
  const found = async (inputObjectKeys: string[], more: object = {}) => {
    const warnings: string[] = [];
    const storage = new MemoryStorage({ "dag://landing/birds.csv": "owl,1\n" });
    const context = { storage, warn: (text: string) => warnings.push(text), secret: false, ...more };
    const { failures = [] } = await splitTable.preflight!({ ...inputs, inputObjectKeys }, context);
    expect(failures).toEqual([]);
    return warnings;
  };

  test("warns of input objects that do not exist", async () => {
    expect(await found(["dag://landing/birds.csv"])).toEqual([]);
    const remedy = "put it there before the table is made, or correct the name; the split fails without it";
    expect(await found(["dag://landing/birds.csv", "dag://landing/nope.csv"])).toEqual([
      `inputObjectKeys "dag://landing/nope.csv" does not exist: ${remedy}`,
    ]);
    expect(await found(["dag://landing/b.csv", "dag://landing/*.csv", "dag://landing/a.csv"])).toEqual([
      `inputObjectKeys "dag://landing/b.csv" does not exist (and 1 more): ${remedy}`,
    ]);
    expect(await found(["dag://landing/nope.csv"], { secret: true })).toEqual([
      `an object of inputObjectKeys does not exist: ${remedy}`,
    ]);
  });

  test("warns of a header although an object cannot be looked for", async () => {
    const storage = new MemoryStorage({ "dag://landing/birds.csv": "bird,n\nowl,1\n" });
    storage.head = () => Promise.reject(new Error("no answer"));
    const warnings: string[] = [];
    const context = { storage, warn: (text: string) => warnings.push(text), secret: false };
    await splitTable.preflight!({ ...inputs, schema: "string bird, int n" }, context);
    expect(warnings).toEqual([
      "cannot look up the input objects: no answer",
      expect.stringContaining("the first row of dag://landing/birds.csv has the names of the columns in schema"),
    ]);
  });

  test("warns once of inputs that the split refuses", async () => {
    const storage = new MemoryStorage({
      "dag://landing/a": "PAR1",
      "dag://landing/b": "PAR1",
      "dag://landing/c": "x,1",
    });
    const warnings: string[] = [];
    const context = { storage, warn: (text: string) => warnings.push(text), secret: false };
    const inputObjectKeys = ["dag://landing/a", "dag://landing/b", "dag://landing/c"];
    await splitTable.preflight!({ ...inputs, inputObjectKeys }, context);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^"pulumi up" will fail as things are: dag:\/\/landing\/[ab] is Parquet, which a split does not/,
      ),
    ]);
  });

  test("does not warn of an input object that a resource of the program writes", async () => {
    const programTables = new ProgramTables();
    const table = { urn: "query", generation: undefined, exists: false, columns: () => undefined, mayBeDeclared: true };
    programTables.add("dag://results/daily/", table);
    expect(await found(["dag://results/daily/000000_0"], { programTables })).toEqual([]);
    expect(await found(["dag://results/daily/000000_0"])).toHaveLength(1);
  });
});

const finished = { status: "finished", location: "dag://wildlife/birds/", qualifiedName: "wildlife.birds" } as never;

describe("check", () => {
  const check = (given: object, options: object = {}) =>
    splitTable.check({ ...inputs, ...given }, { ...checkOptions, ...options });

  test("returns valid inputs unchanged", () => {
    expect(check({})).toEqual({ inputs, failures: [], warnings: [] });
  });

  test("names the table after the resource if the program does not set a name", () => {
    const urn = "urn:pulumi:dev::unit::dag:index:SplitTable::Big-Birds";
    const name = () => check({ outputTable: undefined }, { urn }).inputs.outputTable;
    expect(name()).toMatch(/^big_birds_[0-9a-f]{7}$/);
    expect(name()).not.toBe(name());
    const seeded = () =>
      check({ outputTable: undefined }, { urn, randomSeed: new Uint8Array([1, 2, 3]) }).inputs.outputTable;
    expect(seeded()).toBe(seeded());
  });

  test("keeps the generated name for the lifetime of the resource", () => {
    const olds = { ...inputs, outputTable: "birds_1234567" };
    expect(check({ outputTable: undefined }, { olds }).inputs.outputTable).toBe("birds_1234567");
  });

  test.each([
    [{ inputObjectKeys: [] }, "inputObjectKeys", "at least one"],
    [{ inputObjectKeys: ["dag://landing/folder/"] }, "inputObjectKeys", "inputObjectKeys[0]"],
    [{ outputTable: "No-Table" }, "outputTable", "a-z, 0-9 and '_'"],
    [{ schema: "text name" }, "schema", 'the type "text"'],
    [{ schema: "string a, int a" }, "schema", 'the column "a" twice'],
    [{ inputFormat: "xml" }, "inputFormat", "csv, tsv, json"],
    [
      { inputObjectKeys: ["dag://landing/a.csv", "dag://landing/b.csv", "dag://landing/a.csv"] },
      "inputObjectKeys",
      'inputObjectKeys[2] "dag://landing/a.csv" is inputObjectKeys[0] again',
    ],
    [
      { inputObjectKeys: ["dag://wildlife/birds/a.csv"] },
      "inputObjectKeys",
      "is inside the folder of the output table",
    ],
  ])("rejects invalid inputs: %j", (given, property, reason) => {
    expect(check(given).failures).toEqual([{ property, reason: expect.stringContaining(reason) as string }]);
  });

  test("warns when a replacement needs the name of the table that is kept", () => {
    const change = { inputObjectKeys: ["dag://landing/other.csv"] };
    // With purge, an adopted table would stay all the same.
    expect(check(change, { olds: inputs }).warnings).toEqual([
      'the table wildlife.birds cannot be replaced while it exists, and deletionPolicy "keep" keeps it: set another ' +
        "outputTable, or delete the objects in dag://wildlife/birds/ first",
    ]);
    expect(check(change, { olds: { ...inputs, deletionPolicy: "purge" } }).warnings).toEqual([]);
    expect(check({ ...change, outputTable: "others" }, { olds: inputs }).warnings).toEqual([]);
    expect(check({ ...change, outputTable: undefined }, { olds: inputs }).warnings).toEqual([]);
    expect(check({}, { olds: inputs }).warnings).toEqual([]);
  });

  test("accepts unknown values", () => {
    const given = { inputObjectKeys: [unknown], outputDatabase: unknown, schema: unknown };
    expect(check(given)).toMatchObject({ failures: [], warnings: [] });
  });
});

describe("diff", () => {
  const diff = (news: object, olds: object = {}) =>
    splitTable.diff({ inputs: { ...inputs, ...olds } }, { ...inputs, ...news });

  test("finds no difference when nothing changed except the formatting of a schema", () => {
    expect(diff({ inputFormat: "csv" }).changes).toBe(false);
    expect(diff({ schema: "string a,int b" }, { schema: "STRING a, integer b" }).changes).toBe(false);
  });

  test("finds no difference in a schema that an import has taken from the service", () => {
    expect(diff({}, { schema: "string a" }).changes).toBe(false);
  });

  test("replaces the table when the program leaves out the schema that it had given", () => {
    const left = diff({ generation: "abc" }, { generation: "abc", schema: "string a" });
    expect(left).toMatchObject({ replaces: ["schema"], detailedDiff: { schema: { kind: "delete", replace: true } } });
  });

  test.each([{ inputObjectKeys: ["dag://landing/b.csv"] }, { outputTable: "b" }, { schema: "int a" }, { triggers: 1 }])(
    "replaces the table when an input of the API or a trigger changes, after deleting the old one: %j",
    (news) => {
      expect(diff(news)).toMatchObject({ changes: true, replaces: Object.keys(news), deleteBeforeReplace: true });
    },
  );
});

describe("update", () => {
  test("checks new expectations against the columns that the service found, and skips a line of their names", async () => {
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "bird,n\nowl,1\n" });
    const context = testContext({ storage });
    const { id, state } = await splitTable.create(inputs, context);
    Object.assign(context.service.records[0]!, { schema: "string bird, bigint n" });
    const update = (columns: string[], max: number) =>
      splitTable.update(id, { inputs, state }, { ...inputs, expect: { columns, rows: { max } } }, context);
    expect(await update(["bird", "n"], 1)).toEqual(state);
    await expect(update(["bird", "m"], 1)).rejects.toThrow("expected the columns bird, m, found bird, n");
    context.service.forget(1);
    await expect(update(["bird", "n"], 2)).rejects.toThrow("found 2 without names: set schema");
  });
});

describe("read", () => {
  test("keeps the stored state when the service no longer has the record", async () => {
    const context = testContext();
    const { id, state } = await splitTable.create(inputs, context);
    context.service.forget(1);
    expect(await splitTable.read(id, { inputs, state }, context)).toEqual({
      id,
      inputs,
      state: { ...state, recordExpired: true },
    });
  });

  test("a table whose objects were deleted no longer exists", async () => {
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "a,1\n" });
    const context = testContext({ storage });
    const { id, state } = await splitTable.create(inputs, context);
    expect(await splitTable.read(id, { inputs, state }, context)).toMatchObject({ id });
    await storage.deleteFolder({ bucket: "wildlife", key: "birds/" });
    expect(await splitTable.read(id, { inputs, state }, context)).toBeUndefined();
  });

  test("a change of inputs that are gone since runs nothing: the table is kept, until they are back", async () => {
    const [name] = inputs.inputObjectKeys as [string];
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "a,1\n", [name]: "a,1\n" });
    const context = testContext({ storage });
    const follows = { ...inputs, rerunOnInputChange: true };
    let { id, state } = await splitTable.create(follows, context);
    const refreshed = async () => {
      ({ state } = (await splitTable.read(id, { inputs: follows, state }, context))!);
      return state.inputsChanged;
    };
    storage.put(name, "a,1\nb,2\n");
    expect(await refreshed()).toEqual([`${name} (changed)`]);
    await storage.deleteFolder(parseLocation(name.replace(/[^/]*$/, "")));
    expect(await refreshed()).toBeUndefined();
    expect(context.warnings).toEqual([expect.stringMatching(/no longer exist.*its result is kept/)]);
    storage.put(name, "a,1\nb,2\n");
    expect(await refreshed()).toEqual([`${name} (changed)`]);
  });

  test("says which input object was written later, unless the table follows them, and changes nothing", async () => {
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "a,1\n" });
    const context = testContext({ storage });
    const { id, state } = await splitTable.create(inputs, context);
    const accepted = Date.parse(`${state.startTime.replace(" ", "T")}Z`);
    const [name] = inputs.inputObjectKeys;
    const saidOf = async (more: object, milliseconds: number, isLookup = false) => {
      storage.put(name!, "a,1\nb,2\n", new Date(accepted + milliseconds));
      const before = context.infos.length;
      const stored = { inputs: { ...inputs, ...more }, state };
      expect(await splitTable.read(id, stored, { ...context, isLookup })).toMatchObject({ state });
      return context.infos.slice(before);
    };
    expect(await saidOf({}, 999)).toEqual([]);
    expect(await saidOf({ rerunOnInputChange: true }, 1000)).toEqual([]);
    expect(await saidOf({}, 1000)).toEqual([
      `${name}: written after the query read it, and the table keeps what it has, because rerunOnInputChange is not set`,
    ]);
    // A resource that the program reads by an id has no option.
    expect(await saidOf({}, 1000, true)).toEqual([
      `${name}: written after the query read it, and the table keeps what it has`,
    ]);
  });

  test("reads a table by the id of its split", async () => {
    const context = testContext();
    await splitTable.create({ ...inputs, label: "mine" }, context);
    const found = await splitTable.read("1", undefined, context);
    expect(found).toMatchObject({ inputs: { ...inputs, label: "mine" }, state: { qualifiedName: "wildlife.birds" } });
    expect(splitTable.diff(found!, { ...inputs, label: "mine" }).changes).toBe(false);
  });
});

describe("read of an import", () => {
  test.each(["error", "canceled"] as const)("a split with status %s is refused", async (status) => {
    const context = testContext();
    context.service.add("split", { ...inputs, status });
    await expect(splitTable.read("1", undefined, context)).rejects.toThrow(
      `(status ${status}), so it has published no objects: use the id of a query that has finished`,
    );
  });

  test("a table that is gone, or that another query has written since, is refused", async () => {
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "a,1\n" });
    const context = testContext({ storage });
    await splitTable.create(inputs, context);
    context.service.add("select", { outputResourcePath: "dag://wildlife/birds/", query: "SELECT 1" });
    context.service.finish(2);
    await expect(splitTable.read("1", undefined, context)).rejects.toThrow(
      /^the objects in dag:\/\/wildlife\/birds\/ are not those of query 1: query 2 has published there since: use the id of the query that published them \(2\)$/,
    );
    await storage.deleteFolder({ bucket: "wildlife", key: "birds/" });
    await expect(splitTable.read("1", undefined, context)).rejects.toThrow("were deleted: do not import it");
  });

  test("a table with objects that its split did not publish is refused, and only read by a lookup", async () => {
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "a,1\n" });
    const context = testContext({ storage });
    await splitTable.create(inputs, context);
    const change = "query 1 did not publish dag://wildlife/birds/mine.csv";
    context.service.output = { location: "dag://wildlife/birds/", split: { queryId: 1, change } };
    await expect(splitTable.read("1", undefined, context)).rejects.toThrow(
      `are not those of query 1: ${change}: move or delete those that it did not publish`,
    );
    expect(await splitTable.read("1", undefined, { ...context, isLookup: true })).toMatchObject({ id: "1" });
  });
});

describe("delete", () => {
  test("keeps the table by default, and reports it", async () => {
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "a,1\n" });
    const context = testContext({ storage });
    await splitTable.delete("1", { inputs, state: finished }, context);
    expect(storage.names()).toHaveLength(1);
    expect(context.warnings).toEqual([expect.stringContaining("the table wildlife.birds and its objects in")]);
  });

  test("purge deletes the objects in the table's folder only", async () => {
    const storage = new MemoryStorage({
      "dag://wildlife/birds/000000_0": "a,1\n",
      "dag://wildlife/birds2/000000_0": "a\n",
    });
    const purging = { ...inputs, deletionPolicy: "purge" as const };
    const context = testContext({ storage });
    const { id, state } = await splitTable.create(purging, context);
    await splitTable.delete(id, { inputs: purging, state }, context);
    expect(storage.names()).toEqual(["dag://wildlife/birds2/000000_0"]);
  });

  test("cancels a running split", async () => {
    const context = testContext();
    context.service.manual = true;
    context.service.add("split", inputs);
    await splitTable.delete("1", { inputs, state: { status: "running" } as never }, context);
    expect(context.service.records[0]!.status).toBe("canceled");
  });
});
