/** Determines how to read a table's text files and which columns it has. */
import type { Column, InputFormat } from "../../../../contract";
import type { EngineFile, ReadableFile } from "../files";
import { readFileHead, type FileHead } from "./file-head";
import { defaultNames, headerNames, isHeader, repeatsNames, sampleColumns } from "./inference";
import { sampleMembers } from "./json-columns";
import type { PartitionedTable } from "./partitions";
import { parseFirstRows, type Cell } from "./rows";
import type { TextFile } from "./text-scan";

/** A table of text, with its columns and the properties of its files. */
export interface ResolvedTable {
  readonly table: PartitionedTable;
  readonly format: InputFormat;
  /** Without the partition columns: the declared columns, or the columns that the first rows suggest. */
  readonly columns: readonly Column[];
  /** True when the columns are declared. */
  readonly declared: boolean;
  /** Non-empty files, in the order of their names. */
  readonly files: readonly ResolvedFile[];
  /** Cache key that changes when a file of the table changes. */
  readonly identity: string;
  /** False when a file changed just now: a further change might keep its size and its times. */
  readonly isSettled: boolean;
}

export interface ResolvedFile extends TextFile, ReadableFile {
  /** Cache key that changes when the file changes. */
  readonly identity: string;
}

/** Rows per file that are sampled to infer undeclared columns. */
const sampleRows = 1000;
/** Maximum number of files that are sampled. */
const sampleFiles = 20;
/** Bytes that suffice to detect gzip and empty content. */
const shortHeadBytes = 4096;
/** Number of files that are read concurrently. */
const batchSize = 16;
/** Milliseconds after a change in which another one may have the same time. */
const settleMilliseconds = 2000;

/**
 * Reads the heads of a table's files.
 * @throws the signal's reason when it is aborted.
 */
export async function resolveTable(
  table: PartitionedTable,
  format: InputFormat,
  signal?: AbortSignal,
): Promise<ResolvedTable> {
  const declared = table.columns?.length ? table.columns : undefined;
  const { columns, header } = declared
    ? { columns: declared, header: false }
    : inferColumns(format, await sampleHeads(table.sampled ?? table.files, signal), table.mayHaveHeader ?? true);
  const files: ResolvedFile[] = [];
  const byPath = new Map(table.files.map((file) => [file.path, file]));
  const settledBefore = Date.now() - settleMilliseconds;
  let isSettled = true;
  for await (const head of readHeads(table.files, header ? undefined : shortHeadBytes, signal)) {
    const { path, gzip, size, modified, changed, inode } = head;
    const identity = JSON.stringify([path, size, modified, changed, inode]);
    isSettled &&= changed < settledBefore;
    const isHeaderRow = header && repeatsNames(firstRow(format, head), columns);
    const { location, etag, partition, shownLocation } = byPath.get(path)!;
    files.push({ path, location, size, etag, gzip, header: isHeaderRow, identity, partition, shownLocation });
  }
  const identity = JSON.stringify([format, header, ...files.map((file) => file.identity)]);
  return { table, format, columns, declared: declared !== undefined, files, identity, isSettled };
}

async function sampleHeads(files: readonly EngineFile[], signal: AbortSignal | undefined): Promise<FileHead[]> {
  const sample: FileHead[] = [];
  for await (const head of readHeads(files, undefined, signal)) {
    sample.push(head);
    if (sample.length === sampleFiles) break;
  }
  return sample;
}

/** Yields the heads of the non-empty files in order; reads a few at a time, because a table may have very many. */
async function* readHeads(
  files: readonly EngineFile[],
  bytes: number | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<FileHead> {
  const some = files.filter(({ size }) => size > 0);
  for (let index = 0; index < some.length; index += batchSize) {
    signal?.throwIfAborted();
    const batch = await Promise.all(some.slice(index, index + batchSize).map(({ path }) => readFileHead(path, bytes)));
    yield* batch.filter((head) => head.bytes.length > 0);
  }
}

/** Infers columns from the first rows; `header` is true when the names come from a header row. */
function inferColumns(
  format: InputFormat,
  sample: readonly FileHead[],
  mayHaveHeader: boolean,
): { columns: Column[]; header: boolean } {
  if (format === "json") {
    const members = sampleMembers(sample, sampleRows);
    return { columns: members.length > 0 ? members : sampleColumns(defaultNames(1), []), header: false };
  }
  const samples = sample.map((head) => parseFirstRows(head, format, sampleRows));
  const first = samples.find((rows) => rows.length > 0)?.[0];
  // A table without rows needs a column too, so that its rows can be counted.
  if (first === undefined) return { columns: sampleColumns(defaultNames(1), []), header: false };
  if (!mayHaveHeader || !isHeader(first))
    return { columns: sampleColumns(defaultNames(widest(samples)), samples.flat()), header: false };
  const names = headerNames(first).map((name) => ({ name }));
  const rows = samples.flatMap((all) => (repeatsNames(all[0], names) ? all.slice(1) : all));
  return { columns: sampleColumns(headerNames(first), rows), header: true };
}

function firstRow(format: InputFormat, head: FileHead): readonly Cell[] | undefined {
  return format === "json" ? undefined : parseFirstRows(head, format, 1)[0];
}

function widest(samples: readonly (readonly (readonly Cell[])[])[]): number {
  return samples.flat().reduce((most, row) => Math.max(most, row.length), 0);
}
