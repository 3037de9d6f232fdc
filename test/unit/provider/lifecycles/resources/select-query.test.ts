import { describe, expect, test } from "vitest";
import { unknown } from "../../../../../provider/lifecycles";
import { selectQuery, type SelectQueryInputs } from "../../../../../provider/lifecycles/resources/select-query";
import { ProgramTables } from "../../../../../provider/lifecycles/freshness/program-tables";
import { checkOptions, testContext } from "../context";
import { FakeService } from "../fake-service";
import { MemoryStorage } from "../memory-storage";

const inputs: SelectQueryInputs = {
  clusterName: "demo",
  query: "SELECT a FROM db.t",
  outputResourcePath: "dag://out/a/",
  label: "daily",
};

describe("check", () => {
  const failures = (given: object, options: Partial<typeof checkOptions> = {}) =>
    selectQuery.check({ ...inputs, ...given }, { ...checkOptions, ...options }).failures;

  test("returns valid inputs unchanged", () => {
    expect(selectQuery.check(inputs, checkOptions)).toEqual({ inputs, failures: [], warnings: [] });
  });

  test.each([
    [{ clusterName: "no spaces" }, "clusterName", 'clusterName "no spaces" is not valid'],
    [{ query: undefined }, "query", "query is missing"],
    [{ outputResourcePath: "s3://x/y" }, "outputResourcePath", "dag://<bucket>/<path>"],
    [{ outputResourcePath: "dag://out/" }, "outputResourcePath", "it must be a folder inside a bucket"],
    [{ outputFormat: "xml" }, "outputFormat", "csv, tsv"],
    [{ resultRows: 1_001 }, "resultRows", "a whole number from 0 to 1000"],
    [{ deletionPolicy: "burn" }, "deletionPolicy", "keep, purge"],
    [{ label: "x".repeat(243) }, "label", "at most 242"],
    [{ label: "x".repeat(300) }, "label", "at most 242"],
    [{ label: 5 }, "label", "it must be a string"],
    [
      { query: "SELECT a, b AS n FROM one.numbers", expect: { columns: ["a", "m"] } },
      "expect",
      "expect.columns is a, m, but the result will have the columns a, n: name all of them, in order",
    ],
    [{ expect: { row: { min: 1 } } }, "expect", "expect.row does not exist; the fields of expect are rows, columns"],
    [
      { expect: { rows: { mim: 1 } } },
      "expect",
      "expect.rows.mim does not exist; the fields of expect.rows are min, max",
    ],
    [{ querry: "x" }, "querry", "querry is not an input of SelectQuery; the inputs are clusterName, query"],
  ])("rejects invalid inputs: %j", (given, property, reason) => {
    expect(failures(given)).toEqual([{ property, reason: expect.stringContaining(reason) as string }]);
  });

  test("reports the position of a syntax error, and shows the line", () => {
    const [failure] = failures({ query: "SELECT a\nFORM t WHERE" });
    expect(failure).toMatchObject({ property: "query" });
    expect(failure!.reason).toMatch(/^query cannot run: line 2, column \d+: /);
    expect(failure!.reason).toContain("\n  FORM t WHERE\n");
    expect(failure!.reason.split("\n").at(-1)!.trim()).toBe("^");
  });

  test("does not show a secret statement", () => {
    const [failure] = failures({ query: "SELECT 'hunter2' FORM t t2 x" }, { secret: true });
    expect(failure!.reason).toMatch(/line 1, column \d+/);
    expect(failure!.reason).not.toContain("hunter2");
  });

  test("warns about a statement that only another engine may support", () => {
    const query = "SELECT xpath('<a/>', 'a') FROM db.t";
    const { failures: found, warnings } = selectQuery.check({ ...inputs, query }, checkOptions);
    expect(found).toEqual([]);
    for (const warning of warnings) expect(warning).toMatch(/^query may not run: line /);
  });

  test("rejects an output folder inside a table that the statement reads", () => {
    expect(failures({ query: "SELECT a FROM wildlife.birds", outputResourcePath: "dag://wildlife/birds/sub" })).toEqual(
      [
        {
          property: "outputResourcePath",
          reason: expect.stringContaining("is inside the table wildlife.birds") as string,
        },
      ],
    );
  });

  test("quotes no location when an input is secret", () => {
    const given = { query: "SELECT a FROM wildlife.birds", outputResourcePath: "dag://wildlife/birds/sub" };
    const [failure] = failures(given, { secret: true });
    expect(failure!.reason).toContain('outputResourcePath "[secret]" is inside the table [secret]');
  });

  test("requires dag:storage for purge and resultRows, and says how to set it", () => {
    for (const given of [{ deletionPolicy: "purge" }, { resultRows: 3 }]) {
      expect(failures(given)).toEqual([]);
      const [failure] = failures(given, { storage: false });
      expect(failure).toMatchObject({ property: Object.keys(given)[0] });
      expect(failure!.reason).toContain("pulumi config set dag:storage");
    }
  });

  test("allows the full label length when no token is added", () => {
    expect(failures({ label: "x".repeat(255) }, { submissionToken: false })).toEqual([]);
    const [failure] = failures({ label: "x".repeat(256) }, { submissionToken: false });
    expect(failure).toEqual({ property: "label", reason: "label is 256 characters long: it must be at most 255" });
  });

  test("accepts unknown values", () => {
    const given = { clusterName: unknown, query: unknown, outputResourcePath: unknown, label: unknown };
    expect(selectQuery.check(given, checkOptions)).toEqual({ inputs: given, failures: [], warnings: [] });
  });
});

