/** A SplitTable whose table was there before it, or is no longer there. */
import { describe, expect, test } from "vitest";
import type { OutputFolder } from "../../../../../contract";
import { unknown } from "../../../../../provider/lifecycles";
import { ProgramTables } from "../../../../../provider/lifecycles/freshness/program-tables";
import { listObjects } from "../../../../../provider/lifecycles/queries/results";
import { splitTable, type SplitTableInputs } from "../../../../../provider/lifecycles/resources/split-table";
import { testContext } from "../context";
import { FakeService } from "../fake-service";
import { MemoryStorage } from "../memory-storage";

const inputs: SplitTableInputs = {
  clusterName: "demo",
  inputObjectKeys: ["dag://landing/birds.csv"],
  outputDatabase: "wildlife",
  outputTable: "birds",
};

const finished = { status: "finished", location: "dag://wildlife/birds/", qualifiedName: "wildlife.birds" } as never;

describe("preflight", () => {
  const listed = { table: async () => ({ table: "birds", source: "split" as const }) };
  const preflight = async (news: SplitTableInputs, context: ReturnType<typeof testContext>, more: object = {}) => {
    const asked = { ...context, serviceTables: listed as never, ...more };
    const { failures = [] } = await splitTable.preflight!(news, asked, "ownFolder" in more);
    return failures.map(({ reason }) => reason);
  };
  const made = async (more: object = {}) => {
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "owl\n", "dag://landing/birds.csv": "owl\n" });
    const service = new FakeService();
    const urn = "urn:pulumi:dev::unit::dag:index:SplitTable::before";
    await splitTable.create({ ...inputs, ...more }, testContext({ service, storage, urn }));
    return testContext({ service, storage, urn: "urn:pulumi:dev::unit::my:index:Site$dag:index:SplitTable::after" });
  };

  test("says that a table of identical inputs is adopted, and refuses any other as create does", async () => {
    const context = await made();
    expect(await preflight(inputs, context)).toEqual([]);
    expect(context.warnings).toEqual([
      "the table wildlife.birds exists already: it was created from identical inputs by query 1: it is adopted",
    ]);
    await preflight(inputs, context, { deletesFirst: true });
    expect(context.warnings.at(-1)).toMatch(
      /: it is adopted; with --replace, "pulumi up" fails, because the table stays$/,
    );
    const other = { ...inputs, inputFormat: "tsv" as const };
    const [reason] = await preflight(other, context);
    await expect(splitTable.create(other, context)).rejects.toThrow(reason);
    expect(reason).toContain("an alias of its component my:index:Site has no effect once");
  });

  test.each([
    [
      "keep",
      'run "pulumi up" with deletionPolicy "purge" before that with --replace, set another outputTable, or delete',
    ],
    ["purge", "To make it again, set another outputTable, or delete"],
  ] as const)(
    "create: says what --replace of a table that stays needs, with deletionPolicy %s",
    async (policy, remedy) => {
      const context = await made();
      const news = { ...inputs, deletionPolicy: policy };
      const { id, state } = await splitTable.create(news, context);
      await splitTable.delete(id, { inputs: news, state }, context);
      const replaced = splitTable.create(news, context);
      await expect(replaced).rejects.toThrow('The next "pulumi up" without --replace adopts it');
      await expect(replaced).rejects.toThrow(remedy);
      await expect(replaced).rejects.not.toThrow("alias");
    },
  );

  test.each([
    ["given", "found"],
    ["found", "given"],
  ])("a table whose columns were %s is not adopted where they are %s: its first row is another", async (was, is) => {
    const context = await made({ schema: "bigint id, string name" });
    // The record of a finished split has the columns that were found, too.
    const columns = [
      { name: "id", type: "bigint" },
      { name: "name", type: "string" },
    ];
    const summaries = (isGiven: boolean) => [{ table: "birds", source: "split" as const, ...(isGiven && { columns }) }];
    const news = { ...inputs, ...(is === "given" && { schema: "bigint id, string name" }) };
    context.service.tables = summaries(was === "given");
    const [reason] = await preflight(news, context);
    expect(reason).toContain("created by query 1 from different inputs");
    await expect(splitTable.create(news, context)).rejects.toThrow(reason);
    context.service.tables = summaries(is === "given");
    expect((await splitTable.create(news, context)).adopted).toBe(true);
  });

  test("a table with objects that its split did not publish: preview and up name the first, and adopt nothing", async () => {
    const context = await made();
    const location = "dag://wildlife/birds/";
    const change = `query 1 wrote its result to ${location}, and not ${location}mine.csv`;
    const changed = { records: context.service.records, output: { location, split: { queryId: 1, change } } };
    // Another run, of another resource and of the same one.
    for (const urn of [context.urn, "urn:pulumi:dev::unit::dag:index:SplitTable::before"]) {
      const service = Object.assign(new FakeService(), changed);
      const each = { ...testContext({ service, storage: context.storage! }), urn };
      const [reason] = await preflight(inputs, each);
      expect(reason).toBe(
        `the table wildlife.birds already exists, and is not adopted: ${change}. Put back what query 1 wrote and ` +
          `move the rest away, set another outputTable, or delete all objects in ${location} and run "pulumi up --refresh", which makes ` +
          "the table again",
      );
      await expect(splitTable.create(inputs, each)).rejects.toThrow(reason);
    }
    context.service.output = changed.output;
    const hidden = splitTable.create(inputs, { ...context, secret: true });
    await expect(hidden).rejects.toThrow(
      /its objects are not, or not only, those that query 1 published(?!.*wildlife)/,
    );
    context.service.output = { location, split: { queryId: 1 } };
    expect(await preflight(inputs, context)).toEqual([]);
    expect((await splitTable.create(inputs, context)).adopted).toBe(true);
  });

  test("a running split whose columns are given is not adopted where they are to be found", async () => {
    const service = new FakeService();
    service.manual = true;
    service.add("split", { ...inputs, schema: "bigint id, string name" });
    const created = splitTable.create(inputs, testContext({ service }));
    await expect(created).rejects.toThrow("created by query 1 from different inputs");
  });

  test("of inputs that were written after the split: says that the table has what it read, in preview and up", async () => {
    const context = await made();
    const storage = context.storage as MemoryStorage;
    const { startTime } = await context.client.getQuery({ queryId: 1 });
    const accepted = Date.parse(`${startTime.replace(" ", "T")}Z`);
    storage.put("dag://landing/birds.csv", "owl\nkite\n", new Date(accepted + 999));
    await preflight(inputs, context);
    expect(context.warnings).toEqual([expect.stringContaining("it is adopted")]);
    storage.put("dag://landing/birds.csv", "owl\nkite\n", new Date(accepted + 1000));
    await preflight(inputs, context);
    await splitTable.create(inputs, context);
    const outdated =
      /it has the rows that query 1 read, and not those of dag:\/\/landing\/birds.csv, written since: delete the objects in dag:\/\/wildlife\/birds\/ and run "pulumi up --refresh"/;
    const both = expect.stringMatching(outdated);
    expect(context.warnings).toEqual([expect.anything(), expect.stringContaining("it is adopted"), both, both]);
  });

  test("of inputs that cannot be read: says that nobody knows whether they have changed", async () => {
    const context = await made();
    const storage = context.storage as MemoryStorage;
    storage.head = () => Promise.reject(new Error("no access"));
    await splitTable.create(inputs, context);
    expect(context.warnings).toEqual([
      expect.stringContaining("whether its input objects have changed since is unknown"),
    ]);
  });

  test("refuses the table of another resource that follows its inputs, and not its own of the same content", async () => {
    const follows = { ...inputs, rerunOnInputChange: true };
    const context = await made(follows);
    expect(await preflight(follows, context)).toEqual([expect.stringContaining("for a resource of another name")]);
    const own = { ...context, urn: "urn:pulumi:dev::unit::dag:index:SplitTable::before" };
    expect(await preflight(follows, own)).toEqual([]);
  });

  test("of its own that has an earlier content of its inputs: is deleted with --replace, and refused otherwise", async () => {
    const follows = { ...inputs, rerunOnInputChange: true, deletionPolicy: "purge" as const };
    const context = { ...(await made(follows)), urn: "urn:pulumi:dev::unit::dag:index:SplitTable::before" };
    (context.storage as MemoryStorage).put("dag://landing/birds.csv", "owl\nkite\n");
    const own =
      "the table wildlife.birds already exists: query 1 of this resource created it, with other triggers or from an earlier " +
      "content of its input objects: delete the objects in dag://wildlife/birds/, so that it is made again, or set another outputTable";
    expect(await preflight(follows, context)).toEqual([own]);
    await expect(splitTable.create(follows, context)).rejects.toThrow(own);
    expect(context.warnings).toEqual([]);
    expect(await preflight(follows, context, { deletesFirst: true })).toEqual([]);
    expect(context.warnings).toEqual([
      `with --replace, the table is deleted before, and its query runs; otherwise "pulumi up" will fail: ${own}`,
    ]);
    expect(await preflight({ ...follows, deletionPolicy: "keep" }, context, { deletesFirst: true })).toEqual([own]);
  });

  test("of its own with other triggers and purge: is made again where the service says that it is whole", async () => {
    const first = { ...inputs, triggers: 1, deletionPolicy: "purge" as const };
    const context = { ...(await made(first)), urn: "urn:pulumi:dev::unit::dag:index:SplitTable::before" };
    const news = { ...first, triggers: 2 };
    const asked = { ...context, serviceTables: listed as never };
    const by =
      "the table wildlife.birds exists already: it was created by query 1 of this resource, with other triggers";
    // A service that has only the API does not tell whose the objects are.
    expect(await preflight(news, context)).toEqual([expect.stringContaining("query 1 of this resource created it")]);
    context.service.output = { location: "dag://wildlife/birds/", split: { queryId: 1 } };
    expect(await splitTable.preflight!(news, asked)).toMatchObject({ deletes: "dag://wildlife/birds/" });
    expect(context.warnings).toEqual([expect.stringContaining(by)]);
    // One that is kept is the resource's own, too.
    await preflight({ ...news, deletionPolicy: "keep" }, context);
    expect(context.warnings.at(-1)).toMatch(/from identical inputs by query 1: it is adopted$/);
    context.service.records[0]!.status = "running";
    expect(await splitTable.preflight!(news, asked)).not.toHaveProperty("deletes");
    expect(context.warnings.at(-1)).toContain("it is cancelled, and its query runs again");
  });

  test("decides nothing about a table whose resource this run replaces or has deleted, or whose inputs are unknown", async () => {
    const context = { ...(await made()), programTables: new ProgramTables() };
    const both = "it is adopted if a split of identical inputs made it, and otherwise";
    context.programTables.replaces(1, { urn: context.urn, deletionPolicy: "purge", etag: undefined });
    const other = { ...inputs, inputFormat: "tsv" as const };
    expect(await preflight(other, context)).toEqual([]);
    expect(await preflight({ ...inputs, schema: unknown as never }, context)).toEqual([]);
    expect(context.warnings).toEqual([expect.stringContaining(both), expect.stringContaining(both)]);
  });

  test("says nothing of a table whose objects were deleted", async () => {
    const context = testContext({ storage: new MemoryStorage({ "dag://landing/birds.csv": "owl,1\n" }) });
    expect(await preflight(inputs, context)).toEqual([]);
    expect(context.warnings).toEqual([]);
  });

  test("refuses a replacement that is created first in the folder of the old table", async () => {
    const context = await made();
    const first = { createsFirst: true, ownFolder: "dag://wildlife/birds/" };
    expect(await preflight(inputs, context, first)).toEqual([expect.stringContaining("is deleted only afterwards")]);
    expect(await preflight({ ...inputs, outputTable: "others" }, context, first)).toEqual([]);
    expect(await preflight(inputs, context, { ...first, createsFirst: false })).toEqual([]);
  });
});

