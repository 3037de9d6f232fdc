/** Reads the objects of a table of text, to find how Spark must read them as the embedded engine does. */
import { EngineError } from "../engine-errors";
import { readFileHead } from "../tables/file-head";
import type { ResolvedFile, ResolvedTable } from "../tables/resolve";
import { cannotRead, inBatches, plainText, type Scan, type TextFacts } from "./facts";
import { checkQuotedCells, includesQuote } from "./quoted-tables";
import { requireGzipNames } from "./text-facts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = "\uFEFF";

/**
 * Returns how to read the objects. Only csv and objects with headers are read for it.
 * @throws EngineError when a table has objects that Spark would read differently
 */
export async function sparkTextFacts(table: ResolvedTable, scan: Scan): Promise<TextFacts> {
  const { format, files } = table;
  requireGzipNames(table);
  if (format === "json") return plainText;
  const escapes = format === "tsv";
  const withHeader = files.filter(({ header }) => header);
  const header = withHeader.length > 0;
  if (format === "csv" && scan.isScanned) {
    const quoted = await inBatches(files, (file) => includesQuote(file, scan));
    if (quoted.includes(true)) {
      if (header && withHeader.length < files.length) throw cannotRead(table, "has a header in some objects only");
      return { ...plainText, header, quotes: true, carriageReturns: await checkQuotedCells(table, scan, false) };
    }
  }
  const headerLines = [...new Set(await inBatches(withHeader, headerLineOf))];
  if (header && scan.isScanned) {
    await inBatches(files, (file) => requireOneHeader(table, file, headerLines, scan));
  }
  return { ...plainText, header, headerLines, escapes };
}

async function headerLineOf({ path, location }: ResolvedFile): Promise<string> {
  const { bytes, more } = await readFileHead(path);
  const end = bytes.findIndex((byte) => byte === lineFeed || byte === carriageReturn);
  if (end < 0 && more) throw new EngineError(`${location} has a header of more than 64 KiB: shorten it`);
  const text = bytes.subarray(0, end < 0 ? bytes.length : end).toString("utf8");
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

/** Refuses a table in which a line after the first is the same as a header: Spark leaves out all such lines. */
async function requireOneHeader(
  table: ResolvedTable,
  file: ResolvedFile,
  headerLines: readonly string[],
  { chunks }: Scan,
): Promise<void> {
  let lines = 0;
  let rest = Buffer.alloc(0);
  const texts = headerLines.map((line) => Buffer.from(line));
  const longest = Math.max(...texts.map(({ length }) => length));
  const check = (line: Buffer) => {
    lines += 1;
    if (lines === 1 && file.header) return;
    if (line.length <= longest && texts.some((text) => text.equals(line)))
      throw cannotRead(table, "has a row that is the same as its header", file);
  };
  for await (const chunk of chunks(file)) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let start = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      if (bytes[at] !== lineFeed && bytes[at] !== carriageReturn) continue;
      check(bytes.subarray(start, at));
      start = at + 1;
    }
    rest = Buffer.from(bytes.subarray(start));
  }
  if (rest.length > 0) check(rest);
}
