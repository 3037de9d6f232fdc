/** What tables have that another engine reads in another way, and the errors for it. */
import type { Column } from "../../../../contract";
import { EngineError } from "../engine-errors";
import type { ExternalTable } from "../../prepared-statement";
import type { PartitionedTable } from "../tables/partitions/index";
import type { ResolvedFile } from "../tables/resolve";

/** How to read the objects of a table of text. */
export type TextFacts = Pick<ExternalTable, "header" | "headerLines" | "escapes" | "quotes" | "carriageReturns">;

/**
 * Returns the folders of the partitions whose objects a statement needs, as Hive must know them.
 * @throws EngineError when two folders are one partition, which Hive does not have
 */
export function hiveFolders(table: PartitionedTable): ExternalTable["folders"] {
  const { partitionColumns, partitionRows, files } = table;
  if (partitionColumns.length === 0) return [];
  const char = partitionColumns.find(({ type }) => type.startsWith("char"));
  if (char) throw cannotRead({ table }, `has the partition column "${char.name}" of the type char`);
  const byPath = new Map<string, number>();
  for (const { name = "", partition } of files) {
    const folders = name.split("/").slice(0, partitionColumns.length);
    byPath.set(`${folders.join("/")}/`, partition);
  }
  if (new Set(byPath.values()).size < byPath.size) throw cannotRead({ table }, "has two folders of one partition");
  return [...byPath].map(([path, partition]) => ({ path, values: [...partitionRows[partition]!] }));
}

/** The facts of a table without peculiarities. */
export const plainText: TextFacts = {
  header: false,
  headerLines: [],
  escapes: false,
  quotes: false,
  carriageReturns: false,
};

/**
 * Refuses columns that a cast makes of a text, and whose type Hive's casts treat in another way than its fields: a char is
 * compared in another way, and a binary is not decoded.
 * @throws EngineError
 */
export function requireCastable(table: PartitionedTable, columns: readonly Column[], facts: TextFacts): void {
  const made = table.format === "json" ? "is in the format json" : facts.quotes ? "has quotes in csv" : undefined;
  const why = made ?? (facts.escapes ? "has escapes" : undefined);
  const types = made === undefined ? /^char/ : /^(?:char|binary)/;
  const column = columns.find(({ type }) => types.test(type));
  if (why !== undefined && column)
    throw cannotRead({ table }, `${why}, and the column "${column.name}" of the type ${column.type}`);
}

/** How the objects of a table are read. */
export interface Scan {
  /** True to read all of the objects where that is needed; the answer is about their beginnings otherwise. */
  readonly isScanned: boolean;
  readonly columnCount: number;
  /** Reads a file, decompressed. Each chunk is overwritten by the next. */
  chunks(file: ResolvedFile): AsyncIterable<Buffer>;
}

/**
 * Files that are read at the same time, and their bytes: an object on S3 is read in several ranges at once, which stay in
 * memory until their turn.
 */
const batch = { files: 4, bytes: 16 * 1024 * 1024 } as const;

/** Reads files, a few small ones at a time. */
export async function inBatches<Result>(
  files: readonly ResolvedFile[],
  read: (file: ResolvedFile) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < files.length;) {
    let end = start;
    let bytes = 0;
    do bytes += files[end++]!.size;
    while (end < files.length && end - start < batch.files && bytes + files[end]!.size <= batch.bytes);
    results.push(...(await Promise.all(files.slice(start, end).map(read))));
    start = end;
  }
  return results;
}

/** Refuses objects in folders that Spark takes for other partition columns or values than the table has. @throws EngineError */
export function requireSparkLayout(table: PartitionedTable): void {
  const levels = table.partitionColumns.map(({ name }) => name);
  if (levels.length === 0) return;
  for (const { name = "", location } of table.files) {
    const folders = name.split("/").slice(0, -1);
    if (folders.some((folder) => /%[89a-f][0-9a-f]/i.test(folder))) {
      throw new EngineError(
        `${location} lies in a folder whose name has percent-encoded letters, of which a spark cluster reads each byte as a character: write them as they are, or run the statement on a duckdb cluster`,
      );
    }
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
  const at = file ? `: ${file.location}` : "";
  return new EngineError(
    `table "${table.database}.${table.table}" ${why}, which this cluster cannot read${at}. Run the statement on a duckdb cluster, or write the table as tsv with one there`,
  );
}
