import { expect, test } from "vitest";
import { HiveServerError } from "../../../../../service/engines/hiveserver2/client/errors";
import { hiveDialect } from "../../../../../service/engines/hiveserver2/dialects/hive";
import type { ExternalTable, PreparedStatement } from "../../../../../service/engines/prepared-statement";
import { renderStatement, statementRefused } from "../../../../../service/engines/hiveserver2/statement";
import { partsOf } from "../../../../../service/engines/duckdb/external/references";

const table = (name: string, escapes = false): ExternalTable => ({
  database: "db",
  table: name,
  format: "tsv",
  columns: [{ name: "a", type: "string" }],
  partitions: [],
  folders: [],
  paths: [],
  isEmpty: false,
  header: false,
  headerLines: [],
  escapes,
  quotes: false,
  carriageReturns: false,
});

function prepare(statement: string, views: Record<string, string> = {}, escapes = false): PreparedStatement {
  const tables = [table("x", escapes), table("y", escapes)];
  const names = new Map(tables.map((each, index) => [`db.${each.table}`, index]));
  return {
    parts: partsOf(statement, { tables: names, views: new Map(Object.entries(views)), reader: "hive" }),
    tables,
    names: null,
    notes: [],
  };
}
const render = (...options: Parameters<typeof prepare>) => renderStatement(prepare(...options), hiveDialect).text;

test.each([
  ["SELECT a FROM db.x", "SELECT a FROM dag_t0 `x`"],
  ["SELECT q.a FROM `DB`.`X` AS q, db.y", "SELECT q.a FROM dag_t0 AS q, dag_t1 `y`"],
  ["SELECT 1 -- FROM db.x\n;", "SELECT 1             \n "],
  ["SELECT a FROM db.x; -- end", "SELECT a FROM dag_t0 `x`        "],
  ["WITH x AS (SELECT a FROM db.x) SELECT * FROM x", "WITH x AS (SELECT a FROM dag_t0 `x`) SELECT * FROM x"],
  ["SELECT 'db.x' FROM db.x TABLESAMPLE (1 ROWS)", "SELECT 'db.x' FROM dag_t0 TABLESAMPLE (1 ROWS) `x`"],
])("renderStatement: %s", (statement, expected) => {
  expect(render(statement)).toBe(expected);
});

test("renderStatement: a view is its query, with the view's name as alias", () => {
  const views = { "db.v": "SELECT a FROM db.w", "db.w": "SELECT a FROM db.x -- the rest" };
  expect(render("SELECT v.a FROM db.v", views)).toMatch(
    /^SELECT v\.a FROM \(SELECT a FROM \(SELECT a FROM dag_t0 `x` *\) `w`\) `v`$/,
  );
});

test("renderStatement: escapes are read by a query in the place of the table", () => {
  expect(render("SELECT a FROM db.x", {}, true)).toMatch(
    /^SELECT a FROM \(SELECT replace\(.*AS `a` FROM dag_t0\) `x`$/,
  );
});

test.each([
  ["Line 1:29 Invalid column 'b'", "SELECT a,\n  b FROM db.x", "1:9"],
  ["Line 2:2 Invalid column 'b'", "SELECT a,\n  b FROM db.x", "2:3"],
  ["Line 2:22 Invalid column 'b'", "SELECT a\nFROM db.x WHERE b = 1", "2:17"],
  ["no position at all", "SELECT a FROM db.x", "1:1"],
])("statementRefused: %s has the position of the submitted statement", (message, submitted, position) => {
  const prepared = prepare(submitted);
  const sent = {
    ...renderStatement(prepared, hiveDialect),
    dialect: hiveDialect,
    submitted,
    tables: prepared.tables,
    prefix: 21,
  };
  const { message: text } = statementRefused(new HiveServerError(message, "42000"), sent);
  expect(text).toMatch(new RegExp(`^query ${position} the Hive server refuses it: `));
});

test("statementRefused: a temporary table has the name of its table", () => {
  const submitted = "SELECT a FROM db.x";
  const prepared = prepare(submitted);
  const sent = {
    ...renderStatement(prepared, hiveDialect),
    dialect: hiveDialect,
    submitted,
    tables: prepared.tables,
    prefix: 0,
  };
  const { message } = statementRefused(new HiveServerError("cannot read dag_t0", undefined), sent);
  expect(message).toContain("cannot read db.x");
});
