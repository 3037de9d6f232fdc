/**
 * Reads what the conversion of text files depends on: their blank lines, and whether they have underscores, which DuckDB
 * accepts in numbers. Hive's LazySimpleSerDe reads blank lines as rows with one empty cell. DuckDB's
 * reader skips them, so the scan adds as many rows as are counted here. It also loses some rows of
 * more than its maximum without a word: files with one are refused, and csv whose quotes do not enclose whole cells.
 */
import type { InputFormat } from "../../../../contract";
import { CellState, nextCellState } from "../../../split/cell-state";
import { BufferSize } from "./buffer-size";
import { ClosingQuotes, QuotePrefilter, type SpacedCell } from "./closing-quotes";
import { fileChunks } from "./file-chunks";
import { tooLongRow } from "./head";
import { Pauses } from "../../../../storage/pauses";
import type { ResolvedFile, ResolvedTable } from "./resolve";
import { maxLineBytes, type TextFile, type TextFormat } from "./text-scan";
import { WidestRow } from "./widest-row";

/** A file whose content is read. */
type FileContent = Pick<TextFile, "path" | "gzip">;

const UNDERSCORE = 0x5f;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Maximum number of cached files; the oldest entry is evicted. */
const maxCachedFiles = 100_000;
/** Number of files that are read concurrently. */
const batchSize = 16;

/** Bytes before the end of csv in which a last row with quoted line ends is taken to begin. */
const quotedRowBytes = 1024 * 1024;

/** What is known of a file's bytes. */
type ByteFacts = Required<Pick<TextFile, "blankLines" | "underscores" | "bufferBytes" | "spacedQuotes" | "widestRow">>;

/** Returns true when the files of a table are searched for underscores. */
export const searchesUnderscores = ({ declared, columns }: ResolvedTable): boolean =>
  declared && columns.some(({ type }) => type === "double");

/** What to look for besides blank lines. */
interface Search {
  readonly format: InputFormat;
  /** True to look for underscores; else the file counts as one that has them. */
  readonly underscores: boolean;
}

/** Reads the facts of files, and caches them until the file changes. */
export class BlankLines {
  readonly #facts = new Map<string, ByteFacts>();

