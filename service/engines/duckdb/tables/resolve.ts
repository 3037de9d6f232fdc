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
  const columns = declared ?? inferColumns(table, full);
  const files = full.map((head) => ({ path: head.path, gzip: head.gzip, header: hasHeader(table, head, columns) }));
  const identity = JSON.stringify([table.format, full.map(({ path, size, modified }) => [path, size, modified])]);
  return { table, columns, declared: declared !== undefined, files, identity };
}

function inferColumns({ format }: EngineTable, heads: readonly FileHead[]): Column[] {
  if (format === "json") return sampleMembers(heads, sampleRows);
  const samples = heads.map((head) => firstRows(head, format, sampleRows));
  const first = samples.find((rows) => rows.length > 0)?.[0];
  if (first === undefined) return [];
  const names = isHeader(first) ? headerNames(first) : defaultNames(widest(samples));
  const data = samples.flatMap((rows) =>
    isHeader(first) && repeatsNames(rows[0], asColumns(names)) ? rows.slice(1) : rows,
  );
  return sampleColumns(names, data);
}

function hasHeader({ format }: EngineTable, head: FileHead, columns: readonly Column[]): boolean {
  return format !== "json" && repeatsNames(firstRows(head, format, 1)[0], columns);
}

function widest(samples: readonly (readonly (readonly Cell[])[])[]): number {
  return samples.flat().reduce((most, row) => Math.max(most, row.length), 0);
}

const asColumns = (names: readonly string[]) => names.map((name) => ({ name }));
