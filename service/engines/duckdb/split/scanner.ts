/**
 * Where rows end in a stream of bytes that arrives in pieces. CSV rows end at a newline outside quotes (RFC 4180); a
 * quote opens a quoted field only where a field begins (leading spaces aside), as the CSV readers of DuckDB and Hive
 * see it, and is an ordinary character elsewhere. TSV and JSON rows end at every newline.
 */
import type { InputFormat } from "../../../../provider/api";

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
/** Native search costs about as much a quote as searching word by word costs on this many bytes. */
const denseBytesPerQuote = 256;

const lineScanner: RecordScanner = {
  last: (buffer, start, end) => lastNewline(buffer, start, end),
  first: (buffer, start, end) => {
    const found = buffer.subarray(start, end).indexOf(NEWLINE);
    return found < 0 ? -1 : start + found + 1;
  },
};

/** States of the CSV automaton. */
const enum State {
  /** Before the first character of a field that is not a space. */
  FieldStart,
  /** In a field that no quote opened, or behind the quote that closed one. */
  Plain,
  Quoted,
  /** Behind a quote in a quoted field: it closes the field unless another follows. */
  QuoteInQuoted,
}

class QuotedScanner implements RecordScanner {
  #state = State.FieldStart;
  #offset = 0;
  #dense = false;
  /** Start and end of each stretch outside quotes in the block at hand. */
  readonly #unquoted = new Int32Array(2 * blockBytes + 2);

  last(buffer: Buffer, start: number, end: number): number {
    const search = new QuoteSearch(buffer, end);
    let last = -1;
    for (let from = this.#skipByteOrderMark(buffer, start, end); from < end; from += blockBytes) {
      const found = this.#lastInBlock(buffer, from, Math.min(from + blockBytes, end), search);
      if (found >= 0) last = found;
    }
    return last;
  }

  first(buffer: Buffer, start: number, end: number): number {
    let state = this.#state;
    for (let at = this.#skipByteOrderMark(buffer, start, end); at < end; at++) {
      const byte = buffer[at]!;
      if (byte === NEWLINE && state !== State.Quoted) {
        this.#state = State.FieldStart;
        return at + 1;
      }
      state = next(state, byte);
    }
    this.#state = state;
    return -1;
  }

  /** Goes from quote to quote; what lies between them is looked at only for its last newline. */
  #lastInBlock(buffer: Buffer, start: number, end: number, search: QuoteSearch): number {
    let state = this.#state;
    let stretches = 0;
    let quotes = 0;
    for (let at = start; at < end;) {
      if (state === State.QuoteInQuoted) {
        if (buffer[at] === QUOTE) {
          state = State.Quoted;
          at++;
          continue;
        }
        state = State.Plain;
      }
      const stop = this.#dense ? search.byWords(at, end) : search.natively(at, end);
      if (state === State.Quoted) {
        if (stop < end) state = State.QuoteInQuoted;
      } else {
        this.#unquoted[stretches++] = at;
        this.#unquoted[stretches++] = stop;
        const fieldStart = endsAtFieldStart(buffer, at, stop, state === State.FieldStart);
        state = !fieldStart ? State.Plain : stop < end ? State.Quoted : State.FieldStart;
      }
      quotes++;
      at = stop + 1;
    }
    this.#state = state;
    this.#dense = quotes * denseBytesPerQuote > end - start;
    return this.#lastUnquotedNewline(buffer, stretches);
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

/** Looks for quotes in one buffer. */
class QuoteSearch {
  readonly #buffer: Buffer;
  readonly #words: Int32Array;
  /** Bytes before the first word. */
  readonly #before: number;

  constructor(buffer: Buffer, end: number) {
    this.#buffer = buffer.subarray(0, end);
    this.#before = -buffer.byteOffset & 3;
    const count = Math.max(0, (end - this.#before) >> 2);
    this.#words = new Int32Array(buffer.buffer, buffer.byteOffset + this.#before, count);
  }

  /** The first quote in `[at, end)`, or `end`: best where quotes are rare, since each call costs. */
  natively(at: number, end: number): number {
    const found = this.#buffer.indexOf(QUOTE, at);
    return found < 0 || found > end ? end : found;
  }

  /** The same, four bytes at a time: best where quotes are dense. */
  byWords(at: number, end: number): number {
    const buffer = this.#buffer;
    const words = this.#words;
    const before = this.#before;
    while (at < end && ((at - before) & 3) !== 0) {
      if (buffer[at] === QUOTE) return at;
      at++;
    }
    for (; at + 4 <= end; at += 4) {
      // A byte of the difference is zero where the word holds a quote, and only then is one of these bits set.
      const difference = words[(at - before) >> 2]! ^ 0x22222222;
      if (((difference - 0x01010101) & ~difference & 0x80808080) !== 0) break;
    }
    while (at < end && buffer[at] !== QUOTE) at++;
    return at;
  }
}

function next(state: State, byte: number): State {
  switch (state) {
    case State.Quoted:
      return byte === QUOTE ? State.QuoteInQuoted : State.Quoted;
    case State.QuoteInQuoted:
      if (byte === QUOTE) return State.Quoted;
      break;
    case State.FieldStart:
      if (byte === QUOTE) return State.Quoted;
      if (byte === SPACE) return State.FieldStart;
      break;
    case State.Plain:
  }
  return byte === COMMA || byte === NEWLINE || byte === CARRIAGE_RETURN ? State.FieldStart : State.Plain;
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
