/** Checks the format of a split's input objects by their first bytes (InvalidFormat, design §2). */
import { buffer } from "node:stream/consumers";
import { errors, formatLocation, type InputFormat, type Location } from "../contract";
import { gunzipHead } from "./gzip-head";
import type { Storage } from "./storage";
import { textProblem } from "./foreign-formats";

/** Number of bytes that are checked. */
const headBytes = 65_536;
/** Bytes in which the first line is searched: the longest row that the embedded engine reads. */
const lineBytes = 16 * 1024 * 1024;

/** The beginning of an object, decompressed. */
interface ObjectHead {
  readonly bytes: Buffer;
  /** False when this is all of the object. */
  readonly more: boolean;
}

/**
 * Reads the first bytes of an object, decompressing gzip: no more than a number of bytes, however much the data expands.
 * @throws InvalidFormat when the gzip data is corrupt
 */
export async function readObjectHead(storage: Storage, location: Location, limit = headBytes): Promise<ObjectHead> {
  const raw = await buffer(await storage.read(location, { start: 0, end: limit }));
  const isCut = raw.length === limit;
  if (raw[0] !== 0x1f || raw[1] !== 0x8b) return { bytes: raw, more: isCut };
  try {
    const { bytes, more } = await gunzipHead(raw, limit);
    return { bytes, more: more || isCut };
  } catch (error) {
    throw new errors.InvalidFormat(`${formatLocation(location)} starts like gzip data but cannot be decompressed`, {
      field: "inputObjectKeys",
      cause: error,
    });
  }
}

/** A format that was found in the content of an object. */
export interface GuessedFormat {
  readonly format: InputFormat;
  /** Why another format is possible; undefined when none is. */
  readonly doubt?: string;
}

/**
 * Guesses the format of a text object: its first line begins with `{` in json, and tsv has tabs and no comma. With tabs
 * and commas it is tsv when all lines of the head have the same number of tabs.
 * @param head its first bytes; more are read until they have the whole first line
 */
export async function guessFormat(storage: Storage, location: Location, head: ObjectHead): Promise<GuessedFormat> {
  let { bytes, more } = head;
  for (let limit = headBytes; ; limit *= 4) {
    const line = firstLine(bytes);
    if (/^\s*\{/.test(bytes.toString("utf8", line.start, line.start + 64))) return { format: "json" };
    if (line.end < bytes.length || !more || limit >= lineBytes) {
      const text = bytes.subarray(line.start, line.end);
      if (!text.includes("\t")) return { format: "csv" };
      return text.includes(",") ? byTabs(bytes.subarray(line.start), more) : { format: "tsv" };
    }
    ({ bytes, more } = await readObjectHead(storage, location, limit * 4));
  }
}

/** Returns the format of text whose first line has tabs and commas. @param more true when its last line may be cut off */
function byTabs(bytes: Buffer, more: boolean): GuessedFormat {
  const lines = bytes.toString("utf8").split(/[\r\n]+/);
  if (lines.length > 1 && (more || lines.at(-1) === "")) lines.pop();
  const [first = 0, ...others] = lines.map(tabsOutsideQuotes);
  const isTsv = first > 0 && others.every((tabs) => tabs === first);
  const seen = isTsv ? `all its first lines have ${first} tabs` : "its lines do not have the same number of tabs";
  return { format: isTsv ? "tsv" : "csv", doubt: `its first line has tabs and commas, and ${seen}` };
}

/** Counts the tabs of a line that are not in a quoted cell of csv. */
function tabsOutsideQuotes(line: string): number {
  return line.replaceAll(/(^|,) ?"(?:[^"]|"")*"/g, "$1").split("\t").length - 1;
}

/** Returns where the first line that is not blank begins, and where it ends in these bytes. */
function firstLine(bytes: Buffer): { readonly start: number; readonly end: number } {
  const isEnd = (byte: number | undefined) => byte === 0x0a || byte === 0x0d;
  let start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (isEnd(bytes[start])) start += 1;
  const ends = ["\n", "\r"].map((end) => bytes.indexOf(end, start)).filter((end) => end >= 0);
  return { start, end: Math.min(bytes.length, ...ends) };
}

/** Checks that an object's first bytes have the format. @throws InvalidFormat */
export async function requireInputFormat(storage: Storage, location: Location, format: InputFormat): Promise<void> {
  const { bytes: head, more } = await readObjectHead(storage, location);
  const name = formatLocation(location);
  if (head.indexOf("PAR1") === 0) {
    throw new errors.InvalidFormat(
      `${name} is Parquet, which a split does not read: copy it into the folder of a table, which a select reads as it is`,
      { field: "inputFormat" },
    );
  }
  const problem = textProblem(head, format);
  if (problem !== undefined) throw new errors.InvalidFormat(`${name} ${problem}`, { field: "inputFormat" });
  const nul = head.indexOf(0);
  if (nul >= 0) {
    throw new errors.InvalidFormat(`${name} is not ${format} text: it has a NUL byte at offset ${nul}`, {
      field: "inputFormat",
    });
  }
  if (format !== "json") return;
  const lines = head.toString("utf8").split("\n");
  // The last line may be cut off at the end of the range.
  if (more) lines.pop();
  const wrong = lines.findIndex((line) => line.trim() !== "" && !isObject(line));
  if (wrong >= 0) {
    throw new errors.InvalidFormat(`${name} does not have the format json: line ${wrong + 1} is not a JSON object`, {
      field: "inputFormat",
    });
  }
}

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
