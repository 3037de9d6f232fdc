/** Opens the embedded engine: the translator, and DuckDB as the service runs it. */
import { loadDuckDB, loadModule } from "../../../tools/load-hiveql.mts";
import type { Answer, Engine } from "./engine.mts";
import { type Lakes, lakeBucket } from "./lakes.mts";
import { type Table, unionOfRows } from "./generate/tables.mts";

type Modules = typeof import("./embedded-modules.ts");
type Hiveql = Modules["hiveql"];
type TableNode = import("../../../hiveql/index.ts").TableNode;

/** The kinds of errors at run time that users are told in our own words. */
const refusals: ReadonlySet<ReturnType<Modules["duckdbErrorKind"]>> = new Set([
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

/** Opens DuckDB with the tables. @param lakes tables whose files are read as the service reads them. */
export async function openEmbeddedEngine(tables: readonly Table[], lakes?: Lakes): Promise<EmbeddedEngine> {
  const modules = await loadModule<Modules>("test/conformance/hive/embedded-modules.ts");
  const { hiveql, duckdbErrorKind } = modules;
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

  const rowsOf = async (translation: ReturnType<Hiveql["translate"]>, withClause = ""): Promise<Answer> => {
    const reader = await connection.runAndReadAll(`${withClause}SELECT * FROM (${translation.textSql})`);
    const rows = reader.getRows().map((row) => row.map((cell) => (cell === null ? null : String(cell))));
    const { columns, sortedBy } = translation;
    return { kind: "rows", rows, types: columns.map(({ type }) => type), ...(sortedBy ? { sortedBy } : {}) };
  };
  const inLakes = lakes && (await lakeReader(modules, lakes));
  const run = async (statement: string): Promise<Answer> => {
    const definitions = inLakes?.read(statement) ?? [];
    if (!inLakes || definitions.length === 0) return rowsOf(hiveql.translate(statement, catalog));
    const query = modules.readStatement(statement);
    const signal = AbortSignal.timeout(timeoutMs);
    return inLakes.tables.withRelations(connection, definitions, query, { scanMode: "always", signal }, (job) => {
      const tableAt = (database: string, name: string, node: TableNode) => job.tableAt(node) ?? catalog(database, name);
      return rowsOf(hiveql.translate(query.query, tableAt), job.withClause);
    });
  };
  const answer = async (statement: string): Promise<Answer> => {
    const timer = setTimeout(() => connection.interrupt(), timeoutMs);
    try {
      return await run(statement);
    } catch (error) {
      const { message } = error as Error;
      const isRefusal =
        error instanceof hiveql.HiveQLError ||
        error instanceof modules.EngineError ||
        refusals.has(duckdbErrorKind(error));
      return { kind: isRefusal ? "refused" : "failed", message };
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

/** Reads the tables of lakes from their files, with the service's own code. */
async function lakeReader({ LocalEngineFiles, Tables, readTables, hiveql }: Modules, lakes: Lakes) {
  const requests = lakes.tables.map(({ name, format, columns, partitions }) => ({
    database: "default",
    table: name,
    format,
    columns: columns.map((column) => ({ name: column.name, type: column.type })),
    partitions: partitions.map((column) => ({ name: column.name, type: column.type })),
    checked: false,
    location: { bucket: lakeBucket, key: `${name}/` },
  }));
  const files = new LocalEngineFiles(lakes.directory);
  const definitions = await files.tables(requests, AbortSignal.timeout(timeoutMs));
  return {
    tables: new Tables({ cast: hiveql.castFromText }),
    read: (statement: string) => {
      const names = new Set(readTables(statement).map(({ table }) => table));
      return definitions.filter(({ table }) => names.has(table));
    },
  };
}
