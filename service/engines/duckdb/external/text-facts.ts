/** Looks at the objects of a table of text, to tell Hive how to read them as the embedded engine does. */
import { fileChunks } from "../tables/file-chunks";
import type { ResolvedFile, ResolvedTable } from "../tables/resolve";
import { cannotRead, plainText, type TextFacts } from "./facts";

const quote = 0x22;
const backslash = 0x5c;
/** The characters that a backslash in tsv escapes. */
const escaped = new Set(Buffer.from("tnr\\"));
/** Another engine uses it while it reads escapes. */
const reserved = 0x01;

/** Files that are read at the same time. */
const batchSize = 4;

/**
 * Returns how to read the objects.
 * @param content true to read all of them; the answer is about their beginnings otherwise
 * @throws EngineError when a table has objects that another engine would read differently
 */
export async function hiveTextFacts(table: ResolvedTable, content: boolean, signal: AbortSignal): Promise<TextFacts> {
  const { format, files } = table;
  if (format === "json") throw cannotRead(table, "is in the format json");
  const [first] = files;
  for (const file of files) {
    if (file.header !== first!.header) throw cannotRead(table, "has a header in some objects only", file);
  }
  requireGzipNames(table);
  let escapes = false;
  if (content) {
    for (let index = 0; index < files.length; index += batchSize) {
      const batch = files.slice(index, index + batchSize);
      const found = await Promise.all(batch.map((file) => hasEscapes(table, file, format, signal)));
      escapes ||= found.some(Boolean);
    }
  }
  return { ...plainText, header: first?.header ?? false, escapes };
}

async function hasEscapes(
  table: ResolvedTable,
  file: ResolvedFile,
  format: "csv" | "tsv",
  signal: AbortSignal,
): Promise<boolean> {
  let escapes = false;
  let hasReserved = false;
  for await (const chunk of fileChunks(file)) {
    signal.throwIfAborted();
    if (format === "csv") {
      if (chunk.includes(quote)) throw cannotRead(table, "has quotes in csv", file);
    } else {
      escapes ||= includesEscape(chunk);
      hasReserved ||= chunk.includes(reserved);
    }
    if (escapes && hasReserved) throw cannotRead(table, "has escapes and the character U+0001", file);
  }
  return escapes;
}

/** Returns true when a chunk has an escape: a backslash before `t`, `n`, `r` or another backslash, or at its end. */
function includesEscape(chunk: Buffer): boolean {
  for (let at = chunk.indexOf(backslash); at >= 0; at = chunk.indexOf(backslash, at + 1)) {
    const next = chunk[at + 1];
    if (next === undefined || escaped.has(next)) return true;
  }
  return false;
}

/** Refuses gzip data under other names than `….gz`: other engines tell it by the name. @throws EngineError */
export function requireGzipNames(table: ResolvedTable): void {
  for (const file of table.files) {
    if (file.gzip !== file.path.endsWith(".gz"))
      throw cannotRead(table, file.gzip ? "has gzip data without the ending .gz" : "has no gzip data under .gz", file);
  }
}
