import { expect, test } from "vitest";
import { ProgramTables } from "../../../../../provider/lifecycles/freshness/program-tables";
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
    table(name: string) {
      const output = { outputDatabase: "mov", outputTable: name };
      const inputs = { clusterName: "demo", inputObjectKeys: ["dag://landing/birds.csv"], ...output };
      splitTable.check(inputs, { ...checkOptions, programTables, urn: urnOf("SplitTable", name) });
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

test("a secret statement is not quoted", () => {
  const { query, said } = program();
  query("w", "SELECT 'hunter2' AS p FROM mov.q", {}, { secret: true });
  query("q", "SELECT 1 AS n");
  expect(said().map(({ text }) => text)).toEqual([expect.stringContaining('it reads a table, which SelectQuery "q"')]);
});
