/**
 * Finds csv whose quotes do not enclose whole cells: text after a closing quote, which DuckDB's reader drops, and a quote
 * that is not closed, which takes the rest of the object into its cell.
 */
import { EngineError } from "../engine-errors";
import { CellState, nextCellState } from "../../../split/cell-state";
import { QuoteScan } from "../../../split/quote-scan";

const [QUOTE, COMMA, LINE_FEED, CARRIAGE_RETURN, SPACE] = [0x22, 0x2c, 0x0a, 0x0d, 0x20] as const;

/** One suffices: a scan is given the state, and keeps none. */
let scan: QuoteScan | undefined;

/** Reads chunks quickly, and tells if {@link ClosingQuotes} or `DroppedQuotes` must read the file too. */
export class QuotePrefilter {
  #state = CellState.FieldStart;
  #isSuspect = false;
  #hasOrdinaryQuote = false;
  #hasDoubledQuote = false;

  push(chunk: Buffer): void {
    if (this.#state !== CellState.Quoted && !chunk.includes(QUOTE)) {
      this.#follow(chunk);
      this.#state = stateAfter(chunk, this.#state);
      return;
    }
    scan ??= new QuoteScan(true);
    for (let at = 0; at < chunk.length; at += scan.chunk.length) {
      this.#follow(chunk.subarray(at));
      const size = chunk.copy(scan.chunk, 0, at);
      const { state, hasTextAfterQuote, hasOrdinaryQuote } = scan.scan(0, size, this.#state);
      this.#state = state;
      this.#isSuspect ||= hasTextAfterQuote;
      this.#hasOrdinaryQuote ||= hasOrdinaryQuote;
    }
    this.#hasDoubledQuote ||= chunk.includes('""', 0, "latin1");
  }

  /** Returns true when a cell may be wrong, or the end is within a quoted cell. */
  get isSuspect(): boolean {
    return this.#isSuspect || this.#state === CellState.Quoted;
  }

  /** Returns true when the reader may lose an ordinary quote. */
  get mayLoseQuotes(): boolean {
    return this.#hasOrdinaryQuote && this.#hasDoubledQuote;
  }

  /** Checks what follows a quote at the end of the bytes before. */
  #follow([first]: Buffer): void {
    if (this.#state !== CellState.QuoteInQuoted || first === undefined) return;
    if (first === QUOTE) this.#hasDoubledQuote = true;
    else this.#isSuspect ||= !isSeparator(first);
  }
}

/** Reads bytes one by one. */
export class ClosingQuotes {
  #row = 1;
  /** The row in which the quoted cell began. */
  #openedIn = 1;
  #last = 0;
  #state = CellState.FieldStart;
  /** True after a closing quote, and spaces after it. */
  #isClosed = false;

  constructor(private readonly path: string) {}

  /** @throws EngineError */
  push(chunk: Buffer): void {
    for (const byte of chunk) this.#push(byte);
  }

  /** Ends a row whose line end was not pushed. @throws EngineError */
  endRow(): void {
    this.end();
    this.push(lineEnd);
  }

  /** @throws EngineError */
  end(): void {
    if (this.#state !== CellState.Quoted) return;
    throw new EngineError(
      `${this.path} ends within a quoted cell, which begins in row ${this.#openedIn}: it was cut off, or a closing quote is missing in it`,
    );
  }

  #push(byte: number): void {
    const before = this.#state;
    if (this.#isClosed && byte !== SPACE) {
      const isDoubled = byte === QUOTE && before === CellState.QuoteInQuoted;
      if (!isDoubled && !isSeparator(byte)) throw textAfterQuote(this.path, this.#row);
      this.#isClosed = false;
    }
    const isRowEnd = byte === LINE_FEED ? this.#last !== CARRIAGE_RETURN : byte === CARRIAGE_RETURN;
    if (isRowEnd && before !== CellState.Quoted) this.#row += 1;
    this.#last = byte;
    this.#state = nextCellState(before, byte);
    if (this.#state === CellState.QuoteInQuoted) this.#isClosed = true;
    if (this.#state === CellState.Quoted && before !== CellState.QuoteInQuoted && before !== CellState.Quoted)
      this.#openedIn = this.#row;
  }
}

/** Returns the error for a cell that is neither in quotes nor without. */
const textAfterQuote = (path: string, row: number) =>
  new EngineError(
    `${path} has text after the closing quote of a cell in row ${row}: write each quote within a quoted cell twice, and nothing between its closing quote and the next comma`,
  );

const lineEnd = Buffer.from("\n");

const isSeparator = (byte: number) => byte === COMMA || byte === LINE_FEED || byte === CARRIAGE_RETURN;

/** Returns the state after a chunk without a quote. */
function stateAfter(chunk: Buffer, state: CellState): CellState {
  const [earlier, last] = [chunk.at(-2), chunk.at(-1)];
  if (last === undefined) return state;
  return nextCellState(earlier === undefined ? state : nextCellState(CellState.Plain, earlier), last);
}
