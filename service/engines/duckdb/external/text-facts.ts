/** Reads the objects of a table of text, to find how Hive must read them as the embedded engine does. */
import type { ResolvedFile, ResolvedTable } from "../tables/resolve";
import { cannotRead, inBatches, plainText, type Scan, type TextFacts } from "./facts";
import { checkQuotedCells, includesQuote } from "./quoted-tables";

const backslash = 0x5c;
/** The characters that a backslash in tsv escapes. */
const escaped = new Set(Buffer.from("tnr\\"));
/** Another engine uses it while it reads escapes. */
const reserved = 0x01;
const lineFeed = 0x0a;
const space = 0x20;

/**
 * Returns how to read the objects.
 * @param isScanned true to read all of them; the answer is about their beginnings otherwise
 * @throws EngineError when a table has objects that another engine would read differently
 */
export async function hiveTextFacts(table: ResolvedTable, scan: Scan): Promise<TextFacts> {
  const { isScanned, chunks } = scan;
  const { format, files } = table;
  const [first] = files;
  for (const file of files) {
    if (file.header !== first!.header) throw cannotRead(table, "has a header in some objects only", file);
  }
  requireGzipNames(table);
  if (format === "json") {
    if (isScanned) await inBatches(files, (file) => requireNoBlankLine(table, file, chunks));
    return plainText;
  }
  const header = first?.header ?? false;
  if (format === "csv") {
    const quotes = isScanned && (await inBatches(files, (file) => includesQuote(file, scan))).includes(true);
    return { ...plainText, header, quotes, carriageReturns: quotes && (await checkQuotedCells(table, scan, true)) };
  }
  return { ...plainText, header, escapes: isScanned && (await hasEscapes(table, chunks)) };
}

/** Returns true when an object has escapes. @throws EngineError when one has, and the same or another one U+0001 */
async function hasEscapes(table: ResolvedTable, chunks: Scan["chunks"]): Promise<boolean> {
  const found = await inBatches(table.files, async (file) => {
    let escapes = false;
    let hasReserved = false;
    for await (const chunk of chunks(file)) {
      escapes ||= includesEscape(chunk);
      hasReserved ||= chunk.includes(reserved);
    }
    return { file, escapes, hasReserved };
  });
  if (!found.some(({ escapes }) => escapes)) return false;
  const refused = found.find(({ hasReserved }) => hasReserved);
  if (refused) throw cannotRead(table, "has escapes and the character U+0001", refused.file);
  return true;
}

/** Refuses a blank line, which Hive reads as a row of NULLs and the embedded engine as none. @throws EngineError */
async function requireNoBlankLine(table: ResolvedTable, file: ResolvedFile, chunks: Scan["chunks"]): Promise<void> {
  let isBlank = true;
  for await (const chunk of chunks(file)) {
    for (const byte of chunk) {
      if (byte !== lineFeed) isBlank &&= byte <= space;
      else if (isBlank) throw cannotRead(table, "is in the format json and has a blank line", file);
      else isBlank = true;
    }
  }
}

/** Returns true when a chunk has an escape: a backslash before `t`, `n`, `r` or another backslash, or at its end. */
function includesEscape(chunk: Buffer): boolean {
  for (let at = chunk.indexOf(backslash); at >= 0; at = chunk.indexOf(backslash, at + 1)) {
    const next = chunk[at + 1];
    if (next === undefined || escaped.has(next)) return true;
  }
  return false;
}

/** Refuses gzip data under other names than `….gz`: other engines recognise it by the name. @throws EngineError */
export function requireGzipNames(table: ResolvedTable): void {
  for (const file of table.files) {
    if (file.gzip !== file.path.endsWith(".gz"))
      throw cannotRead(table, file.gzip ? "has gzip data without the ending .gz" : "has no gzip data under .gz", file);
  }
}
