import { describe, expect, test } from "vitest";
import { includesFunction, excluded } from "../../conformance/hive/deviations.mts";
import { expressionsOver } from "../../conformance/hive/generate/expressions.mts";
import { sampleTerms } from "../../conformance/hive/generate/sample-terms.mts";
import { queriesOver } from "../../conformance/hive/generate/queries.mts";
import { limitsTable, tables, unionOfRows } from "../../conformance/hive/generate/tables.mts";
import { toSql } from "../../conformance/hive/generate/term.mts";
import { readCallables } from "../../conformance/hive/generate/callables.mts";
import { HiveQLError, translate } from "../../../hiveql/index";
import { families } from "../../../hiveql/functions";

const catalog = (_database: string, name: string) => {
  const table = tables.find((each) => each.name === name);
  return table && { columns: table.columns, relation: `"${name}"` };
};
const typeOf = (statement: string) => {
  try {
    return translate(statement, catalog).columns[0]?.type;
  } catch {
    return undefined;
  }
};
const entries = Object.values(families).flat();
const functions = readCallables(entries, typeOf);
const expressions = expressionsOver(functions, { tables: [{ prefix: "", table: limitsTable }] });

/** Returns true when the translator accepts a statement. Any error other than a refusal fails the test. */
function isAccepted(statement: string): boolean {
  try {
    return translate(statement, catalog) !== undefined;
  } catch (error) {
    if (error instanceof HiveQLError) return false;
    throw new Error(`${statement}: ${(error as Error).stack}`, { cause: error });
  }
}

describe("readCallables", () => {
  test("readCallables: has every name of the table of functions except the excluded ones", () => {
    const called = entries.filter(({ kind }) => kind !== "grouping" && kind !== "identity");
    const all = called.flatMap((entry) => entry.names).filter((name) => !includesFunction(excluded, name));
    expect(functions.map(({ name }) => name)).toEqual(all);
  });

  test("readCallables: finds the result family of functions whose result depends on the arguments", () => {
    const resultFamily = (name: string) => functions.find((each) => each.name === name)?.resultFamily;
    expect(["abs", "array", "map_keys", "struct", "upper", "datediff"].map(resultFamily)).toEqual([
      "integer",
      "array",
      "array",
      "struct",
      "text",
      "integer",
    ]);
  });
});

describe("expressionsOver", () => {
  test.each(functions.filter(({ kind }) => kind === "scalar").map((callable) => [callable.name, callable] as const))(
    "expressionsOver: generates calls of %s that the translator accepts",
    (_name, callable) => {
      const calls = sampleTerms(expressions.call(callable, 0), 300, 1);
      expect(calls.some((call) => isAccepted(`SELECT ${toSql(call)} FROM pool`))).toBe(true);
    },
  );

  test("expressionsOver: the translator accepts most expressions and refuses the others without an internal error", () => {
    const some = sampleTerms(expressions.any(2), 100, 1);
    expect(some.filter((each) => isAccepted(`SELECT ${toSql(each)} FROM pool`)).length).toBeGreaterThan(50);
  });

  test("expressionsOver: the same seed gives the same expressions", () => {
    const run = () => sampleTerms(expressions.any(2), 20, 7).map((each) => toSql(each));
    expect(run()).toEqual(run());
  });
});

describe("queriesOver", () => {
  test("queriesOver: generates valid joins, groups, windows, subqueries, set operators and lateral views", () => {
    const some = sampleTerms(queriesOver(functions), 300, 1).map((each) => toSql(each));
    for (const construct of [
      "FULL OUTER JOIN",
      "GROUPING SETS",
      "OVER (",
      "EXISTS (",
      "INTERSECT",
      "LATERAL VIEW",
      "WITH q",
    ]) {
      expect(some.some((statement) => statement.includes(construct))).toBe(true);
    }
    expect(some.slice(0, 100).filter(isAccepted).length).toBeGreaterThan(30);
  });
});

describe("unionOfRows", () => {
  test.each(tables)("unionOfRows: returns a statement with the column types of $name", (table) => {
    const { columns } = translate(unionOfRows(table), catalog);
    const held = table.columns.map(({ type }) => (type.startsWith("char") ? "string" : type));
    expect(columns.map(({ type }) => type)).toEqual(held);
    expect(table.rows.every((row) => row.length === table.columns.length)).toBe(true);
  });
});