describe("an adopted table", () => {
  const compared = async (
    objects: Record<string, string>,
    more: object = {},
    hasBucket = true,
    isRemade = false,
    output?: OutputFolder,
  ) => {
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "owl\n" });
    const result = await listObjects(storage, "dag://wildlife/birds/");
    const now = Object.assign(new MemoryStorage(objects), { bucketExists: () => Promise.resolve(hasBucket) });
    const context = testContext({ storage: now, urn: "urn:pulumi:dev::unit::dag:index:SplitTable::birds" });
    context.service.output = output;
    context.service.manual = true;
    for (const status of isRemade ? ["error", "finished"] : []) context.service.add("split", { ...inputs, status });
    const state = { ...(finished as object), queryId: 1, adopted: true, result, ...more } as never;
    const diff = await splitTable.withObserved!("1", { inputs, state }, splitTable.diff({ inputs }, inputs), context);
    return { diff, warnings: context.warnings };
  };

  test("is made again when its objects are gone, and a warning tells when they are others", async () => {
    const elsewhere = { "dag://wildlife/others/000000_0": "owl\n" };
    const { diff } = await compared(elsewhere);
    expect(diff).toMatchObject({ replaces: ["result"], reasons: ["the table that it adopted was deleted"] });
    const others = await compared({ "dag://wildlife/birds/000000_0": "a crow\n" });
    expect(others.diff.changes).toBe(false);
    expect(others.warnings).toEqual([
      expect.stringMatching(
        /where other objects are now.*\. Put back what query 1 wrote and move the rest away, set another/,
      ),
    ]);
    const remade = await compared({ "dag://wildlife/birds/000000_0": "a crow\n" }, {}, true, true);
    expect(remade.warnings).toEqual([
      expect.stringMatching(
        /where other objects are now.*Change "triggers" to adopt the table that is there now, if its split had the same inputs, or set/,
      ),
    ]);
  });

  test("that another query has made since: a purge keeps it, and names that query", async () => {
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "a,1\n" });
    const context = testContext({ storage });
    const purged = { ...inputs, deletionPolicy: "purge" as const };
    const stored = { inputs: purged, state: { ...(finished as object), queryId: 1, adopted: true } as never };
    const said = async () => {
      await splitTable.delete("1", stored, context);
      return context.warnings.pop();
    };
    context.service.finish(context.service.add("split", { ...inputs }).id);
    expect(await said()).toContain("query 1 of another resource or stack published them, whose table was adopted");
    const over = { outputResourcePath: "dag://wildlife/birds/", query: "SELECT 1" };
    context.service.finish(context.service.add("select", over).id);
    expect(await said()).toContain("query 2 has published there since");
    expect(storage.names()).toEqual(["dag://wildlife/birds/000000_0"]);
  });

  test("that another split has made since, with an older copy of its objects put back: is not to be adopted", async () => {
    const location = "dag://wildlife/birds/";
    const change = `objects of ${location} were changed, removed or added since query 2 wrote its result there`;
    const output = { location, split: { queryId: 2, change } };
    const { warnings } = await compared({ [`${location}000000_0`]: "a crow\n" }, {}, true, true, output);
    expect(warnings).toEqual([
      expect.stringContaining(`: query 2 has published there since, but ${change}. Put back what query 1 wrote and`),
    ]);
  });

  test("whose objects are gone is not said to be kept when it is deleted or replaced", async () => {
    const context = testContext({ storage: new MemoryStorage({}) });
    const state = { ...(finished as object), queryId: 1, adopted: true } as never;
    await splitTable.delete("1", { inputs, state }, context);
    expect(context.warnings).toEqual([]);
  });

  test("is kept, with a warning, when its bucket is not there, and one that is the resource's own is not looked at", async () => {
    const missing = await compared({}, {}, false);
    expect(missing.diff.changes).toBe(false);
    expect(missing.warnings).toEqual([expect.stringContaining("does not exist in dag:storage")]);
    expect((await compared({ "dag://wildlife/x": "" }, { adopted: undefined })).diff.changes).toBe(false);
  });
});
