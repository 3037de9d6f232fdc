/** Creates views of a job's tables on a connection. */
import { randomUUID } from "node:crypto";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Column } from "../../../../contract";
import { duckdbErrorKind, EngineError } from "../engine-errors";
import type { EngineTable } from "../files";
import { quoteIdentifier } from "../sql-quoting";
import type { TranslationTable } from "../translation";
import { BlankLines } from "./blank-lines";
import type { CastFromText } from "./cast";
import { inferColumnTypes, type TypedColumn } from "./column-types";
import { typedViewSql } from "./typed-view";
import { resolveTable, type ResolvedTable } from "./resolve";

/** The tables of a job, with views that SQL can read. */
export interface JobTables {
  readonly tables: readonly TranslationTable[];
  /** Names of the views, for the statement guard. */
  readonly relations: ReadonlySet<string>;
}

export interface TablesOptions {
  readonly cast: CastFromText;
}

/**
 * When to read all rows, which finds the types of undeclared columns and the blank lines: always, or for small tables
 * only.
 */
export type ScanMode = "always" | "if-small";

/** Maximum total size in bytes of the files of a small table. */
const smallBytes = 32 * 1024 * 1024;
/** Maximum number of columns of a table without declared columns. */
const maxInferredColumns = 1000;
/** Maximum number of cached tables; the least recently stored entry is evicted. */
const maxCachedTables = 1000;

/** Properties of a table's files, valid until a file changes. */
interface TableFacts {
  readonly columns?: readonly TypedColumn[];
  /** True when a quoted cell has a newline: only one thread can read a file. */
  readonly serial?: boolean;
}

/** Creates views of tables, and caches the properties of their files. */
export class Tables {
  readonly #cast: CastFromText;
  readonly #blankLines = new BlankLines();
  readonly #facts = new Map<string, TableFacts>();

  constructor({ cast }: TablesOptions) {
    this.#cast = cast;
  }

  /**
   * Runs `use` with views of the tables on a connection. Runs it again with other views when DuckDB finds newlines in
   * quotes, which it cannot read with several threads.
   */
  async withViews<Result>(
    connection: DuckDBConnection,
    definitions: readonly EngineTable[],
    scanMode: ScanMode,
    use: (job: JobTables) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const resolved = await Promise.all(definitions.map((table) => this.#resolve(table, scanMode, signal)));
    try {
      return await this.#attempt(connection, resolved, scanMode, use);
    } catch (error) {
      if (duckdbErrorKind(error) !== "parallel-csv") throw error;
      for (const { identity } of resolved) this.#remember(identity, { serial: true });
      return this.#attempt(connection, resolved, scanMode, use);
    }
  }

  /**
   * Returns the columns of a table that is small enough to read all its rows; undefined when it is not.
   * @throws EngineError when its columns cannot be used
   */
  async columnsIfSmall(
    connection: DuckDBConnection,
    definition: EngineTable,
    signal: AbortSignal,
  ): Promise<readonly Column[] | undefined> {
    if (!scansAllRows(definition, "if-small")) return undefined;
    return this.#columns(connection, await this.#resolve(definition, "if-small", signal), "if-small");
  }

  async #resolve(definition: EngineTable, scanMode: ScanMode, signal: AbortSignal | undefined): Promise<ResolvedTable> {
    const resolved = await resolveTable(definition, signal);
    return scansAllRows(definition, scanMode) ? this.#blankLines.withBlankLineCounts(resolved, signal) : resolved;
  }

  async #attempt<Result>(
    connection: DuckDBConnection,
    resolved: readonly ResolvedTable[],
    scanMode: ScanMode,
    use: (job: JobTables) => Promise<Result>,
  ): Promise<Result> {
    const suffix = randomUUID().slice(0, 8);
    const relations = new Set<string>();
    const tables: TranslationTable[] = [];
    try {
      for (const table of resolved) {
        const columns = await this.#columns(connection, table, scanMode);
        const parallel = this.#factsOf(table.identity).serial !== true;
        const { database, table: name } = table.table;
        const view = `${database}.${name} ${suffix}`;
        relations.add(view);
        const sql = typedViewSql(table, { columns, cast: this.#cast, parallel });
        await connection.run(`CREATE TEMP VIEW ${quoteIdentifier(view)} AS ${sql}`);
        tables.push({ database, table: name, columns, relation: quoteIdentifier(view) });
      }
      return await use({ tables, relations });
    } finally {
      for (const view of relations) await connection.run(`DROP VIEW IF EXISTS ${quoteIdentifier(view)}`);
    }
  }

  async #columns(
    connection: DuckDBConnection,
    table: ResolvedTable,
    scanMode: ScanMode,
  ): Promise<readonly TypedColumn[]> {
    if (table.declared) return table.columns;
    checkColumns(table.table, table.columns);
    const facts = this.#factsOf(table.identity);
    if (facts.columns) return facts.columns;
    if (!scansAllRows(table.table, scanMode)) return table.columns;
    const columns = await inferColumnTypes(connection, table, facts.serial !== true);
    checkColumns(table.table, columns);
    this.#remember(table.identity, { columns });
    return columns;
  }

  #factsOf(identity: string): TableFacts {
    return this.#facts.get(identity) ?? {};
  }

  #remember(identity: string, facts: TableFacts): void {
    const merged = { ...this.#factsOf(identity), ...facts };
    this.#facts.delete(identity);
    this.#facts.set(identity, merged);
    if (this.#facts.size > maxCachedTables) this.#facts.delete(this.#facts.keys().next().value!);
  }
}

function scansAllRows({ files }: EngineTable, scanMode: ScanMode): boolean {
  return scanMode === "always" || files.reduce((sum, { size }) => sum + size, 0) <= smallBytes;
}

/** Checks undeclared columns: DuckDB cannot have every name, and its views of very many columns take minutes. */
function checkColumns({ database, table }: EngineTable, columns: readonly Column[]): void {
  const wrong = columns.find(({ name }) => name === "" || name.includes("\0"));
  if (wrong) {
    const what = wrong.name === "" ? "is empty" : "contains a NUL character";
    throw new EngineError(
      `a column of the table "${database}.${table}" has a name that ${what}: rename it in the data, or declare the table's columns in the config`,
    );
  }
  if (columns.length <= maxInferredColumns) return;
  throw new EngineError(
    `the data of the table "${database}.${table}" has ${columns.length} columns, and at most ${maxInferredColumns} can be inferred: declare the table's columns in the config`,
  );
}
