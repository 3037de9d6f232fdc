/** Finds out how a table's files are to be read and which columns it has. */
import type { Column } from "../../../../contract";
import type { EngineTable } from "../process/protocol";
import { readHead, type FileHead } from "./head";
import { defaultNames, headerNames, isHeader, repeatsNames, sampleColumns } from "./inference";
import { sampleMembers } from "./json-columns";
import { firstRows, type Cell } from "./rows";
import type { TextFile } from "./text";

/** A table as its files show it. */
export interface ResolvedTable {
  readonly table: EngineTable;
  /** Declared, or as the first rows show them. */
  readonly columns: readonly Column[];
  /** Whether somebody declared the columns. */
  readonly declared: boolean;
  /** Files with content, in the order of their names. */
  readonly files: readonly ResolvedFile[];
  /** Changes when a file of the table does. */
  readonly identity: string;
}

export interface ResolvedFile extends TextFile {
  /** Changes when the file does. */
  readonly identity: string;
}

/** Rows that are looked at in a file for the columns of a table that nobody declared. */
const sampleRows = 1000;
/** Files that are looked at for them. */
const sampleFiles = 20;
/** Bytes of a file that show whether it is gzip and has any content. */
const glanceBytes = 4096;
/** Files that are looked at together. */
const batchSize = 16;

/**
 * Reads the beginnings of a table's files.
 * @throws the signal's reason when it is aborted.
 */
export async function resolveTable(table: EngineTable, signal?: AbortSignal): Promise<ResolvedTable> {
  const declared = table.columns?.length ? table.columns : undefined;
  const { columns, header } = declared
    ? { columns: declared, header: false }
    : inferColumns(table, await sampleHeads(table, signal));
  const files: ResolvedFile[] = [];
  for await (const head of heads(table, header ? undefined : glanceBytes, signal)) {
    const { path, gzip, size, modified } = head;
    const identity = JSON.stringify([path, size, modified]);
    files.push({ path, gzip, header: header && repeatsNames(firstRow(table, head), columns), identity });
  }
  const identity = JSON.stringify([table.format, ...files.map((file) => file.identity)]);
  return { table, columns, declared: declared !== undefined, files, identity };
}

async function sampleHeads(table: EngineTable, signal: AbortSignal | undefined): Promise<FileHead[]> {
  const sample: FileHead[] = [];
  for await (const head of heads(table, undefined, signal)) {
    sample.push(head);
    if (sample.length === sampleFiles) break;
  }
  return sample;
}

/** The beginnings of the files that have content, in order; a few at a time, since a table may have very many. */
async function* heads(
  { files }: EngineTable,
  bytes: number | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<FileHead> {
  const some = files.filter(({ size }) => size > 0);
  for (let index = 0; index < some.length; index += batchSize) {
    signal?.throwIfAborted();
    const batch = await Promise.all(some.slice(index, index + batchSize).map(({ path }) => readHead(path, bytes)));
    yield* batch.filter((head) => head.bytes.length > 0);
  }
}

/** Columns as the first rows show them, and whether their names come from a header row. */
function inferColumns({ format }: EngineTable, sample: readonly FileHead[]): { columns: Column[]; header: boolean } {
  if (format === "json") {
    const members = sampleMembers(sample, sampleRows);
    return { columns: members.length > 0 ? members : sampleColumns(defaultNames(1), []), header: false };
  }
  const samples = sample.map((head) => firstRows(head, format, sampleRows));
  const first = samples.find((rows) => rows.length > 0)?.[0];
  // A table without rows has a column all the same, so that its rows can be counted.
  if (first === undefined) return { columns: sampleColumns(defaultNames(1), []), header: false };
  if (!isHeader(first)) return { columns: sampleColumns(defaultNames(widest(samples)), samples.flat()), header: false };
  const names = headerNames(first).map((name) => ({ name }));
  const rows = samples.flatMap((all) => (repeatsNames(all[0], names) ? all.slice(1) : all));
  return { columns: sampleColumns(headerNames(first), rows), header: true };
}

function firstRow({ format }: EngineTable, head: FileHead): readonly Cell[] | undefined {
  return format === "json" ? undefined : firstRows(head, format, 1)[0];
}

function widest(samples: readonly (readonly (readonly Cell[])[])[]): number {
  return samples.flat().reduce((most, row) => Math.max(most, row.length), 0);
}
