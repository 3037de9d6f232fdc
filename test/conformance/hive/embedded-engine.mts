/** Opens the embedded engine: the translator, and DuckDB as the service runs it. */
import { loadDuckDB, loadHiveql, loadModule } from "../../../tools/load-hiveql.mts";
import type { Answer, Engine } from "./engine.mts";
import { type Table, unionOfRows } from "./generate/tables.mts";

type Hiveql = typeof import("../../../hiveql/index.ts");
type EngineErrors = typeof import("../../../service/engines/duckdb/engine-errors.ts");

/** The kinds of errors at run time that users are told in our own words. */
const refusals: ReadonlySet<ReturnType<EngineErrors["duckdbErrorKind"]>> = new Set([
  "raised",
  "interrupted",
  "out-of-memory",
  "range",
  "conversion",
]);

/** Statements that take longer count as refused, because generated values may need unlimited time. */
const timeoutMs = 20_000;

export interface EmbeddedEngine extends Engine {
  /** Returns the type of a statement's first column in Hive's notation; undefined when the statement is refused. */
  typeOf(statement: string): string | undefined;
}

/** Opens DuckDB with the tables. */
export async function openEmbeddedEngine(tables: readonly Table[]): Promise<EmbeddedEngine> {
  const hiveql = await loadHiveql<Hiveql>("index.ts");
  const { duckdbErrorKind } = await loadModule<EngineErrors>("service/engines/duckdb/engine-errors.ts");
  const { DuckDBInstance } = loadDuckDB();
  const connection = await (await DuckDBInstance.create(":memory:", { memory_limit: "1GB" })).connect();
  hiveql.register(connection);
  for (const statement of hiveql.setupSql) await connection.run(statement);
  const catalog = (_database: string, name: string) => {
    const table = tables.find((each) => each.name === name);
    return table && { columns: table.columns, relation: `"${name}"` };
  };
  for (const table of tables) {
    if (table.fields) {
      await connection.run(fieldsSql(table, hiveql.castFromText));
      continue;
    }
    const names = table.columns.map(({ name }) => `"${name}"`).join(", ");
    const { sql } = hiveql.translate(unionOfRows(table), () => undefined);
    const limit = table.rows.length === 0 ? " LIMIT 0" : "";
    await connection.run(`CREATE TABLE "${table.name}" AS SELECT * FROM (${sql}) AS r(${names})${limit}`);
  }

  const answer = async (statement: string): Promise<Answer> => {
    let translation: ReturnType<Hiveql["translate"]>;
    try {
      translation = hiveql.translate(statement, catalog);
    } catch (error) {
      const { message, stack } = error as Error;
      return error instanceof hiveql.HiveQLError
        ? { kind: "refused", message }
        : { kind: "failed", message: `the translator failed: ${stack ?? message}` };
    }
    const timer = setTimeout(() => connection.interrupt(), timeoutMs);
    try {
      const reader = await connection.runAndReadAll(translation.textSql);
      const rows = reader.getRows().map((row) => row.map((cell) => (cell === null ? null : String(cell))));
      const { columns, sortedBy } = translation;
      return { kind: "rows", rows, types: columns.map(({ type }) => type), ...(sortedBy ? { sortedBy } : {}) };
    } catch (error) {
      const { message } = error as Error;
      return { kind: refusals.has(duckdbErrorKind(error)) ? "refused" : "failed", message };
    } finally {
      clearTimeout(timer);
    }
  };

  // A connection runs one statement at a time, so statements wait in a queue.
  let last: Promise<unknown> = Promise.resolve();
  const ask = (statement: string): Promise<Answer> => {
    const next = last.then(() => answer(statement));
    last = next;
    return next;
  };

  return {
    ask,
    typeOf: (statement) => {
      try {
        return hiveql.translate(statement, catalog).columns[0]?.type;
      } catch {
        return undefined;
      }
    },
    close: async () => connection.closeSync(),
  };
}

/** Returns the SQL that creates a table of the values that the engine reads from a text file's fields. */
function fieldsSql({ name, columns, fields = [] }: Table, castFromText: Hiveql["castFromText"]): string {
  const quoted = (text: string | undefined) =>
    text === undefined || text === "\\N" ? "NULL" : `'${text.replaceAll("'", "''")}'`;
  const rows = fields.map((row) => `(${columns.map((_column, index) => quoted(row[index])).join(", ")})`);
  const values = columns.map((column, index) => `${castFromText(`f${index}`, column.type)} AS "${column.name}"`);
  const texts = columns.map((_column, index) => `f${index}`).join(", ");
  return `CREATE TABLE "${name}" AS SELECT ${values.join(", ")} FROM (VALUES ${rows.join(", ")}) v(${texts})`;
}
