import { describe, expect, test } from "vitest";
import { ProgramTables } from "../../../../../provider/lifecycles/freshness/program-tables";
import { Run } from "../../../../../provider/lifecycles/freshness/run";
import { selectQuery } from "../../../../../provider/lifecycles/resources/select-query";
import { splitTable } from "../../../../../provider/lifecycles/resources/split-table";
import { checkOptions } from "../context";

const urnOf = (type: string, name: string) => `urn:pulumi:dev::unit::dag:index:${type}::${name}`;

/** Checks resources in this order, and returns what is said of those that read a table before it is registered. */
function program() {
  const programTables = new ProgramTables();
  return {
    query(name: string, query: string, more: object = {}, options: object = {}) {
      const inputs = { clusterName: "demo", query, outputResourcePath: `dag://mov/${name}/`, ...more };
      selectQuery.check(inputs, { ...checkOptions, programTables, urn: urnOf("SelectQuery", name), ...options });
    },
    table(name: string, more: object = {}, options: object = {}) {
      const output = { outputDatabase: "mov", outputTable: name };
      const inputs = { clusterName: "demo", inputObjectKeys: ["dag://landing/birds.csv"], ...output, ...more };
      const exists = "olds" in options ? { olds: inputs } : {};
      splitTable.check(inputs, {
        ...checkOptions,
        programTables,
        urn: urnOf("SplitTable", name),
        ...options,
        ...exists,
      });
    },
    made: (type: string, name: string) => programTables.earlyReaders.made(urnOf(type, name)),
    said: () => programTables.earlyReaders.take(),
  };
}

test("a query that is registered before the table it reads: it is said once, with the table and the remedy", () => {
  const { query, table, said } = program();
  query("w", "SELECT * FROM mov.q CROSS JOIN mov.t");
  query("q", "SELECT 1 AS n");
  expect(said()).toEqual([
    {
      urn: urnOf("SelectQuery", "w"),
      text:
        'it reads mov.q, which SelectQuery "q" makes, but does not depend on it, so it may read what was there before: ' +
        'add dependsOn, or use an output of SelectQuery "q" in the statement',
    },
  ]);
  table("t");
  expect(said().map(({ text }) => text)).toEqual([
    expect.stringContaining('it reads mov.t, which SplitTable "t" makes'),
  ]);
  // The engine checks a replaced resource twice.
  query("w", "SELECT * FROM mov.q CROSS JOIN mov.t");
  query("q", "SELECT 1 AS n");
  expect(said()).toEqual([]);
});

test.each([
  ["of another database", ["w", "q"], "SELECT * FROM other.q JOIN mov.z", {}],
  ["that names the table in a text", ["w", "q"], "SELECT 'mov.q' AS q FROM mov.z", {}],
  ["that follows no table", ["w", "q"], "SELECT * FROM mov.q", { rerunWithTables: false }],
])("nothing is said of a query %s", (_which, order, statement, more) => {
  const { query, said } = program();
  for (const name of order) query(name, name === "w" ? statement : "SELECT 1 AS n", name === "w" ? more : {});
  expect(said()).toEqual([]);
});

test("a query that is checked after the table that it reads: it is said while the table is not made", () => {
  const { query, made, said } = program();
  query("q", "SELECT 1 AS n");
  query("w", "SELECT * FROM mov.q");
  expect(said()).toEqual([
    { urn: urnOf("SelectQuery", "w"), text: expect.stringContaining("it reads mov.q") as string },
  ]);
  made("SelectQuery", "q");
  query("v", "SELECT * FROM mov.q");
  query("x", "SELECT * FROM mov.x");
  expect(said()).toEqual([]);
});