  /** Returns the table with the facts of its files. @throws EngineError when DuckDB would lose a part of one */
  async withFacts(resolved: ResolvedTable, signal?: AbortSignal): Promise<ResolvedTable> {
    const { format } = resolved;
    const files: ResolvedFile[] = [];
    const search: Search = { format, underscores: searchesUnderscores(resolved) };
    const pauses = new Pauses();
    for (let index = 0; index < resolved.files.length; index += batchSize) {
      await pauses.pause();
      const batch = resolved.files.slice(index, index + batchSize);
      const facts = await Promise.all(batch.map((file) => this.#factsOf(file, search, signal)));
      files.push(...batch.map((file, position) => ({ ...file, ...facts[position]! })));
    }
    return { ...resolved, files };
  }

  async #factsOf(file: ResolvedFile, search: Search, signal: AbortSignal | undefined): Promise<ByteFacts> {
    const key = JSON.stringify([file.identity, search]);
    const facts = this.#facts.get(key) ?? (await byteFacts(file, search, signal));
    this.#facts.set(key, facts);
    if (this.#facts.size > maxCachedFiles) this.#facts.delete(this.#facts.keys().next().value!);
    return facts;
  }
}

/**
 * Reads the facts of a file. Its blank lines are empty rows, where rows end at LF, CR LF or CR (in csv outside quotes).
 * @throws the signal's reason when it is aborted, the file system's error when the file cannot be read, or EngineError
 * when DuckDB would lose a part of it.
 */
export async function byteFacts(
  file: FileContent,
  { format, underscores: isWanted }: Search,
  signal?: AbortSignal,
): Promise<ByteFacts> {
  if (format === "json") {
    // Blank lines of json are no rows. DuckDB does not see where gzip data is damaged or cut off.
    if (file.gzip) for await (const _chunk of fileChunks(file)) signal?.throwIfAborted();
    return { blankLines: 0, underscores: true, bufferBytes: maxLineBytes, spacedQuotes: false, widestRow: 0 };
  }
  // Most files have no blank line: a native search for two adjacent line ends finds that at the speed of reading.
  const mayBeBlank = blankLinePrefilter();
  const quotes = format === "csv" ? new QuotePrefilter() : undefined;
  let underscores = !isWanted;
  let hasBlankLines = false;
  const { length, unendedBytes } = await eachChunk(file, signal, (chunk) => {
    underscores ||= chunk.includes(UNDERSCORE);
    hasBlankLines ||= mayBeBlank(chunk);
    quotes?.push(chunk);
  });
  const bufferSize = new BufferSize(file.path);
  const spacedQuotes = quotes?.isSuspect === true && (await hasSpacedQuotes(file, bufferSize, signal));
  if (unendedBytes > 0) {
    // The last line end can be one inside the quotes of that row.
    const rowBytes = format === "csv" ? Math.max(unendedBytes, quotedRowBytes) : unendedBytes;
    bufferSize.addLastRow(Math.max(0, length - rowBytes), length);
  }
  const widestRow = quotes?.needsAllCells(length) === true ? await cellsOfWidestRow(file, signal) : 0;
  const blankLines = hasBlankLines ? await countBlankLines(file, format, signal) : 0;
  return { blankLines, underscores, bufferBytes: bufferSize.bytes, spacedQuotes, widestRow };
}

/**
 * Returns true when spaces follow the closing quote of a cell. Such cells are added to `bufferSize`.
 * @throws EngineError for csv whose quotes do not enclose whole cells
 */
async function hasSpacedQuotes(file: FileContent, bufferSize: BufferSize, signal?: AbortSignal): Promise<boolean> {
  let found = false;
  const onSpacedCell = (cell: SpacedCell) => {
    found = true;
    bufferSize.add(cell);
  };
  const quotes = new ClosingQuotes(file.path, { onSpacedCell });
  await eachChunk(file, signal, (chunk, offset) => quotes.push(chunk, offset));
  quotes.end();
  return found;
}

async function cellsOfWidestRow(file: FileContent, signal?: AbortSignal): Promise<number> {
  const row = new WidestRow();
  await eachChunk(file, signal, (chunk) => row.push(chunk));
  return row.cells;
}

async function countBlankLines(file: FileContent, format: TextFormat, signal?: AbortSignal): Promise<number> {
  const counter = new BlankLineCounter(format);
  await eachChunk(file, signal, (chunk) => counter.push(chunk));
  return counter.count;
}

/**
 * Passes the chunks of a file on, without its byte order mark. Returns the file's length, and that of a last row without a
 * line end.
 * @throws EngineError for a row that is too long
 */
async function eachChunk(
  file: FileContent,
  signal: AbortSignal | undefined,
  use: (chunk: Buffer, offset: number) => void,
): Promise<{ readonly length: number; readonly unendedBytes: number }> {
  let offset = 0;
  const rowLength = new RowLength(file.path);
  for await (const chunk of fileChunks(file)) {
    signal?.throwIfAborted();
    rowLength.push(chunk);
    const marked = offset === 0 && chunk.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    const mark = marked ? BYTE_ORDER_MARK.length : 0;
    use(chunk.subarray(mark), offset + mark);
    offset += chunk.length;
  }
  return { length: offset, unendedBytes: rowLength.unendedBytes };
}

/** Refuses rows that are longer than DuckDB can read, in chunks that are each shorter. */
class RowLength {
  /** Bytes since the last line end. */
  #bytes = 0;

  constructor(private readonly path: string) {}

  get unendedBytes(): number {
    return this.#bytes;
  }

  /** @throws EngineError */
  push(chunk: Buffer): void {
    const first = chunk.indexOf(LINE_FEED);
    if (this.#bytes + (first < 0 ? chunk.length : first) > maxLineBytes) this.#checkCarriageReturn(chunk);
    const last = first < 0 ? chunk.lastIndexOf(CARRIAGE_RETURN) : chunk.lastIndexOf(LINE_FEED);
    this.#bytes = last < 0 ? this.#bytes + chunk.length : chunk.length - 1 - last;
  }

  /** Most files have no carriage return, and need not be searched for one. */
  #checkCarriageReturn(chunk: Buffer): void {
    const first = chunk.indexOf(CARRIAGE_RETURN);
    if (first >= 0 && this.#bytes + first <= maxLineBytes) return;
    throw tooLongRow(this.path);
  }
}

/**
 * Returns a predicate that holds for a chunk that may have a blank line. False positives are line ends inside quotes.
 */
function blankLinePrefilter(): (chunk: Buffer) => boolean {
  // A line end at the start of the file makes the first line blank.
  let previous = LINE_FEED;
  return (chunk) => {
    if (chunk.length === 0) return false;
    const across =
      isLineEnd(previous) && isLineEnd(chunk[0]!) && !(previous === CARRIAGE_RETURN && chunk[0] === LINE_FEED);
    previous = chunk.at(-1)!;
    if (across || chunk.includes("\n\n", 0, "latin1")) return true;
    return (
      chunk.includes(CARRIAGE_RETURN) && (chunk.includes("\n\r", 0, "latin1") || chunk.includes("\r\r", 0, "latin1"))
    );
  };
}

function isLineEnd(byte: number): boolean {
  return byte === LINE_FEED || byte === CARRIAGE_RETURN;
}

/** Counts the blank lines of a file byte by byte. */
class BlankLineCounter {
  readonly #quotes: boolean;
  #state = CellState.FieldStart;
  #rowIsEmpty = true;
  #afterCarriageReturn = false;
  #count = 0;

  constructor(format: TextFormat) {
    this.#quotes = format === "csv";
  }

  get count(): number {
    return this.#count;
  }

  push(chunk: Buffer): void {
    // Local variables are faster than fields in this loop.
    const quotes = this.#quotes;
    let state = this.#state;
    let rowIsEmpty = this.#rowIsEmpty;
    let afterCarriageReturn = this.#afterCarriageReturn;
    let count = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (isLineEnd(byte) && state !== CellState.Quoted) {
        if (rowIsEmpty && !(byte === LINE_FEED && afterCarriageReturn)) count++;
        rowIsEmpty = true;
        afterCarriageReturn = byte === CARRIAGE_RETURN;
      } else {
        rowIsEmpty = false;
        afterCarriageReturn = false;
      }
      if (quotes) state = nextCellState(state, byte);
    }
    this.#state = state;
    this.#rowIsEmpty = rowIsEmpty;
    this.#afterCarriageReturn = afterCarriageReturn;
    this.#count += count;
  }
}