test("check: expected columns of a result that is kept are not those that its tables have now", () => {
  const programTables = new ProgramTables();
  const columns = () => ["a", "b", "c"];
  programTables.add("dag://dbs/t/", { urn: "t", generation: "g", exists: true, columns, mayBeDeclared: false });
  const kept = { ...inputs, query: "SELECT * FROM dbs.t", rerunWithTables: false, expect: { columns: ["a", "b"] } };
  const failures = (news: object, olds?: object) =>
    selectQuery.check(news, { ...checkOptions, programTables, olds }).failures.map(({ reason }) => reason);
  expect(failures(kept, kept)).toEqual([]);
  const refused = [expect.stringContaining("the result will have the columns a, b, c")];
  expect(failures(kept)).toEqual(refused);
  expect(failures({ ...kept, rerunWithTables: true }, kept)).toEqual(refused);
  expect(failures({ ...kept, query: "SELECT t.* FROM dbs.t" }, kept)).toEqual(refused);
  expect(failures({ ...kept, outputResourcePath: "dag://out/b/" }, kept)).toEqual(refused);
});

describe("diff", () => {
  const diff = (news: object, state: object = { status: "finished" }) =>
    selectQuery.diff({ inputs, state }, { ...inputs, ...news });

  test("finds no difference when nothing changed except the formatting", () => {
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
  ])("every input of the API, and a trigger, makes a new one after the old one is gone: %o", (news) => {
    expect(diff(news)).toMatchObject({ changes: true, replaces: Object.keys(news), deleteBeforeReplace: true });
  });

  test.each([{ deletionPolicy: "purge" }, { resultRows: 5 }])(
    "updates in place when an input that only the provider uses changes: %o",
    (news) => {
      expect(diff(news)).toMatchObject({ changes: true, replaces: [] });
    },
  );

  test("continues an unfinished query, and replaces a failed one", () => {
    expect(diff({}, { status: "running" })).toMatchObject({ changes: true, replaces: [] });
    expect(diff({}, { status: "error" })).toMatchObject({ changes: true, replaces: ["status"] });
    expect(diff({}, { status: "canceled" })).toMatchObject({ changes: true, replaces: ["status"] });
    // The update fails, because nobody knows how the query has ended: an `up` must not pass as if it had finished.
    expect(diff({}, { status: "running", recordExpired: true })).toMatchObject({ changes: true, replaces: [] });
  });
});

test("preflight: warns about objects that the result will replace", async () => {
  const storage = new MemoryStorage({ "dag://out/a/old.csv": "1\n" });
  const { warnings, warn } = testContext();
  await selectQuery.preflight!(inputs, { storage, warn, secret: false });
  await selectQuery.preflight!({ ...inputs, outputResourcePath: "dag://out/b/" }, { storage, warn, secret: false });
  expect(warnings).toEqual(["dag://out/a/ contains objects: they are deleted when the query's result is complete"]);
});

test("preflight: refuses to delete objects that are no result of a query, and names the query of a result", async () => {
  const storage = new MemoryStorage({ "dag://out/a/raw.csv": "1\n" });
  const { warnings, warn } = testContext();
  const service = new FakeService();
  const { client } = service;
  const preflight = (secret = false) => selectQuery.preflight!(inputs, { storage, warn, secret, client });
  const others = "dag://out/a/ has 1 object, such as dag://out/a/raw.csv, which no query published there";
  service.output = { location: "dag://out/a/", others };
  const remedy = "the query would delete them: set another outputResourcePath, or move them away first";
  expect(await preflight()).toEqual({ failures: [{ property: "outputResourcePath", reason: `${others}: ${remedy}` }] });
  const hidden = `the output folder has objects that are no result of a query: ${remedy}`;
  expect(await preflight(true)).toEqual({ failures: [{ property: "outputResourcePath", reason: hidden }] });
  service.output = { location: "dag://out/a/", queryId: 7 };
  expect(await preflight()).toMatchObject({ deletes: "dag://out/a/" });
  expect(warnings).toEqual([
    "dag://out/a/ contains objects, the result of query 7: they are deleted when the query's result is complete",
  ]);
});

test("preflight: refuses the folder of a split's table, also for --replace, whose query is checked as a new one", async () => {
  const storage = new MemoryStorage({ "dag://out/a/000000_0": "1\n" });
  const context = testContext({ storage });
  context.service.finish(
    context.service.add("split", { outputDatabase: "out", outputTable: "a", inputObjectKeys: [] }).id,
  );
  const found = await selectQuery.preflight!(inputs, context);
  expect(found.failures).toEqual([
    {
      property: "outputResourcePath",
      reason: expect.stringContaining("has the table out.a, which split query 1 made"),
    },
  ]);
});

test("preflight: warns when it cannot check the folder, and quotes nothing when an input is secret", async () => {
  const storage = new MemoryStorage({ "dag://out/a/old.csv": "1\n" });
  const { warnings, warn } = testContext();
  await selectQuery.preflight!(inputs, { storage, warn, secret: true });
  storage.broken = true;
  await selectQuery.preflight!(inputs, { storage, warn, secret: false });
  await selectQuery.preflight!(inputs, { storage, warn, secret: true });
  expect(warnings).toEqual([
    "[secret] contains objects: they are deleted when the query's result is complete",
    expect.stringMatching(/^cannot check whether dag:\/\/out\/a\/ contains objects, which would be deleted: ./),
    "cannot check whether [secret] contains objects, which would be deleted",
  ]);
});
