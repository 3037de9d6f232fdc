/** Reads the rows of a result a page at a time, from the place where the page before ended. */
import { buffer } from "node:stream/consumers";
import { isHiddenObject, type Location, type OutputFormat } from "../../../contract";
import type { Storage, StoredObject } from "../../../storage/storage";

/** A place in a result: an object's name, and a number of its bytes. */
export interface ResultPlace {
  readonly name: string;
  readonly offset: number;
}

export interface ResultRows {
  /** Cells as text; null is NULL. */
  readonly rows: (string | null)[][];
  /** The place behind the last row; undefined at the end of the result. */
  readonly next?: ResultPlace;
}

/** What a part of an object has. */
interface ParsedPart {
  readonly rows: (string | null)[][];
  /** The bytes of these rows with their ends. */
  readonly used: number;
}

/** Bytes that are read at a time, and at most for one row. */
const [partBytes, maxRowBytes] = [256 * 1024, 16 * 1024 * 1024];

const [lineFeed, quote, comma] = [0x0a, 0x22, 0x2c];

/** Returns the rows of a result behind a place; a row of more than 16 MiB ends them. */
export async function readResultRows(
  storage: Storage,
  { folder, format }: { readonly folder: Location; readonly format: OutputFormat },
  { after, limit }: { readonly after?: ResultPlace | undefined; readonly limit: number },
): Promise<ResultRows> {
  const rows: (string | null)[][] = [];
  for await (const object of objectsFrom(storage, folder, after?.name)) {
    const name = object.location.key.slice(folder.key.length);
    let offset = name === after?.name ? after.offset : 0;
    for (let length = partBytes; offset < object.size;) {
      if (rows.length === limit) return { rows, next: { name, offset } };
      const end = Math.min(object.size, offset + length);
      const part = await buffer(await storage.read(object.location, { start: offset, end, etag: object.etag }));
      const parsed = parseRows(part, format, { limit: limit - rows.length, isLast: end === object.size });
      rows.push(...parsed.rows);
      offset += parsed.used;
      if (parsed.used > 0) length = partBytes;
      else if (part.length < end - offset || length >= maxRowBytes) return { rows };
      else length *= 4;
    }
  }
  return { rows };
}

/** Yields the objects of a result from one of them on. */
export async function* objectsFrom(
  storage: Storage,
  folder: Location,
  first: string | undefined,
): AsyncIterable<StoredObject> {
  const key = first === undefined ? undefined : folder.key + first;
  const found = key === undefined ? undefined : await storage.head({ bucket: folder.bucket, key });
  if (found) yield found;
  for await (const object of storage.list(folder, key)) {
    if (!isHiddenObject(object.location.key.slice(folder.key.length))) yield object;
  }
}

/** Parses whole rows. @param isLast true when the bytes end the object: its last row may have no line feed */
export function parseRows(
  bytes: Buffer,
  format: OutputFormat,
  { limit, isLast }: { readonly limit: number; readonly isLast: boolean },
): ParsedPart {
  const parse = format === "csv" ? csvRow : tsvRow;
  const rows: (string | null)[][] = [];
  let used = 0;
  while (rows.length < limit && used < bytes.length) {
    const row = parse(bytes, used, isLast);
    if (!row) break;
    // A blank line is no row of a csv, in which an empty cell is quoted.
    if (!(format === "csv" && row.end === used + 1 && bytes[used] === lineFeed)) rows.push(row.cells);
    used = row.end;
  }
  return { rows, used };
}

/** A row, and where the next one begins. */
interface ParsedRow {
  readonly cells: (string | null)[];
  readonly end: number;
}

function csvRow(bytes: Buffer, start: number, isLast: boolean): ParsedRow | undefined {
  const cells: (string | null)[] = [];
  for (let at = start; ;) {
    let end = at;
    if (bytes[at] === quote) {
      end = closingQuote(bytes, at + 1);
      if (end < 0) return undefined;
      cells.push(bytes.toString("utf8", at + 1, end).replaceAll('""', '"'));
      end += 1;
    } else {
      while (end < bytes.length && bytes[end] !== comma && bytes[end] !== lineFeed) end += 1;
      const text = bytes.toString("utf8", at, end);
      cells.push(text === String.raw`\N` ? null : text);
    }
    if (end >= bytes.length) return isLast ? { cells, end } : undefined;
    if (bytes[end] === lineFeed) return { cells, end: end + 1 };
    at = end + 1;
  }
}

/** Returns where the quoted text ends that begins at `from`; -1 when it does not. */
function closingQuote(bytes: Buffer, from: number): number {
  for (let at = from; ;) {
    const found = bytes.indexOf(quote, at);
    if (found < 0 || bytes[found + 1] !== quote) return found;
    at = found + 2;
  }
}

function tsvRow(bytes: Buffer, start: number, isLast: boolean): ParsedRow | undefined {
  const found = bytes.indexOf(lineFeed, start);
  if (found < 0 && !isLast) return undefined;
  const end = found < 0 ? bytes.length : found;
  return { cells: bytes.toString("utf8", start, end).split("\t").map(tsvCell), end: Math.min(bytes.length, end + 1) };
}

const escapes: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", "\\": "\\" };

function tsvCell(text: string): string | null {
  if (text === String.raw`\N`) return null;
  return text.replace(/\\([tnr\\])/g, (_, letter: string) => escapes[letter]!);
}
