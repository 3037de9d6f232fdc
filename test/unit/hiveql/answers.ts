/** Runs HiveQL on small test tables and returns the rows as Hive prints them. */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import {
  castFromText,
  type Catalog,
  HiveQLError,
  register,
  setupSql,
  translate,
  type TranslateOptions,
} from "../../../hiveql/index";

interface TestTable {
  readonly columns: readonly (readonly [name: string, type: string])[];
  /** Fields as in a text file; null is `\N`. */
  readonly rows: readonly (readonly (string | null)[])[];
}

/** `people` has NULLs and ties; `visits` has one person twice and an unknown person; `chars` has chars, `empty` no rows. */
const tables: Readonly<Record<string, TestTable>> = {
  people: {
    columns: [
      ["id", "int"],
      ["name", "string"],
      ["team", "string"],
      ["pay", "double"],
      ["joined", "date"],
    ],
    rows: [
      ["1", "Ada", "red", "10.5", "2020-01-15"],
      ["2", "Bob", "red", "8", "2020-02-29"],
      ["3", "Cyd", "blue", null, "2021-12-31"],
      ["4", "Dan", "blue", "20", null],
      ["5", "Eve", null, "8", "2019-07-01"],
    ],
  },
  visits: {
    columns: [
      ["person", "string"],
      ["place", "string"],
      ["n", "bigint"],
      ["price", "decimal(10,2)"],
    ],
    rows: [
      ["1", "inn", "2", "10.00"],
      ["1", "bar", "1", "2.50"],
      ["2", "inn", "5", "0.10"],
      ["9", "inn", "7", null],
      [null, "bar", null, "1.00"],
    ],
  },
  chars: {
    columns: [
      ["id", "int"],
      ["a", "char(4)"],
      ["b", "char(6)"],
      ["c", "char(3)"],
    ],
    rows: [
      ["1", "red", "abc", "ab"],
      ["2", "Bob", "x", "ab"],
    ],
  },
  empty: { columns: [["a", "int"]], rows: [] },
};

export const catalog: Catalog = (database, table) => {
  const found = database === "default" && Object.hasOwn(tables, table) ? tables[table] : undefined;
  return found && { columns: found.columns.map(([name, type]) => ({ name, type })), relation: `"${table}"` };
};

/** Returns the error that refuses a statement. @throws when the statement is accepted. */
export function refusal(statement: string, settings: Record<string, string> = {}): HiveQLError {
  try {
    translate(statement, catalog, { settings });
  } catch (error) {
    if (error instanceof HiveQLError) return error;
    throw error;
  }
  throw new Error(`${statement} was accepted`);
}

/** Returns the notes on a statement. */
export const notes = (statement: string): readonly string[] => translate(statement, catalog).notes;

/** The tables as the service defines them: DuckDB plans subqueries over them otherwise than over tables of its own. */
const withTables = `WITH ${Object.keys(tables)
  .map((name) => `"${name}" AS NOT MATERIALIZED (SELECT * FROM memory.main."${name}")`)
  .join(", ")}`;

/** Opens a DuckDB with the test tables. */
export async function openAnswers() {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  register(connection);
  for (const statement of setupSql) await connection.run(statement);
  for (const [name, table] of Object.entries(tables)) await load(connection, name, table);
  return {
    /** Returns the rows with cells joined by `|`; NULL is `NULL`. */
    answer: async (statement: string, options: TranslateOptions = {}): Promise<string[]> => {
      const { textSql } = translate(statement, catalog, options);
      const reader = await connection.runAndReadAll(`${withTables} SELECT * FROM (${textSql})`);
      return reader.getRows().map((row) => row.map((cell) => (cell === null ? "NULL" : String(cell))).join("|"));
    },
    typesOf: (statement: string): string[] => translate(statement, catalog).columns.map((column) => column.type),
    close: () => connection.closeSync(),
  };
}

async function load(connection: DuckDBConnection, name: string, { columns, rows }: TestTable) {
  const quoted = (value: string | null) => (value === null ? "NULL" : `'${value.replaceAll("'", "''")}'`);
  const list = columns.map(([column, type], index) => `${castFromText(`f${index}`, type)} AS "${column}"`).join(", ");
  const fields = columns.map((_column, index) => `f${index}`).join(", ");
  const empty = columns.map(() => "NULL::VARCHAR").join(", ");
  const source =
    rows.length > 0
      ? `VALUES ${rows.map((row) => `(${row.map(quoted).join(", ")})`).join(", ")}`
      : `SELECT ${empty} WHERE FALSE`;
  await connection.run(`CREATE TABLE "${name}" AS SELECT ${list} FROM (${source}) v(${fields})`);
}
