/**
 * Finds row ends in a stream of bytes that arrives in chunks. CSV rows end at a newline outside quotes (RFC 4180). As
 * in the CSV readers of DuckDB and Hive, a quote opens a quoted field only at the start of a field (after optional
 * spaces) and is an ordinary character elsewhere. TSV and JSON rows end at every newline.
 */
import type { InputFormat } from "../../../../contract";

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

/** Returns a scanner for the format. */
export function recordScanner(format: InputFormat): RecordScanner {
  return format === "csv" ? new CsvScanner() : lineScanner;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/** Block size in bytes: the density of quotes is measured for each block. */
const blockBytes = 128 * 1024;
/** A native search per quote costs about as much as a loop over this many bytes. */
const denseBytesPerQuote = 48;

const lineScanner: RecordScanner = {
  lastRowEnd: (buffer, start, end) => lastNewline(buffer, start, end),
  firstRowEnd: (buffer, start, end) => {
    const found = buffer.subarray(start, end).indexOf(NEWLINE);
    return found < 0 ? -1 : start + found + 1;
  },
};

/** States of the CSV state machine. */
export const enum CellState {
  /** At the start of a field; leading spaces stay in this state. */
  FieldStart,
  /** In an unquoted field, or after the closing quote of a quoted field. */
  Plain,
  Quoted,
  /** After a quote in a quoted field: the quote closes the field unless another quote follows. */
  QuoteInQuoted,
}

class CsvScanner implements RecordScanner {
  #state = CellState.FieldStart;
  #offset = 0;
  #dense = false;
  /** Position of the next quote in the current buffer, or -1 when it has not been searched. */
  #nextQuote = -1;
  /** Start and end of each range outside quotes in the current block. */
  readonly #unquoted = new Int32Array(2 * blockBytes + 2);

  lastRowEnd(buffer: Buffer, start: number, end: number): number {
    // Native searches must stop at the end.
    const bytes = buffer.subarray(0, end);
    this.#nextQuote = -1;
    let last = -1;
    for (let from = this.#skipByteOrderMark(bytes, start, end); from < end; from += blockBytes) {
      const to = Math.min(from + blockBytes, end);
      const found = this.#dense ? this.#lastByByte(bytes, from, to) : this.#lastByQuote(bytes, from, to);
      if (found >= 0) last = found;
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

  /**
   * Jumps from quote to quote with native searches, then searches the last newline outside quotes: fast for rare
   * quotes.
   */
  #lastByQuote(buffer: Buffer, start: number, end: number): number {
    let state = this.#state;
    let ranges = 0;
    let quotes = 0;
    for (let at = start; at < end;) {
      if (state === CellState.QuoteInQuoted) {
        if (buffer[at] === QUOTE) {
          state = CellState.Quoted;
          at++;
          continue;
        }
        state = CellState.Plain;
      }
      const stop = Math.min(end, this.#quoteFrom(buffer, at));
      if (state === CellState.Quoted) {
        if (stop < end) state = CellState.QuoteInQuoted;
      } else {
        this.#unquoted[ranges++] = at;
        this.#unquoted[ranges++] = stop;
        const fieldStart = endsAtFieldStart(buffer, at, stop, state === CellState.FieldStart);
        state = !fieldStart ? CellState.Plain : stop < end ? CellState.Quoted : CellState.FieldStart;
      }
      quotes++;
      at = stop + 1;
    }
    this.#state = state;
    this.#dense = quotes * denseBytesPerQuote > end - start;
    return this.#lastUnquotedNewline(buffer, ranges);
  }

  /**
   * Returns the position of the first quote from `at`, or infinity. The result is cached, as it may lie beyond the
   * block.
   */
  #quoteFrom(buffer: Buffer, at: number): number {
    if (this.#nextQuote < at) {
      const found = buffer.indexOf(QUOTE, at);
      this.#nextQuote = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    return this.#nextQuote;
  }

  /** Loops over all bytes, with separate loops inside and outside quotes: fast for dense quotes. */
  #lastByByte(buffer: Buffer, start: number, end: number): number {
    let state = this.#state;
    let last = -1;
    let quotes = 0;
    let at = start;
    while (at < end) {
      const from = at;
      if (state === CellState.QuoteInQuoted) {
        state = buffer[at] === QUOTE ? CellState.Quoted : CellState.Plain;
        if (state === CellState.Quoted) at++;
      } else if (state === CellState.Quoted) {
        while (at < end && buffer[at] !== QUOTE) at++;
        if (at < end) state = CellState.QuoteInQuoted;
        at++;
        quotes++;
      } else {
        for (let byte = 0; at < end && (byte = buffer[at]!) !== QUOTE; at++) if (byte === NEWLINE) last = at + 1;
        const fieldStart = endsAtFieldStart(buffer, from, at, state === CellState.FieldStart);
        state = !fieldStart ? CellState.Plain : at < end ? CellState.Quoted : CellState.FieldStart;
        at++;
        quotes++;
      }
    }
    this.#state = state;
    this.#dense = quotes * denseBytesPerQuote > end - start;
    return last;
  }

  #lastUnquotedNewline(block: Buffer, ranges: number): number {
    for (let index = ranges - 2; index >= 0; index -= 2) {
      const found = lastNewline(block, this.#unquoted[index]!, this.#unquoted[index + 1]!);
      if (found >= 0) return found;
    }
    return -1;
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

/** Returns the state after a byte of CSV. Only a quoted cell continues after a line end. */
export function nextCellState(state: CellState, byte: number): CellState {
  switch (state) {
    case CellState.Quoted:
      return byte === QUOTE ? CellState.QuoteInQuoted : CellState.Quoted;
    case CellState.QuoteInQuoted:
      if (byte === QUOTE) return CellState.Quoted;
      break;
    case CellState.FieldStart:
      if (byte === QUOTE) return CellState.Quoted;
      if (byte === SPACE) return CellState.FieldStart;
      break;
    case CellState.Plain:
  }
  return byte === COMMA || byte === NEWLINE || byte === CARRIAGE_RETURN ? CellState.FieldStart : CellState.Plain;
}

/** Returns true when a field starts at `stop`. `atStart` tells if one starts at `start`; no byte between is a quote. */
function endsAtFieldStart(buffer: Buffer, start: number, stop: number, atStart: boolean): boolean {
  let at = stop - 1;
  while (at >= start && buffer[at] === SPACE) at--;
  if (at < start) return atStart;
  const byte = buffer[at];
  return byte === COMMA || byte === NEWLINE || byte === CARRIAGE_RETURN;
}

/** Returns the index after the last newline in `[start, end)`, or -1. */
function lastNewline(buffer: Buffer, start: number, end: number): number {
  if (end <= start) return -1;
  const found = buffer.subarray(start, end).lastIndexOf(NEWLINE);
  return found < 0 ? -1 : start + found + 1;
}
