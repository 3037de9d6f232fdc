/** A table that is to be made again under its name: it goes, it is adopted, or the replacement is refused. */
import { describe, expect, test } from "vitest";
import { ProgramTables } from "../../../../../provider/lifecycles/freshness/program-tables";
import { splitTable } from "../../../../../provider/lifecycles/resources/split-table";
import { testContext, type TestContext } from "../context";
import { MemoryStorage } from "../memory-storage";
import { inputs } from "./split-table-inputs";

describe("replacement of a table under its name", () => {
  const tablesOf = ({ urn }: TestContext, isNamed: boolean) => {
    const programTables = new ProgramTables();
    const made = { urn, generation: undefined, exists: true, columns: () => undefined, mayBeDeclared: false };
    programTables.add("dag://wildlife/birds/", { ...made, isNamed });
    return programTables;
  };
  const stays = async (context: TestContext, policy: "keep" | "purge", adopted = false, isNamed = true) => {
    const old = { ...inputs, deletionPolicy: policy };
    const programTables = tablesOf(context, isNamed);
    const { id, state } = await splitTable.create(old, context);
    const stored = { inputs: old, state: { ...state, ...(adopted && { adopted }) } };
    const news = { ...old, inputObjectKeys: ["dag://raw/other.csv"] };
    return () => splitTable.othersObjects!(id, stored, news, { ...context, programTables });
  };

  test.each([
    [
      "keep",
      true,
      'To run the query again, set another outputTable or delete the objects there, then run "pulumi up".',
    ],
    ["purge", true, 'Run "pulumi up" to run the query again.'],
    ["keep", false, 'Run "pulumi up" to run the query again.'],
  ] as const)(
    "an unmet expectation of a table (%s, named: %s) says how it runs again",
    async (policy, isNamed, advice) => {
      const context = testContext({ storage: new MemoryStorage({ "dag://wildlife/birds/000000_0": "a,1\n" }) });
      const news = { ...inputs, deletionPolicy: policy, expect: { rows: { min: 5 } } };
      const made = splitTable.create(news, { ...context, programTables: tablesOf(context, isNamed) });
      await expect(made).rejects.toMatchObject({ reasons: [expect.stringContaining(advice)] });
    },
  );

  test.each(["keep", "purge"] as const)(
    "an unmet expectation of an adopted table (%s) says what makes it again, which a purge does not",
    async (policy) => {
      const context = testContext({ storage: new MemoryStorage({ "dag://wildlife/birds/000000_0": "a,1\n" }) });
      await splitTable.create(inputs, { ...context, urn: "urn:pulumi:dev::unit::dag:index:SplitTable::before" });
      const news = { ...inputs, deletionPolicy: policy, expect: { rows: { min: 5 } } };
      const made = splitTable.create(news, { ...context, programTables: tablesOf(context, true) });
      await expect(made).rejects.toMatchObject({
        reasons: [expect.stringContaining("set another outputTable or delete the objects there")],
        state: { adopted: true },
      });
    },
  );

  test("with an object of others is refused, and no purge is advised, which would keep it", async () => {
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "a,1\n" });
    const compares = [await stays(testContext({ storage }), "keep"), await stays(testContext({ storage }), "purge")];
    storage.put("dag://wildlife/birds/mine.csv", "crow,3\n");
    for (const compare of compares) {
      await expect(compare()).rejects.toThrow(
        /"purge" (would keep|keeps) the objects in .*: query 1 did not write dag:\/\/wildlife\/birds\/mine\.csv\. Put back/,
      );
      await expect(compare()).rejects.not.toThrow("before this change");
    }
  });

  test("is refused before anything is deleted while the table stays, and not when it is gone", async () => {
    for (const [policy, adopted, reason] of [
      ["keep", false, 'deletionPolicy "keep" keeps it'],
      ["purge", true, "query 1 of another resource or stack made it"],
    ] as const) {
      const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "a,1\n" });
      const compare = await stays(testContext({ storage }), policy, adopted);
      await expect(compare()).rejects.toThrow(`the table cannot be made again while it exists, and`);
      await expect(compare()).rejects.toThrow(reason);
      await storage.deleteFolder({ bucket: "wildlife", key: "birds/" });
      expect(await compare()).toBeUndefined();
    }
  });

  test("is not refused when the program does not name it, so that the replacement gets another name", async () => {
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "a,1\n" });
    expect(await (await stays(testContext({ storage }), "keep", false, false))()).toBeUndefined();
  });

  test("that retainOnDelete keeps is refused, although deletionPolicy is purge", async () => {
    const storage = new MemoryStorage({ "dag://wildlife/birds/000000_0": "a,1\n" });
    const compare = await stays({ ...testContext({ storage }), isRetained: true }, "purge");
    await expect(compare()).rejects.toThrow(
      "and retainOnDelete keeps it: set another outputTable, take the option away in a",
    );
    await storage.deleteFolder({ bucket: "wildlife", key: "birds/" });
    expect(await compare()).toBeUndefined();
  });

  const storage = () => new MemoryStorage({ "dag://wildlife/birds/000000_0": "a,1\n" });

  test("is not refused without storage, or for a purge", async () => {
    expect(await (await stays(testContext(), "keep"))()).toBeUndefined();
    expect(await (await stays(testContext({ storage: storage() }), "purge"))()).toBeUndefined();
  });

  /** Adds a query that ends after the table was deleted. */
  const publishes = ({ service }: TestContext, ...query: Parameters<TestContext["service"]["add"]>) => {
    service.records[0]!.status = "canceled";
    service.finish(service.add(...query).id);
  };

  test.each(["keep", "purge"] as const)("adopts what a split of its inputs has made since (%s)", async (policy) => {
    const context = testContext({ storage: storage() });
    const compare = await stays(context, policy, true);
    publishes(context, "split", { ...inputs, inputObjectKeys: ["dag://raw/other.csv"] });
    expect(await compare()).toEqual({
      effect: "adopted",
      warning: expect.stringMatching(
        /^the table wildlife\.birds was created from identical inputs by query 2: it is adopted/,
      ),
    });
  });

  test.each([
    ["split", { ...inputs, inputObjectKeys: ["dag://raw/third.csv"] }, "created by query 2 from different inputs"],
    ["select", { outputResourcePath: "dag://wildlife/birds/", query: "SELECT 1" }, "query 2, a select of cluster"],
  ] as const)("is refused when another %s has published there since", async (type, request, problem) => {
    const context = testContext({ storage: storage() });
    const compare = await stays(context, "purge", true);
    publishes(context, type, request);
    await expect(compare()).rejects.toThrow(problem);
  });

  test("is refused when a select has published over its own table, which a run that replaces it knows", async () => {
    const context = testContext({ storage: storage() });
    const programTables = tablesOf(context, true);
    const old = { ...inputs, deletionPolicy: "keep" as const };
    const { id, state } = await splitTable.create(old, context);
    programTables.replaces(Number(id), { urn: context.urn, deletionPolicy: "keep", etag: undefined });
    context.service.finish(context.service.add("select", { outputResourcePath: "dag://wildlife/birds/" }).id);
    const news = { ...old, triggers: ["again"] };
    const compare = splitTable.othersObjects!(id, { inputs: old, state }, news, { ...context, programTables });
    await expect(compare).rejects.toThrow("query 2, a select of cluster");
  });
});
