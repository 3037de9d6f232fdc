import { expect, test } from "vitest";
import { errors } from "../../../../../contract";
import { PartialCreate, unknown } from "../../../../../provider/lifecycles";
import { selectQuery } from "../../../../../provider/lifecycles/resources/select-query";
import { splitTable } from "../../../../../provider/lifecycles/resources/split-table";
import { Run } from "../../../../../provider/lifecycles/freshness/run";
import { RunReport } from "../../../../../provider/lifecycles/freshness/run-report";
import { Refusal } from "../../../../../provider/lifecycles/refusal";
import { checkOptions } from "../context";

const urn = (name: string) => `urn:pulumi:dev::program::dag:index:SelectQuery::${name}`;

test("preview: a result that was not compared after a refusal is not counted as kept", () => {
  const report = new RunReport();
  for (const name of ["a", "b", "c"]) report.checked(urn(name), { cluster: "demo", exists: true });
  report.compared(urn("a"));
  report.ended(urn("b"), "refused");
  expect(report.lines()).toEqual(["cluster demo: no query is to run; 1 refused; 1 result is kept; 1 not compared"]);
});

test("preview: a table that is adopted counts as that, and not as a query that runs", () => {
  const report = new RunReport();
  for (const name of ["a", "b"]) report.checked(urn(name), { cluster: "demo", exists: false });
  report.adopts(urn("a"));
  expect(report.lines()).toEqual([
    "cluster demo: 1 query will run (1 new, 0 again); 1 table will be adopted; 0 results are kept; no output will be deleted",
  ]);
});

test("preview: an output folder that could not be checked is not one of which nothing is deleted", () => {
  const report = new RunReport();
  for (const name of ["a", "b"]) report.checked(urn(name), { cluster: "demo", exists: false });
  report.mayDelete(urn("a"));
  expect(report.lines()).toEqual([
    "cluster demo: 2 queries will run (2 new, 0 again); 0 results are kept; 1 output not checked for objects to delete",
  ]);
});

test("preview: a resource that the engine replaces without a comparison runs again", () => {
  const report = new RunReport();
  report.checked(urn("a"), { cluster: "demo", exists: true });
  report.checked(urn("a"), { cluster: "demo", exists: false });
  report.deletes(urn("a"), "dag://out/a/");
  expect(report.lines()).toEqual([
    "cluster demo: 1 query will run (0 new, 1 again); 0 results are kept; again: a: its replacementTrigger changed, or its last replacement failed; " +
      "outputs that will be deleted: dag://out/a/",
  ]);
});

test("preview: a resource that the engine has compared, and that need not run again, is replaced by its options", () => {
  const report = new RunReport();
  report.checked(urn("a"), { cluster: "demo", exists: true });
  report.compared(urn("a"));
  report.checked(urn("a"), { cluster: "demo", exists: false });
  const reason = "again: a: its resource options, the command or a failed replacement replace it";
  expect(report.lines()).toEqual([expect.stringContaining(reason)]);
});

test.each([true, false])(
  "preview: names a query that a replacement cancels; checked before the comparison: %s",
  (first) => {
    const run = new Run();
    const inputs = { clusterName: "demo", query: "SELECT 1", outputResourcePath: "dag://out/a/" };
    const state = { queryId: 7, status: "running", location: "dag://out/a/" };
    const news = { ...inputs, query: "SELECT 2" };
    const check = () => run.checked({ urn: urn("a"), secret: false }, selectQuery as never, news, inputs);
    if (first) check();
    const diff = selectQuery.diff({ inputs, state: state as never }, news);
    const { reason } = run.compared({ urn: urn("a"), secret: false }, diff, { inputs, state }, news);
    if (!first) check();
    expect(reason).toBe("runs again: query changed; query 7, which may still run, is cancelled");
    expect(run.report.lines()[0]).toContain("; queries that may still run and will be cancelled: 7 (a); ");
  },
);

