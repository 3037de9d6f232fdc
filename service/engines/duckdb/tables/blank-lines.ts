/**
 * Counts the blank lines of text files. For Hive's LazySimpleSerDe they are rows of one empty cell; DuckDB's reader
 * passes over them, so the scan adds as many rows as are counted here.
 */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { CellState, nextCellState } from "../split/scanner";
import type { ResolvedFile, ResolvedTable } from "./resolve";
import type { TextFile, TextFormat } from "./text";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** Bytes read at a time: enough that reading is fast, few enough that a cancellation waits for milliseconds only. */
const pieceBytes = 4 * 1024 * 1024;

/** What is remembered of this many files; the one counted first is forgotten. */
const rememberedFiles = 100_000;
/** Files that are read together. */
const batchSize = 16;

/** Counts the blank lines of files, of each once until it changes. */
export class BlankLines {
  readonly #counts = new Map<string, number>();

  /** The table with the blank lines of its files; of JSON lines as it is, since their blank lines are no rows. */
  async counted(resolved: ResolvedTable, signal?: AbortSignal): Promise<ResolvedTable> {
    const { format } = resolved.table;
    if (format === "json") return resolved;
    const files: ResolvedFile[] = [];
    for (let index = 0; index < resolved.files.length; index += batchSize) {
      const batch = resolved.files.slice(index, index + batchSize);
      const counts = await Promise.all(batch.map((file) => this.#count(file, format, signal)));
      files.push(...batch.map((file, position) => ({ ...file, blankLines: counts[position]! })));
    }
    return { ...resolved, files };
  }

  async #count(file: ResolvedFile, format: TextFormat, signal: AbortSignal | undefined): Promise<number> {
    const count = this.#counts.get(file.identity) ?? (await countBlankLines(file, format, signal));
    this.#counts.set(file.identity, count);
    if (this.#counts.size > rememberedFiles) this.#counts.delete(this.#counts.keys().next().value!);
    return count;
  }
}

/**
 * The blank lines of a file: rows that end at LF, CR LF or CR (in csv outside quotes) where they begin.
 * @throws the signal's reason when it is aborted; the file system's error where the file cannot be read.
 */
export async function countBlankLines(file: TextFile, format: TextFormat, signal?: AbortSignal): Promise<number> {
  // Most files have none, which a native search for two line ends side by side shows at the speed of reading.
  if (!(await anyPiece(file, signal, mayHoldBlankLines()))) return 0;
  const counter = new BlankLineCounter(format);
  await anyPiece(file, signal, (piece) => {
    counter.push(piece);
    return false;
  });
  return counter.count;
}

/** Gives a file's bytes in pieces, without a byte order mark, until one is accepted. */
async function anyPiece(
  file: TextFile,
  signal: AbortSignal | undefined,
  accepts: (piece: Buffer) => boolean,
): Promise<boolean> {
  let first = true;
  for await (const piece of file.gzip ? gunzipped(file.path) : plain(file.path)) {
    signal?.throwIfAborted();
    const marked = first && piece.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    first = false;
    if (accepts(marked ? piece.subarray(BYTE_ORDER_MARK.length) : piece)) return true;
  }
  return false;
}

/** A piece is overwritten by the next. */
async function* plain(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, (await file.stat()).size + 1));
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function* gunzipped(path: string): AsyncGenerator<Buffer> {
  const compressed = createReadStream(path, { highWaterMark: pieceBytes });
  const bytes = createGunzip({ chunkSize: pieceBytes });
  compressed.on("error", (error) => bytes.destroy(error));
  try {
    yield* compressed.pipe(bytes) as AsyncIterable<Buffer>;
  } finally {
    compressed.destroy();
    bytes.destroy();
  }
}

/** Tells of pieces, one after another, whether a blank line may be in them; it may be in quotes, and then is none. */
function mayHoldBlankLines(): (piece: Buffer) => boolean {
  // The first line is blank where the file begins with a line end.
  let previous = LINE_FEED;
  return (piece) => {
    if (piece.length === 0) return false;
    const across =
      isLineEnd(previous) && isLineEnd(piece[0]!) && !(previous === CARRIAGE_RETURN && piece[0] === LINE_FEED);
    previous = piece.at(-1)!;
    if (across || piece.includes("\n\n", 0, "latin1")) return true;
    return (
      piece.includes(CARRIAGE_RETURN) && (piece.includes("\n\r", 0, "latin1") || piece.includes("\r\r", 0, "latin1"))
    );
  };
}

function isLineEnd(byte: number): boolean {
  return byte === LINE_FEED || byte === CARRIAGE_RETURN;
}

/** Follows a file byte by byte. */
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

  push(piece: Buffer): void {
    // Locals, since fields would be written to memory at every byte.
    const quotes = this.#quotes;
    let state = this.#state;
    let rowIsEmpty = this.#rowIsEmpty;
    let afterCarriageReturn = this.#afterCarriageReturn;
    let count = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]!;
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
