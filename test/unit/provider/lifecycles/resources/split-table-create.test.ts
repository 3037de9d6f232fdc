import { describe, expect, test } from "vitest";
import { errors } from "../../../../../contract";
import { PartialCreate } from "../../../../../provider/lifecycles";
import { ProgramTables } from "../../../../../provider/lifecycles/freshness/program-tables";
import { listObjects } from "../../../../../provider/lifecycles/queries/results";
import { splitTable } from "../../../../../provider/lifecycles/resources/split-table";
import { checkOptions, testContext, until } from "../context";
import { FakeService } from "../fake-service";
import { MemoryStorage } from "../memory-storage";
import { inputs } from "./split-table-inputs";

const otherUrn = "urn:pulumi:dev::other::dag:index:SplitTable::lost";

describe("create", () => {
  test("submits the split, waits, and stores its outputs", async () => {
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "a,1\n" });
    const { id, state } = await splitTable.create(inputs, testContext({ storage }));
    expect([id, state]).toMatchObject([
      "1",
      {
        status: "finished",
        location: "dag://wildlife/birds/",
        qualifiedName: "wildlife.birds",
        result: { objects: [{ location: "dag://wildlife/birds/000000_0", size: 4 }] },
      },
    ]);
  });

  test("quotes names that are not plain identifiers in backticks", async () => {
    const { state } = await splitTable.create(
      { ...inputs, outputDatabase: "wild-life.org", outputTable: "2024" },
      testContext(),
    );
    expect(state.qualifiedName).toBe("`wild-life.org`.`2024`");
  });

  test("adopts the table of a finished split with identical inputs", async () => {
    const service = new FakeService();
    await splitTable.create(inputs, testContext({ service, urn: otherUrn }));
    const context = testContext({ service });
    expect((await splitTable.create({ ...inputs, inputFormat: "csv" }, context)).id).toBe("1");
    expect(context.infos).toEqual([
      expect.stringContaining("wildlife.birds was created from identical inputs by query 1"),
    ]);
  });

  test("adopts a running split with identical inputs, and waits for it", async () => {
    const service = new FakeService();
    service.manual = true;
    service.add("split", { ...inputs });
    const context = testContext({ service });
    const created = splitTable.create(inputs, context);
    await until(() => context.infos.length === 1);
    service.finish(1);
    expect((await created).id).toBe("1");
  });

  test.each(["finished", "running"] as const)(
    "a %s split of another access key and the same URN: is adopted as that of another, and a delete keeps both",
    async (status) => {
      const service = new FakeService();
      service.manual = true;
      void splitTable.create(inputs, testContext({ service })).catch(() => {});
      await until(() => service.records.length === 1);
      Object.assign(service.records[0]!, { accessKeyId: "OTHER" });
      if (status === "finished") service.finish(1);
      const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "owl\n" });
      const next = Object.assign(new FakeService(), { records: service.records, manual: true });
      const context = testContext({ service: next, storage, timeout: 500 });
      const news = { ...inputs, deletionPolicy: "purge" as const };
      const made = await splitTable.create(news, context).catch((error: unknown) => error as PartialCreate);
      const { id, state } = made as { readonly id: string; readonly state: never };
      expect(context.infos).toEqual([
        `wildlife.birds ${status === "finished" ? "was" : "is being"} created from identical inputs by query 1 of access key OTHER: it is adopted, and a delete will ` +
          "keep it, because another access key made it (a purge there deletes it)",
      ]);
      expect(state).toMatchObject({ status, adopted: true });
      await splitTable.delete(id, { inputs: news, state }, context);
      expect(service.records[0]!.status).toBe(status);
      expect(await storage.head({ bucket: "wildlife", key: "birds/000000_0" })).toBeDefined();
    },
  );

  test("a table from different inputs of another access key and the same URN: its split is not cancelled", async () => {
    const service = new FakeService();
    service.manual = true;
    const other = { ...inputs, inputObjectKeys: ["dag://landing/other.csv"] };
    void splitTable.create(other, testContext({ service })).catch(() => {});
    await until(() => service.records.length === 1);
    Object.assign(service.records[0]!, { accessKeyId: "OTHER" });
    await expect(splitTable.create(inputs, testContext({ service }))).rejects.toThrow(
      "already exists, created by query 1 of access key OTHER from different inputs",
    );
    expect(service.records[0]!.status).toBe("running");
  });

  test.each([{ inputObjectKeys: ["dag://landing/other.csv"] }, { inputFormat: "tsv" as const }, { schema: "int a" }])(
    "a table from different inputs is an error that names the remedies: %j",
    async (other) => {
      const service = new FakeService();
      await splitTable.create({ ...inputs, ...other }, testContext({ service }));
      const created = splitTable.create({ ...inputs, schema: "string a" }, testContext({ service }));
      await expect(created).rejects.toThrow(
        /the table wildlife.birds already exists, created by query 1 of this resource from different inputs, in a run that was interrupted.*pulumi import dag:index:SplitTable one 1"/s,
      );
    },
  );

  test.each([
    ["select", { outputResourcePath: "dag://wildlife/birds/" }],
    ["select", { outputResourcePath: "dag://wildlife/birds/part/" }],
  ] as const)(
    "a table that a later %s has written to is not adopted, and its query is named: %j",
    async (type, record) => {
      const service = new FakeService();
      const urn = "urn:pulumi:dev::other::dag:index:SplitTable::first";
      await splitTable.create(inputs, testContext({ service, urn }));
      service.finish(service.add(type, record).id);
      await expect(splitTable.create(inputs, testContext({ service }))).rejects.toThrow(
        /wildlife.birds already exists: query 2, a select of cluster "demo", was the last to write to dag:.*Set another outputTable/,
      );
    },
  );

  test.each([
    [{ queryId: 2 }, "already exists: query 2 was the last to write to dag://wildlife/birds/. Set another outputTable"],
    [
      {
        others:
          "dag://wildlife/birds/ has 1 object, such as dag://wildlife/birds/a.csv, which no query published there",
      },
      "already exists, and is not adopted: dag://wildlife/birds/ has 1 object, such as dag://wildlife/birds/a.csv, which",
    ],
    [{ others: "its table", split: { queryId: 3 } }, "already exists: query 3 was the last to write to"],
  ])(
    "a table that another query wrote, longer ago than the records that are read, is not adopted: %j",
    async (there, text) => {
      const earlier = new FakeService();
      await splitTable.create(inputs, testContext({ service: earlier }));
      const output = { location: "dag://wildlife/birds/", ...there };
      const service = Object.assign(new FakeService(), { records: earlier.records, output });
      await expect(splitTable.create(inputs, testContext({ service }))).rejects.toThrow(text);
    },
  );

  test.each([
    [{ deletionPolicy: "keep" as const }, 'deletionPolicy "keep" has kept what query 1 of this resource made'],
    [{ etag: "other" }, "its objects are not, or not only, those that query 1 published"],
    [
      { urn: "urn:pulumi:dev::unit::dag:index:SplitTable::two" },
      'it is that of SplitTable "two" (query 1), which this run replaces: run "pulumi up" again when it is deleted, or set',
    ],
    [{}, "it is the one that this resource replaces (query 1), and is deleted only afterwards, if at all"],
  ])("a table whose resource is replaced, and that still exists: says why, %j", async (query, reason) => {
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "owl\n" });
    const context = testContext({ storage, programTables: new ProgramTables() });
    await splitTable.create(inputs, context);
    const { etag } = await listObjects(storage, "dag://wildlife/birds/");
    context.programTables!.replaces(1, { urn: context.urn, deletionPolicy: "purge", etag, ...query });
    await expect(splitTable.create({ ...inputs, triggers: 2 }, context)).rejects.toThrow(
      `the table wildlife.birds still exists: ${reason}`,
    );
  });

  test("a table of another resource that this run replaces is waited for, until its delete has purged it", async () => {
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "owl\n" });
    const [service, programTables] = [new FakeService(), new ProgramTables()];
    const urn = "urn:pulumi:dev::unit::dag:index:SplitTable::two";
    await splitTable.create(inputs, testContext({ service, storage, urn, programTables }));
    programTables.replaces(1, { urn, deletionPolicy: "purge", etag: undefined });
    const reports: string[] = [];
    const context = testContext({ service, storage, programTables });
    const report = (text: string) => {
      reports.push(text);
      if (text.includes("waiting until")) service.records[0]!.status = "error";
    };
    const { id } = await splitTable.create({ ...inputs, triggers: 2 }, { ...context, report });
    expect(id).not.toBe("1");
    expect(reports).toContain('[1/3] waiting until SplitTable "two" has deleted wildlife.birds');
  });

  test("a deleted table of identical inputs is not adopted while a killed run submits it again: that query is", async () => {
    const [service, storage] = [new FakeService(), new MemoryStorage({})];
    await splitTable.create(inputs, testContext({ service, storage, urn: otherUrn }));
    service.manual = true;
    const context = testContext({ service, storage });
    const report = (text: string) => {
      if (!text.includes("another submission of wildlife.birds has its query")) return;
      service.records[0]!.status = "error";
      service.add("split", { ...inputs });
      service.records[0]!.status = "finished";
    };
    const created = splitTable.create(inputs, { ...context, report });
    await until(() => context.infos.length === 1);
    service.finish(2);
    expect((await created).id).toBe("2");
  });

  test("a deleted table of identical inputs, and the service refuses it still: fails, and adopts nothing", async () => {
    const [service, storage] = [new FakeService(), new MemoryStorage({})];
    await splitTable.create(inputs, testContext({ service, storage, urn: otherUrn }));
    const created = splitTable.create(inputs, testContext({ service, storage }));
    await expect(created).rejects.toThrow(errors.OutputTableAlreadyExists);
  });

  test("a table of the same inputs of another resource that follows its inputs is refused for the true reason", async () => {
    const [service, storage] = [new FakeService(), new MemoryStorage({ "dag://landing/birds.csv": "owl\n" })];
    const news = { ...inputs, rerunOnInputChange: true };
    const urn = "urn:pulumi:dev::other::dag:index:SplitTable::before";
    await splitTable.create(news, testContext({ service, storage, urn }));
    await expect(splitTable.create(news, testContext({ service, storage }))).rejects.toThrow(
      /created by query 1 from the same inputs, but for a resource of another name .*an alias/s,
    );
  });

  test("tables that exchange their names: a purge deletes the old one although another resource is to get its name", async () => {
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "owl\n" });
    const context = testContext({ storage, programTables: new ProgramTables() });
    const news = { ...inputs, deletionPolicy: "purge" as const };
    const { id, state } = await splitTable.create(news, context);
    const other = {
      ...checkOptions,
      programTables: context.programTables!,
      urn: "urn:pulumi:dev::unit::dag:index:SplitTable::b",
    };
    splitTable.check(news, { ...other, olds: { ...news, outputTable: "second" } });
    await splitTable.delete(id, { inputs: news, state }, context);
    expect(context.warnings).toEqual([]);
    expect(await storage.head({ bucket: "wildlife", key: "birds/000000_0" })).toBeUndefined();
  });

  test("tables that exchange their names: does not adopt the table of a resource that is to get another name", async () => {
    const context = testContext({ programTables: new ProgramTables() });
    const news = { ...inputs, deletionPolicy: "purge" as const };
    await splitTable.create(news, context);
    const options = { ...checkOptions, programTables: context.programTables!, urn: context.urn };
    splitTable.check({ ...news, outputTable: "second" }, { ...options, olds: news });
    const urn = "urn:pulumi:dev::unit::dag:index:SplitTable::two";
    await expect(splitTable.create(news, { ...context, urn })).rejects.toThrow(
      'the table wildlife.birds still exists: it is that of Any "one" (query 1), which this run replaces: run "pulumi up" again',
    );
  });

  test("a table that another resource leaves and keeps: says that the next up adopts it, or that it must be deleted", async () => {
    const context = testContext({ programTables: new ProgramTables() });
    await splitTable.create(inputs, context);
    const options = { ...checkOptions, programTables: context.programTables!, urn: context.urn };
    splitTable.check({ ...inputs, outputTable: "second" }, { ...options, olds: inputs });
    const two = { ...context, urn: "urn:pulumi:dev::unit::dag:index:SplitTable::two" };
    const message = 'it is that of Any "one" (query 1), which this run replaces: ';
    await expect(splitTable.create(inputs, two)).rejects.toThrow(
      `${message}run "pulumi up" again, which adopts it, or set another outputTable`,
    );
    for (const more of [{ inputFormat: "tsv" as const }, { rerunOnInputChange: true }]) {
      await expect(splitTable.create({ ...inputs, ...more }, two)).rejects.toThrow(
        `${message}set another outputTable, or delete the objects`,
      );
    }
  });

  test("a pattern of a result that is not made yet: says to depend on the resource that makes it", async () => {
    const programTables = new ProgramTables();
    const table = { generation: undefined, exists: false, columns: () => undefined, mayBeDeclared: true };
    const urn = "urn:pulumi:dev::unit::dag:index:SelectQuery::sel";
    programTables.add("dag://mart/sel/", { ...table, urn });
    const context = testContext({ storage: new MemoryStorage({}), programTables });
    const create = () => splitTable.create({ ...inputs, inputObjectKeys: ["dag://mart/sel/*"] }, context);
    const message = 'inputObjectKeys "dag://mart/sel/*" matches no object';
    await expect(create()).rejects.toThrow(
      `${message}, because SelectQuery "sel" has not made them yet: add dependsOn, or use an output of SelectQuery "sel" in inputObjectKeys`,
    );
    programTables.hold("dag://mart/sel/", false);
    programTables.earlyReaders.made(urn);
    await expect(create()).rejects.toThrow(`${message}: put an object there`);
  });

  test("table of identical inputs of another resource: splits once more when the program has registered, which may move it", async () => {
    const service = new FakeService();
    await splitTable.create(inputs, testContext({ service, urn: otherUrn }));
    const programTables = new ProgramTables(async () => void service.records.pop());
    const { adopted, state } = await splitTable.create(inputs, testContext({ service, programTables }));
    expect(adopted).toBe(false);
    expect(state.adopted).toBeUndefined();
  });

  test("does not adopt the table that its own replacement kept", async () => {
    const service = new FakeService();
    const context = testContext({ service });
    const { id, state } = await splitTable.create(inputs, context);
    await splitTable.delete(id, { inputs, state }, context);
    await expect(splitTable.create({ ...inputs, triggers: 2 }, context)).rejects.toThrow(
      "still exists: this run has deleted the resource",
    );
  });

  test("a failed split is an error that says so", async () => {
    const context = testContext();
    context.service.manual = true;
    const created = splitTable.create(inputs, context);
    await until(() => context.service.records.length === 1);
    context.service.finish(1, "error");
    await expect(created).rejects.toThrow(/^query 1 on cluster "demo" failed\n.*stores no logs of splits/);
  });

  test("an interrupted wait stores the id and the names", async () => {
    const context = testContext({ timeout: 200 });
    context.service.manual = true;
    const partial = await splitTable.create(inputs, context).catch((error: unknown) => error as PartialCreate);
    expect(partial).toBeInstanceOf(PartialCreate);
    expect(partial).toMatchObject({ id: "1", state: { status: "running", qualifiedName: "wildlife.birds" } });
    const { state } = partial as PartialCreate<never>;
    const updated = splitTable.update("1", { inputs, state }, inputs, { ...context, timeout: 60_000 });
    context.service.finish(1);
    expect(await updated).toMatchObject({ status: "finished" });
    expect(context.service.count("submitSplit")).toBe(1);
  });
});