describe("a split that reads a result of the program", () => {
  const reads = { inputObjectKeys: ["dag://mov/a.csv", "dag://mov/q/*", "dag://mov/q/000000_0"] };
  const early = [
    {
      urn: urnOf("SplitTable", "w"),
      text:
        'it reads dag://mov/q/*, which SelectQuery "q" makes, but does not depend on it, so it may read what was there ' +
        'before: add dependsOn, or use an output of SelectQuery "q" in inputObjectKeys',
    },
  ];

  test("is said to be early while the result is not made, and when it is registered before the query", () => {
    const after = program();
    after.query("q", "SELECT 1 AS n");
    after.table("w", reads);
    expect(after.said()).toEqual(early);
    after.made("SelectQuery", "q");
    after.table("v", reads);
    expect(after.said()).toEqual([]);
    const before = program();
    before.table("w", reads);
    expect(before.said()).toEqual([]);
    before.query("q", "SELECT 1 AS n");
    expect(before.said()).toEqual(early);
  });

  test("and exists is early only when it follows its inputs", () => {
    const { query, table, said } = program();
    query("q", "SELECT 1 AS n");
    table("v", reads, { olds: true });
    expect(said()).toEqual([]);
    table("w", { ...reads, rerunOnInputChange: true }, { olds: true });
    expect(said()).toEqual(early);
  });

  test("is not quoted when an input is secret", () => {
    const { query, table, said } = program();
    query("q", "SELECT 1 AS n");
    table("w", reads, { secret: true });
    expect(said().map(({ text }) => text)).toEqual([
      expect.stringMatching(/^it reads an object, which SelectQuery "q"/),
    ]);
  });
});

test("a secret statement is not quoted", () => {
  const { query, said } = program();
  query("w", "SELECT 'hunter2' AS p FROM mov.q", {}, { secret: true });
  query("q", "SELECT 1 AS n");
  expect(said().map(({ text }) => text)).toEqual([expect.stringContaining('it reads a table, which SelectQuery "q"')]);
});

describe("the result of a query that was compared before the table that it reads", () => {
  /** Checks and compares a query, then its table. Returns what is said of the query's result. */
  function outdated({ read = 5, made = 7, readerRuns = false, tableRuns = false, secret = false, isNew = false }) {
    const run = new Run();
    const compare = (name: string, queryId: number, runs: boolean) => {
      const diff = { changes: runs, replaces: runs ? ["triggers"] : [], reasons: ["triggers changed"] };
      const same = { deleteBeforeReplace: true, detailedDiff: {} };
      const old = { inputs: {}, state: { queryId, status: "finished", location: `dag://mov/${name}/` } };
      run.compared({ urn: urnOf("SelectQuery", name), secret }, { ...diff, ...same }, old, {});
    };
    const check = (name: string, query: string) => {
      const inputs = { clusterName: "demo", query, outputResourcePath: `dag://mov/${name}/` };
      const options = { ...checkOptions, programTables: run.tables, urn: urnOf("SelectQuery", name), secret };
      selectQuery.check(inputs, { ...options, olds: isNew ? undefined : inputs });
    };
    check("w", "SELECT * FROM mov.q");
    if (!isNew) compare("w", read, readerRuns);
    check("q", "SELECT 1 AS n");
    compare("q", made, tableRuns);
    const said = run.tables.earlyReaders.take().filter(({ text }) => text.startsWith("its result is out of date"));
    return said.map(({ text }) => text);
  }
  const remedy =
    '. It runs again only when it depends on that: add dependsOn, or use an output of SelectQuery "q" in the statement';

  test("is out of date when the table was made after it, or is made now", () => {
    const since = `its result is out of date: query 7 of SelectQuery "q" has made mov.q after its query 5${remedy}`;
    expect(outdated({})).toEqual([since]);
    const now = `its result is out of date: SelectQuery "q" makes mov.q again${remedy}`;
    expect(outdated({ tableRuns: true })).toEqual([now]);
    expect(outdated({ secret: true })).toEqual([since.replace("mov.q", "a table")]);
  });

  test.each([
    ["was made after the table", { read: 9 }],
    ["is made now", { readerRuns: true, tableRuns: true }],
    ["is new", { isNew: true }],
  ])("may be of the table when it %s", (_when, given) => expect(outdated(given)).toEqual([]));
});
