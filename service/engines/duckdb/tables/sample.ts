/** Reads the first rows of a folder's objects, as the engine reads them. */
import { isUtf8 } from "node:buffer";
import type { Column, InputFormat } from "../../../../contract";
import type { RowSample } from "../../../core/ports/engine";
import type { RowSource } from "../../../core/ports/inspection";
import { EngineError } from "../engine-errors";
import type { EngineFile } from "../files";
import { checkColumns } from "./columns";
import { type FileHead, readFileHead } from "./file-head";
import { firstRecords, notUtf8, unfinishedBytes } from "./head";
import { memberName } from "./json/columns";
import { partitionsOf } from "./partitions/index";
import { showsColumn } from "./partitions/values";
import { resolveTable } from "./resolve";
import { parseFirstRows, type Cell } from "./rows";

/** Bytes of a file that are read for rows; more when they do not have a whole row. */
const headBytes = 256 * 1024;

/** Returns the columns and first rows. @param files of the source, in the order of their names; some suffice. */
export async function sampleRows(
  { location, format, columns, partitions, mayHaveHeader = true }: RowSource,
  files: readonly EngineFile[],
  limit: number,
): Promise<RowSample> {
  const name = { database: location.bucket, table: location.key.replace(/\/$/, "") };
  const table = partitionsOf({ ...name, format, columns, partitions, mayHaveHeader, checked: false, files });
  const resolved = await resolveTable(table, format);
  if (!resolved.declared) checkColumns(name, resolved.columns);
  const headers = new Set(resolved.files.filter(({ header }) => header).map(({ path }) => path));
  const shows = showsColumn(table);
  const isShown = resolved.columns.map((column) => shows(column.name));
  const rows: Cell[][] = [];
  let more = false;
  for (const { path, partition } of table.files) {
    more = rows.length > limit;
    if (more) break;
    const head = await readFileHead(path, { bytes: headBytes, format });
    requireUtf8(path, head, format);
    const found =
      format === "json"
        ? jsonRecords(path, head, limit + 1).map((record) => jsonCells(record, resolved.columns))
        : parseFirstRows(head, format, limit + 2).map((row) => (format === "tsv" ? row.map(unescaped) : row));
    const values = table.partitionRows[partition]!;
    rows.push(...(headers.has(path) ? found.slice(1) : found).map((row) => withPartition(row, values, isShown)));
    more ||= head.more && rows.length <= limit && found.length <= limit;
  }
  return {
    columns: [...resolved.columns.filter((_, index) => isShown[index]), ...table.partitionColumns],
    rows: rows.slice(0, limit),
    isTruncated: more || rows.length > limit,
  };
}

/**
 * Returns a row with the values of its partition behind its cells.
 * @param isShown for each column of the data, false when a value of the partition hides it
 */
function withPartition(row: readonly Cell[], values: readonly Cell[], isShown: readonly boolean[]): Cell[] {
  if (values.length === 0) return [...row];
  return [...isShown.flatMap((shown, index) => (shown ? [row[index] ?? null] : [])), ...values];
}

/** Reverses the escapes of a TSV cell. */
function unescaped(cell: Cell): Cell {
  const characters: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", "\\": "\\" };
  return cell?.replace(/\\([tnr\\])/g, (_, letter: string) => characters[letter]!) ?? null;
}

/** Refuses text that no query reads. @throws EngineError */
function requireUtf8(path: string, { bytes, more }: Pick<FileHead, "bytes" | "more">, format: InputFormat): void {
  const end = more ? bytes.length - unfinishedBytes(bytes, format) : bytes.length;
  if (isUtf8(bytes.subarray(0, end))) return;
  throw notUtf8(path);
}

/** Returns the first lines. @throws EngineError when one is no object, which no query reads */
function jsonRecords(path: string, head: FileHead, limit: number): string[] {
  const records = firstRecords(head, "json", limit).filter((record) => record.trim() !== "");
  if (records.every((record) => record.trimStart().startsWith("{"))) return records;
  throw new EngineError(`${path} has a line that is not a JSON object: write one object a line`);
}

function jsonCells(record: string, columns: readonly Column[]): Cell[] {
  const members = new Map(Object.entries(objectOf(record)).map(([name, value]) => [memberName(name), value]));
  return columns.map(({ name }) => {
    const value: unknown = members.get(name);
    if (value === undefined || value === null) return null;
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}

/** JavaScript's JSON with the text of a number, which TypeScript does not declare. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };

/** Keeps the digits of numbers, of which JavaScript has at most 17. */
function withDigits(_name: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  return typeof value === "number" && source !== undefined ? rawJSON(source) : value;
}

function objectOf(record: string): object {
  try {
    const value: unknown = JSON.parse(record, withDigits);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}
