/** What another engine must know of a table to read it, as `hiveserver2/local-work.ts` describes it. */
import type { Column, TableFormat } from "../../../../contract";
import { EngineError } from "../engine-errors";
import type { PartitionedTable } from "../tables/partitions";
import type { ResolvedFile } from "../tables/resolve";

/** The engine that reads a table. */
export type Reader = "hive" | "spark";

/** How to read the objects of a table of text. */
export interface TextFacts {
  /** True when the first row of each object is a header. */
  readonly header: boolean;
  /** The headers as the objects have them; empty for a table whose header is read in another way. */
  readonly headerLines: string[];
  /** True when cells of tsv have escapes, such as `\t`. */
  readonly escapes: boolean;
  /** True when cells of csv are in quotes. */
  readonly quotes: boolean;
  /** True when rows with cells in quotes end at CR LF. */
  readonly carriageReturns: boolean;
}

/** How to read the objects of a table. */
export interface TableFacts extends TextFacts {
  readonly format: TableFormat;
  readonly columns: Column[];
  readonly partitions: Column[];
  readonly isEmpty: boolean;
}

/** The facts of a table without peculiarities. */
export const plainText: TextFacts = {
  header: false,
  headerLines: [],
  escapes: false,
  quotes: false,
  carriageReturns: false,
};

/** Refuses objects in folders that Spark takes for other partition columns than the table has. @throws EngineError */
export function requireSparkLayout(table: PartitionedTable): void {
  const levels = table.partitionColumns.map(({ name }) => name);
  if (levels.length === 0) return;
  for (const { name = "", location } of table.files) {
    const folders = name.split("/").slice(0, -1);
    const named = folders.map((folder) => (folder.includes("=") ? folder.slice(0, folder.indexOf("=")) : undefined));
    if (named.length === levels.length && named.every((folder, level) => folder === levels[level])) continue;
    const layout = levels.map((level) => `${level}=…/`).join("");
    throw new EngineError(
      `${location} does not lie in ${layout} directly, which a spark cluster cannot read: move it there, or run the statement on a duckdb cluster`,
    );
  }
}

/** Returns the error for a table that only the embedded engine can read. */
export function cannotRead(
  { table }: { readonly table: { readonly database: string; readonly table: string } },
  why: string,
  file?: ResolvedFile,
) {
  const at = file ? `: ${file.path}` : "";
  return new EngineError(
    `table "${table.database}.${table.table}" ${why}, which this cluster cannot read${at}. Run the statement on a duckdb cluster, or write the table as tsv with one there`,
  );
}
