/** Finds out how a table's files are to be read and which columns it has. */
import type { Column } from "../../../../provider/api";
import type { EngineTable } from "../protocol";
import { readHead, type FileHead } from "./head";
import { defaultNames, headerNames, isHeader, repeatsNames, sampleColumns } from "./inference";
import { sampleMembers } from "./members";
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
  readonly files: readonly TextFile[];
  /** Changes when a file of the table does. */
  readonly identity: string;
}

/** Rows that are looked at for the columns of a table that nobody declared. */
const sampleRows = 1000;

/** Reads the beginnings of a table's files. */
export async function resolveTable(table: EngineTable): Promise<ResolvedTable> {
  const heads: FileHead[] = [];
  for (const { path } of table.files.filter(({ size }) => size > 0)) heads.push(await readHead(path));
  const full = heads.filter(({ bytes }) => bytes.length > 0);
  const declared = table.columns?.length ? table.columns : undefined;
  const { columns, header } = declared ? { columns: declared, header: false } : inferColumns(table, full);
  const files = full.map((head) => ({
    path: head.path,
    gzip: head.gzip,
    header: header && repeatsNames(firstRow(table, head), columns),
  }));
  const identity = JSON.stringify([table.format, full.map(({ path, size, modified }) => [path, size, modified])]);
  return { table, columns, declared: declared !== undefined, files, identity };
}

/** Columns as the first rows show them, and whether their names come from a header row. */
function inferColumns({ format }: EngineTable, heads: readonly FileHead[]): { columns: Column[]; header: boolean } {
  if (format === "json") {
    const members = sampleMembers(heads, sampleRows);
    return { columns: members.length > 0 ? members : sampleColumns(defaultNames(1), []), header: false };
  }
  const samples = heads.map((head) => firstRows(head, format, sampleRows));
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
