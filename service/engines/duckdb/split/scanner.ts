/**
 * Where rows end in a stream of bytes that arrives in pieces. CSV rows end at a newline outside quotes (RFC 4180); a
 * quote opens a quoted field only where a field begins (leading spaces aside), as the CSV readers of DuckDB and Hive
 * see it, and is an ordinary character elsewhere. TSV and JSON rows end at every newline.
 */
import type { InputFormat } from "../../../../contract";

/** Follows one input from its first byte to its last; a new one is needed for the next input. */
export interface RecordScanner {
  /**
   * Reads the bytes `[start, end)` that follow those of the last call.
   * @returns the index just behind the last row end among them, or -1.
   */
  last(buffer: Buffer, start: number, end: number): number;

  /**
   * Reads the bytes from `start` up to the first row end, or up to `end` where there is none.
   * @returns the index just behind that row end, or -1.
   */
  first(buffer: Buffer, start: number, end: number): number;
}

/** The scanner of a format. */
export function recordScanner(format: InputFormat): RecordScanner {
  return format === "csv" ? new QuotedScanner() : lineScanner;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/** Bytes between two looks at how dense the quotes are. */
const blockBytes = 128 * 1024;
/** A native search costs about as much a quote as a look at each of this many bytes. */
const denseBytesPerQuote = 48;

const lineScanner: RecordScanner = {
  last: (buffer, start, end) => lastNewline(buffer, start, end),
  first: (buffer, start, end) => {
    const found = buffer.subarray(start, end).indexOf(NEWLINE);
    return found < 0 ? -1 : start + found + 1;
  },
};

/** States of the CSV automaton. */
export const enum CellState {
  /** Before the first character of a field that is not a space. */
  FieldStart,
  /** In a field that no quote opened, or behind the quote that closed one. */
  Plain,
  Quoted,
  /** Behind a quote in a quoted field: it closes the field unless another follows. */
  QuoteInQuoted,
}

class QuotedScanner implements RecordScanner {
  #state = CellState.FieldStart;
  #offset = 0;
  #dense = false;
  /** Where the next quote of the buffer at hand is, as far as it is known. */
  #nextQuote = -1;
  /** Start and end of each stretch outside quotes in the block at hand. */
  readonly #unquoted = new Int32Array(2 * blockBytes + 2);

  last(buffer: Buffer, start: number, end: number): number {
    // Searches must not run on behind the end.
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

  first(buffer: Buffer, start: number, end: number): number {
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

  /** Goes from quote to quote by native search; what lies between is looked at only for its last newline. */
  #lastByQuote(buffer: Buffer, start: number, end: number): number {
    let state = this.#state;
    let stretches = 0;
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
        this.#unquoted[stretches++] = at;
        this.#unquoted[stretches++] = stop;
        const fieldStart = endsAtFieldStart(buffer, at, stop, state === CellState.FieldStart);
        state = !fieldStart ? CellState.Plain : stop < end ? CellState.Quoted : CellState.FieldStart;
      }
      quotes++;
      at = stop + 1;
    }
    this.#state = state;
    this.#dense = quotes * denseBytesPerQuote > end - start;
    return this.#lastUnquotedNewline(buffer, stretches);
  }

  /** The first quote from `at` on, or infinity. A search may go beyond the block at hand, so its result is kept. */
  #quoteFrom(buffer: Buffer, at: number): number {
    if (this.#nextQuote < at) {
      const found = buffer.indexOf(QUOTE, at);
      this.#nextQuote = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    return this.#nextQuote;
  }

  /** Looks at every byte, with a loop of its own for each side of the quotes: best where quotes are dense. */
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

  #lastUnquotedNewline(block: Buffer, stretches: number): number {
    for (let index = stretches - 2; index >= 0; index -= 2) {
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

/** The state behind a byte of CSV; only a quoted cell goes on behind a line end. */
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

/** Whether a field begins at `stop`, given whether one began at `start`; the bytes between hold no quote. */
function endsAtFieldStart(buffer: Buffer, start: number, stop: number, atStart: boolean): boolean {
  let at = stop - 1;
  while (at >= start && buffer[at] === SPACE) at--;
  if (at < start) return atStart;
  const byte = buffer[at];
  return byte === COMMA || byte === NEWLINE || byte === CARRIAGE_RETURN;
}

/** The index just behind the last newline in `[start, end)`, or -1. */
function lastNewline(buffer: Buffer, start: number, end: number): number {
  if (end <= start) return -1;
  const found = buffer.subarray(start, end).lastIndexOf(NEWLINE);
  return found < 0 ? -1 : start + found + 1;
}