test("preview: counts queries whose cluster or folder is not known yet", () => {
  const run = new Run();
  const inputs = { clusterName: "demo", query: "SELECT 1", outputResourcePath: "dag://out/a/" };
  const state = { queryId: 7, status: "finished", location: "dag://out/a/" };
  const compared = (name: string, news: object) => {
    const resource = { urn: urn(name), secret: false };
    run.checked(resource, selectQuery as never, news, inputs);
    const diff = selectQuery.diff({ inputs, state: state as never }, news as never);
    run.compared(resource, diff, { inputs, state }, news);
  };
  compared("a", { ...inputs, outputResourcePath: unknown });
  compared("b", { ...inputs, clusterName: unknown });
  expect(run.report.lines()).toEqual([
    "cluster demo: 1 query may run again; 0 results are kept; again: a: outputResourcePath is not known yet; " +
      "1 output not checked for objects to delete",
    "cluster not known yet: 1 query may run again; 0 results are kept; again: b: clusterName is not known yet; " +
      "outputs that may be deleted: dag://out/a/",
  ]);
});

test("preview: names the folder that a purge leaves, and the one that the query replaces; none that is kept", () => {
  const report = new RunReport();
  for (const name of ["a", "b"]) report.checked(urn(name), { cluster: "demo", exists: true });
  for (const name of ["a", "b"]) report.runsAgain(urn(name), ["it moves"], `dag://old/${name}/`);
  report.keepsObjects(urn("b"));
  for (const name of ["a", "b"]) report.deletes(urn(name), `dag://new/${name}/`);
  expect(report.lines()[0]).toMatch(/: dag:\/\/old\/a\/, dag:\/\/new\/a\/, dag:\/\/new\/b\/$/);
});

test("preview: a query behind a table that may be made again may run again, and one that changes runs", () => {
  const run = new Run();
  const table = { clusterName: "demo", inputObjectKeys: ["dag://raw/a.csv"], outputDatabase: "data", outputTable: "t" };
  const query = { clusterName: "demo", query: "SELECT a FROM data.t", outputResourcePath: "dag://out/a/" };
  const compare = (lifecycle: typeof splitTable | typeof selectQuery, one: string, olds: object, given: object) => {
    const options = { ...checkOptions, programTables: run.tables, urn: one, olds };
    const { inputs: news } = lifecycle.check(given, options);
    run.checked({ urn: one, secret: false }, lifecycle as never, news, olds);
    const state = { queryId: one.length, status: "finished", location: "dag://out/a/" };
    const diff = (lifecycle as typeof selectQuery).diff(
      { inputs: olds as never, state: state as never },
      news as never,
    );
    return run.compared({ urn: one, secret: false }, diff, { inputs: olds, state }, news).reason;
  };
  const made = { ...table, generation: "made0000" };
  const read = { ...query, generation: "read0000", tables: ["made0000"] };
  const tableUrn = urn("t").replace("SelectQuery", "SplitTable");
  expect(compare(splitTable, tableUrn, made, { ...table, inputObjectKeys: [unknown] })).toBe(
    "may run again: inputObjectKeys is not known yet",
  );
  // The engine checks what it replaces as a new resource.
  splitTable.check(
    { ...table, inputObjectKeys: [unknown] },
    { ...checkOptions, programTables: run.tables, urn: tableUrn },
  );
  expect(compare(selectQuery, urn("q"), read, query)).toBe("may run again: the table data.t was rebuilt");
  expect(compare(selectQuery, urn("r"), read, { ...query, query: "SELECT b FROM data.t" })).toBe(
    "runs again: query changed",
  );
  // The engine compares what depends on a replaced resource before it checks it.
  const early = { urn: urn("early"), secret: false };
  const news = { ...query, outputResourcePath: unknown as never };
  const state = { queryId: 9, status: "finished", location: "dag://out/a/" };
  run.compared(early, selectQuery.diff({ inputs: query, state: state as never }, news), { inputs: query, state }, news);
  run.checked(early, selectQuery as never, query, undefined);
  expect(run.report.lines()).toEqual([
    expect.stringMatching(/^cluster demo: 1 query will run \(0 new, 1 again\); 3 queries may/),
  ]);
});

