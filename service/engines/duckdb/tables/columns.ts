/** Finds the columns of text tables. */
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Column } from "../../../../contract";
import { duckdbErrorKind, EngineError } from "../engine-errors";
import type { EngineFile, EngineTable } from "../files";
import { inferColumnTypes, maxInferredColumns, type TypedColumn } from "./undeclared/column-types";
import { bytesOf, type KnownFacts } from "./known-facts";
import type { ResolvedTable } from "./resolve";

/**
 * When to read all rows, which finds the types of undeclared columns and the blank lines: always, or for small tables
 * only.
 */
export type ScanMode = "always" | "if-small";

/** Maximum total size in bytes, and maximum number, of the files of a small table. */
const small = { bytes: 32 * 1024 * 1024, files: 1000 } as const;

export interface ColumnsOptions {
  readonly scanMode: ScanMode;
  readonly signal: AbortSignal;
}

export class TableColumns {
  constructor(private readonly facts: KnownFacts) {}

  /** Returns the columns, with the types that all rows allow if the mode reads them. @throws EngineError */
  async of(
    connection: DuckDBConnection,
    table: ResolvedTable,
    { scanMode, signal }: ColumnsOptions,
  ): Promise<readonly TypedColumn[]> {
    if (table.declared) return table.columns;
    checkColumns(table.table, table.columns);
    if (table.files.length === 0) return table.columns;
    const { columns } = this.facts.of(table);
    if (columns) return columns;
    if (!scansAllRows(table.table.files, scanMode)) return table.columns;
    return this.facts.finding(table, signal, () => this.#inferred(connection, table));
  }

  async #inferred(connection: DuckDBConnection, table: ResolvedTable): Promise<readonly TypedColumn[]> {
    const facts = this.facts.of(table);
    if (facts.columns) return facts.columns;
    const columns = await inferColumnTypes(connection, table, facts.serial !== true);
    checkColumns(table.table, columns);
    this.facts.remember(table, { columns: [...columns] });
    return columns;
  }

  /** Returns true when later rows of an undeclared table may have columns that {@link of} does not return. */
  areSampled(table: ResolvedTable, scanMode: ScanMode): boolean {
    const { declared, files } = table;
    if (declared || files.length === 0 || files.some(({ header }) => header)) return false;
    return this.facts.of(table).columns === undefined && !scansAllRows(table.table.files, scanMode);
  }

  /** Returns the columns, also when DuckDB finds newlines in quotes, which it cannot read with several threads. */
  async ofAnyCell(connection: DuckDBConnection, table: ResolvedTable, options: ColumnsOptions) {
    try {
      return await this.of(connection, table, options);
    } catch (error) {
      if (duckdbErrorKind(error) !== "parallel-csv") throw error;
      this.facts.remember(table, { serial: true });
      return this.of(connection, table, options);
    }
  }
}

/** Returns true when a mode reads all rows of files. */
export function scansAllRows(files: readonly EngineFile[], scanMode: ScanMode): boolean {
  return scanMode === "always" || (files.length <= small.files && bytesOf(files) <= small.bytes);
}

/**
 * Checks undeclared columns: DuckDB cannot have every name, and its views of very many columns take minutes.
 * @throws EngineError
 */
export function checkColumns(
  { database, table }: Pick<EngineTable, "database" | "table">,
  columns: readonly Column[],
): void {
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
