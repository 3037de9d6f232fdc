/**
 * Finds row ends in a stream of bytes that arrives in chunks. CSV rows end at a newline outside quotes (RFC 4180). As
 * in the CSV readers of DuckDB and Hive, a quote opens a quoted field only at the start of a field, or after one
 * space there, and is an ordinary character elsewhere. TSV and JSON rows end at every newline.
 */
import type { InputFormat } from "../../contract";
import { CellState, nextCellState } from "./cell-state";
import { QuoteScan } from "./quote-scan";

/** Scans one input from its first byte to its last. Each input needs a new scanner. */
export interface RecordScanner {
  /**
   * Scans the bytes `[start, end)`, which follow the bytes of the previous call.
   * @returns the index after the last row end in them, or -1.
   */
  lastRowEnd(buffer: Buffer, start: number, end: number): number;

  /**
   * Scans the bytes from `start` to the first row end, or to `end` when there is none.
   * @returns the index after that row end, or -1.
   */
  firstRowEnd(buffer: Buffer, start: number, end: number): number;
}

/** Returns a scanner for the format. It is faster on bytes in the chunk of the scan that it is given. */
export function recordScanner(format: InputFormat, quotes?: QuoteScan): RecordScanner {
  return format === "csv" ? new CsvScanner(quotes) : lineScanner;
}

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

const lineScanner: RecordScanner = {
  lastRowEnd: (buffer, start, end) => lastNewline(buffer, start, end),
  firstRowEnd: (buffer, start, end) => {
    const found = buffer.subarray(start, end).indexOf(NEWLINE);
    return found < 0 ? -1 : start + found + 1;
  },
};

class CsvScanner implements RecordScanner {
  #state = CellState.FieldStart;
  #offset = 0;
  #quotes: QuoteScan | undefined;

  constructor(quotes?: QuoteScan) {
    this.#quotes = quotes;
  }

  lastRowEnd(buffer: Buffer, start: number, end: number): number {
    const quotes = (this.#quotes ??= new QuoteScan());
    const from = this.#skipByteOrderMark(buffer, start, end);
    if (buffer.buffer === quotes.chunk.buffer) return this.#lastRowEnd(quotes, from, end);
    let last = -1;
    for (let at = from; at < end; at += quotes.chunk.length) {
      const size = buffer.copy(quotes.chunk, 0, at, end);
      const found = this.#lastRowEnd(quotes, 0, size);
      if (found >= 0) last = at + found;
    }
    return last;
  }

  firstRowEnd(buffer: Buffer, start: number, end: number): number {
    let state = this.#state;
    for (let at = this.#skipByteOrderMark(buffer, start, end); at < end; at++) {
      const byte = buffer[at]!;
      if (byte === NEWLINE && state !== CellState.Quoted) {
        this.#state = CellState.FieldStart;
        return at + 1;
      }
      state = nextCellState(state, byte);
    }
    this.#state = state;
    return -1;
  }

  #lastRowEnd(quotes: QuoteScan, start: number, end: number): number {
    const { lastRowEnd, state } = quotes.scan(start, end, this.#state);
    this.#state = state;
    return lastRowEnd;
  }

  #skipByteOrderMark(buffer: Buffer, start: number, end: number): number {
    let at = start;
    while (this.#offset < 3 && at < end && buffer[at] === BYTE_ORDER_MARK[this.#offset]) {
      this.#offset++;
      at++;
    }
    if (at < end) this.#offset = 3;
    return at;
  }
}

/** Returns the index after the last newline in `[start, end)`, or -1. */
function lastNewline(buffer: Buffer, start: number, end: number): number {
  if (end <= start) return -1;
  const found = buffer.subarray(start, end).lastIndexOf(NEWLINE);
  return found < 0 ? -1 : start + found + 1;
}
