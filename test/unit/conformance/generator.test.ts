import { describe, expect, test } from "vitest";
import { includesFunction, excluded } from "../../conformance/hive/deviations.mts";
import { expressionsOver } from "../../conformance/hive/generate/expressions.mts";
import { sampleTerms } from "../../conformance/hive/generate/sample-terms.mts";
import { queriesOver } from "../../conformance/hive/generate/queries.mts";
import { limitsTable, rowsOf, tables } from "../../conformance/hive/generate/tables.mts";
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

/** Whether the translator takes a statement; what it throws otherwise must be a refusal. */
function isTaken(statement: string): boolean {
  try {
    return translate(statement, catalog) !== undefined;
  } catch (error) {
    if (error instanceof HiveQLError) return false;
    throw new Error(`${statement}: ${(error as Error).stack}`, { cause: error });
  }
}

describe("readVocabulary", () => {
  test("readVocabulary: holds every name of the table of functions, but what cannot be compared", () => {
    const all = entries.flatMap((entry) => entry.names).filter((name) => !includesFunction(excluded, name));
    expect(functions.map(({ name }) => name)).toEqual(all);
  });

  test("readVocabulary: knows what functions give where their declaration depends on the arguments", () => {
    const gives = (name: string) => functions.find((each) => each.name === name)?.resultFamily;
    expect(["abs", "array", "map_keys", "struct", "upper", "datediff"].map(gives)).toEqual([
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
    "expressionsOver: calls %s as the translator reads it",
    (_name, callable) => {
      const calls = sampleTerms(expressions.call(callable, 0), 300, 1);
      expect(calls.some((call) => isTaken(`SELECT ${toSql(call)} FROM pool`))).toBe(true);
    },
  );

  test("expressionsOver: most expressions are taken, and no other fails but as a refusal", () => {
    const some = sampleTerms(expressions.any(2), 100, 1);
    expect(some.filter((each) => isTaken(`SELECT ${toSql(each)} FROM pool`)).length).toBeGreaterThan(50);
  });

  test("expressionsOver: a seed gives the same expressions again", () => {
    const run = () => sampleTerms(expressions.any(2), 20, 7).map((each) => toSql(each));
    expect(run()).toEqual(run());
  });
});

describe("queriesOver", () => {
  test("queriesOver: makes joins, groups, windows, subqueries, set operators and lateral views that are taken", () => {
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
    expect(some.slice(0, 100).filter(isTaken).length).toBeGreaterThan(30);
  });
});

describe("rowsOf", () => {
  test.each(tables)("rowsOf: writes $name as a statement of the types that its columns have", (table) => {
    const { columns } = translate(rowsOf(table), catalog);
    expect(columns.map(({ type }) => type)).toEqual(table.columns.map(({ type }) => type));
    expect(table.rows.every((row) => row.length === table.columns.length)).toBe(true);
  });
});
