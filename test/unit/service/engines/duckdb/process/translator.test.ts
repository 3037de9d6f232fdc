import { join } from "node:path";
import { expect, test } from "vitest";
import { readStatement, type Statement } from "../../../../../../service/engines/duckdb/process/translator";
import { readCases, readTables } from "../../../../../conformance/golden/folder.mts";

const golden = join(__dirname, "../../../../../conformance/golden/cases");
const tables = new Map(readTables(golden).map(({ table, columns }) => [table, columns]));

function translated(statement: Statement, hashes: Readonly<Record<string, string>>) {
  return statement.translate(({ table }) => {
    const columns = (tables.get(hashes[table] ?? "") ?? []).map(([name, type]) => ({ name, type }));
    return { database: "default", table, columns, relation: `(FROM ${table})` };
  });
}

test.each(readCases(golden))("encode: another process translates $id to the same SQL", ({ query, tables: hashes }) => {
  const checked = readStatement(query);
  const expected = translated(checked, hashes);
  const encoded = checked.encode();
  // The text is not read again: it could not be.
  const run = readStatement(`${query} not HiveQL`, [], undefined, encoded);
  expect(translated(run, hashes)).toEqual(expected);
});

test("encode: nothing of a statement with more than 20,000 characters", () => {
  const query = (length: number) => `SELECT '${"x".repeat(length - "SELECT ''".length)}'`;
  expect(readStatement(query(20_000)).encode()).toBeInstanceOf(Uint8Array);
  expect(readStatement(query(20_001)).encode()).toBeUndefined();
});

test("translate: a statement that exceeds the stack is refused as too large", { timeout: 120_000 }, () => {
  const query = Array.from({ length: 10_000 }, () => "SELECT 1 FROM t").join(" UNION ALL ");
  expect(() => translated(readStatement(query), {})).toThrow("is larger than the embedded engine can translate");
});
