/** Reads so much of the beginning of text that it has a whole row, and finds its rows as DuckDB's reader does. */
import { gunzipSync } from "node:zlib";
import type { InputFormat } from "../../../../contract";
import { gunzipHead } from "../../../../storage/gzip-head";
import { startsWithMark } from "../../../../storage/foreign-formats";
import { EngineError } from "../engine-errors";
import { CellState, nextCellState } from "../../../split/cell-state";
import { maxLineBytes } from "./text-scan";

/** The beginning of text, decompressed. */
export interface Head {
  readonly gzip: boolean;
  /** The first bytes, decompressed. */
  readonly bytes: Buffer;
  /** True when there are more bytes, so that the last row may be incomplete. */
  readonly more: boolean;
  /** The first bytes as they are stored. */
  readonly raw: Buffer;
}

/** Where text is read. */
export interface HeadSource {
  /** Names the object in the message of an error. */
  readonly name: string;
  readonly size: number;
  /** Returns the bytes from `start` up to but not including `end`, which may be beyond the end. */
  readonly read: (start: number, end: number) => Promise<Buffer>;
}

export interface HeadOptions {
  /** Bytes that are read, before decompression. @default 64 KiB */
  readonly bytes?: number | undefined;
  /** Format of the text, to read more until the head has a whole row. @default no more is read */
  readonly format?: InputFormat | undefined;
  /** Whole rows that the head has, unless those before have more bytes than the longest row. @default 1 */
  readonly rows?: number | undefined;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Minimum number of decompressed bytes that a head of gzip data may have: more than 64 KiB of text expand to. */
const decompressedBytes = 1024 * 1024;
/** Bytes of a head that has the longest row, with a byte order mark and a line end. */
const mostBytes = maxLineBytes + 8;

/**
 * Reads the beginning of text.
 * @throws EngineError when gzip data is corrupt, or the first row is longer than any that can be read.
 */
export async function readHead(
  { name, size, read }: HeadSource,
  { bytes: least = 64 * 1024, format, rows = 1 }: HeadOptions = {},
): Promise<Head> {
  let raw = await read(0, least);
  for (let end = least; ; end = Math.min(end * 4, mostBytes)) {
    if (end > least) raw = Buffer.concat([raw, await read(raw.length, end)]);
    const gzip = raw[0] === 0x1f && raw[1] === 0x8b;
    const limit = Math.max(decompressedBytes, end);
    const { bytes, more: isCut } = gzip ? await gunzipBeginning(name, raw, limit) : { bytes: raw, more: false };
    if (gzip && bytes.length === 0 && raw.length >= size) requireWholeGzip(name, raw);
    const head = { gzip, bytes, more: isCut || size > raw.length, raw };
    if (format === undefined || hasWholeRows(head, format, rows)) return head;
    if (end < mostBytes) continue;
    if (hasWholeRows(head, format, 1) || unfinishedBytes(bytes, format) <= maxLineBytes) return head;
    throw tooLongRow(name);
  }
}

/** Returns the complete rows of a head as text, at most `limit`, without line ends. Blank lines are not rows. */
export function firstRecords(
  { bytes, more }: { readonly bytes: Buffer; readonly more: boolean },
  format: InputFormat,
  limit: number,
): string[] {
  const records: string[] = [];
  if (limit === 0) return records;
  const rest = eachLine(bytes, format, (start, end) => {
    if (end > start) records.push(bytes.toString("utf8", start, end));
    return records.length < limit;
  });
  if (!more && records.length < limit && rest < bytes.length) records.push(bytes.toString("utf8", rest));
  return records;
}

/** Returns the number of bytes after the last row end. */
export const unfinishedBytes = (bytes: Buffer, format: InputFormat) =>
  bytes.length - eachLine(bytes, format, () => true);

/**
 * Calls `found` with the start and end of each line that has an end, until it returns false. Lines of csv and tsv end at
 * LF, CR LF (the LF is then another, empty line) or CR, in csv outside quotes; lines of json at LF.
 * @returns where the next line begins.
 */
function eachLine(bytes: Buffer, format: InputFormat, found: (start: number, end: number) => boolean): number {
  const [isCsv, isJson] = [format === "csv", format === "json"];
  let start = startsWithMark(bytes) ? 3 : 0;
  let state = CellState.FieldStart;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    const isEnd = byte === LINE_FEED || (byte === CARRIAGE_RETURN && !isJson);
    if (isEnd && state !== CellState.Quoted) {
      const from = start;
      start = at + 1;
      if (!found(from, at)) return start;
    }
    if (isCsv) state = nextCellState(state, byte);
  }
  return start;
}

/** Returns true when a head has so many whole rows, or is all there is. */
export const hasWholeRows = (head: Pick<Head, "bytes" | "more">, format: InputFormat, rows: number): boolean =>
  !head.more || firstRecords(head, format, rows).length >= rows;

/** Returns the number of rows from which columns are inferred at least: the first one may be a header without values. */
export const inferredRows = (format: InputFormat): number => (format === "json" ? 1 : 2);

/** Returns the error for a row that DuckDB cannot read. */
export const tooLongRow = (name: string) =>
  new EngineError(
    `${name} has a row of more than ${maxLineBytes} bytes, which is the longest that can be read: shorten the row, or remove the object`,
  );

/** Returns the error for text that no query reads. */
export const notUtf8 = (name: string) =>
  new EngineError(`${name} has a row that cannot be read: its text must be UTF-8`);

/** Refuses gzip data without any content whose end is missing: an object without content is not read any more. */
function requireWholeGzip(name: string, raw: Buffer): void {
  try {
    gunzipSync(raw);
  } catch (error) {
    throw new EngineError(`${name} is not valid gzip data: its end is missing`, { cause: error });
  }
}

/** Decompresses the first bytes of gzip data, which may be cut off anywhere. */
async function gunzipBeginning(name: string, raw: Buffer, limit: number) {
  try {
    return await gunzipHead(raw, limit);
  } catch (error) {
    throw new EngineError(
      `${name} starts like gzip data but cannot be decompressed: it is damaged, or other bytes follow its end`,
      { cause: error },
    );
  }
}