test.each([
  [{}, "outputs that will be deleted: dag://data/old/ (unless retainOnDelete keeps it)"],
  [{ adopted: true }, "no output will be deleted"],
])("preview: a purge deletes the old table of a replacement, not one that was adopted: %j", (adoption, said) => {
  const run = new Run();
  const inputs = {
    clusterName: "demo",
    inputObjectKeys: ["dag://in/a.csv"],
    outputDatabase: "data",
    outputTable: "old",
    deletionPolicy: "purge" as const,
  };
  const state = { queryId: 7, status: "finished", location: "dag://data/old/", ...adoption };
  const news = { ...inputs, outputTable: "new" };
  const table = urn("t").replace("SelectQuery", "SplitTable");
  run.checked({ urn: table, secret: false }, splitTable as never, news, inputs);
  const diff = splitTable.diff({ inputs, state: state as never }, news);
  run.compared({ urn: table, secret: false }, diff, { inputs, state }, news);
  expect(run.report.lines()[0]).toContain(said);
});

test("preview: a result whose folder stays is deleted by the new query, also with retainOnDelete", () => {
  const run = new Run();
  const inputs = {
    clusterName: "demo",
    query: "SELECT 1",
    outputResourcePath: "dag://out/a/",
    deletionPolicy: "purge",
  };
  const state = { queryId: 7, status: "finished", location: "dag://out/a/" };
  const news = { ...inputs, query: "SELECT 2" };
  const resource = { urn: urn("a"), secret: false };
  run.checked(resource, selectQuery as never, news, inputs);
  run.compared(resource, selectQuery.diff({ inputs, state } as never, news as never), { inputs, state }, news);
  expect(run.report.lines()[0]).toMatch(/outputs that will be deleted: dag:\/\/out\/a\/$/);
});

test.each([
  ["t", "the table data.t was rebuilt"],
  [
    "renamed",
    "the table data.t was rebuilt, or is that of another resource than before, such as after a rename without an alias",
  ],
])("preview: why a query runs again whose table is that of the resource %s", (name, reason) => {
  const run = new Run();
  const options = { ...checkOptions, programTables: run.tables };
  const table = { clusterName: "demo", inputObjectKeys: ["dag://raw/a.csv"], outputDatabase: "data", outputTable: "t" };
  const tableUrn = (one: string) => urn(one).replace("SelectQuery", "SplitTable");
  const exists = { ...table, generation: "before00" };
  if (name === "t") splitTable.check(table, { ...options, urn: tableUrn("t"), olds: exists });
  splitTable.check(table, { ...options, urn: tableUrn(name) });
  const query = { clusterName: "demo", query: "SELECT a FROM data.t", outputResourcePath: "dag://out/a/" };
  const inputs = { ...query, generation: "mine0000", tables: ["before00"] };
  const { inputs: news } = selectQuery.check(query, { ...options, urn: urn("a"), olds: inputs });
  const state = { queryId: 7, status: "finished", location: "dag://out/a/" };
  const diff = selectQuery.diff({ inputs, state: state as never }, news);
  expect(run.compared({ urn: urn("a"), secret: false }, diff, { inputs, state }, news).reason).toBe(
    `runs again: ${reason}`,
  );
  expect(run.tables.isOfNew("data.t")).toBe(name === "renamed");
  expect(run.tables.isOfNew("dag://data/t/000000_0")).toBe(name === "renamed");
  // After a failed replacement, a resource that the run has compared before adopts its table: no split rebuilds it.
  run.tables.adopts(tableUrn(name));
  expect(run.compared({ urn: urn("a"), secret: false }, diff, { inputs, state }, news).reason).toBe(
    "runs again: the table data.t is adopted by a new resource",
  );
  expect(run.tables.isOfNew("data.t")).toBe(true);
});

test.each([
  ["refused", new Refusal("the table exists")],
  ["refused", new errors.MalformedJSON("no query")],
  ["failed", new errors.ServiceUnavailable("no disk")],
  ["failed", new Error("broken")],
  ["not finished or not read", new PartialCreate("1", { status: "running" }, ["its result cannot be read"])],
])("up: a resource whose create throws is counted as %s: %s", async (word, error) => {
  const run = new Run();
  run.checked({ urn: urn("a"), secret: false }, selectQuery as never, { clusterName: "demo" }, undefined);
  const context = {
    urn: urn("a"),
    sleep: async () => {},
    signal: new AbortController().signal,
    warn: () => {},
    secret: false,
  };
  await expect(run.create(context, async () => Promise.reject(error))).rejects.toBe(error);
  expect(run.report.lines()).toEqual([`cluster demo: 0 ran, 0 adopted, 0 kept, 1 ${word}`]);
});
