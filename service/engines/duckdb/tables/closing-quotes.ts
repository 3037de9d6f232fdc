/**
 * Finds csv whose quotes do not enclose whole cells: text after a closing quote, which DuckDB's reader drops, and a quote
 * that is not closed, which takes the rest of the object into its cell.
 */
import { EngineError } from "../engine-errors";
import { CellState, nextCellState } from "../../../split/cell-state";
import { QuoteScan } from "../../../split/quote-scan";
import { maxLineBytes } from "./text-scan";

const [QUOTE, COMMA, LINE_FEED, CARRIAGE_RETURN, SPACE] = [0x22, 0x2c, 0x0a, 0x0d, 0x20] as const;

/** One suffices: a scan is given the state, and keeps none. */
let scan: QuoteScan | undefined;

/** Reads chunks quickly, and tells if {@link ClosingQuotes} or `WidestRow` must read the file too. */
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

  /** Returns true when the reader may not read what follows a dropped cell correctly: see `widest-row.ts`. */
  needsAllCells(length: number): boolean {
    return (this.#hasDoubledQuote || this.#isSuspect) && (this.#hasOrdinaryQuote || length >= maxLineBytes);
  }

  /** Checks what follows a quote at the end of the bytes before. */
  #follow([first]: Buffer): void {
    if (this.#state !== CellState.QuoteInQuoted || first === undefined) return;
    if (first === QUOTE) this.#hasDoubledQuote = true;
    else this.#isSuspect ||= !isSeparator(first);
  }
}

/** A cell with spaces after its closing quote. Offsets are those of the file's bytes. */
export interface SpacedCell {
  /**
   * Where the cell begins: at its quote, or at a space before it. For the first cell of a row, after the first of the line
   * ends before it: DuckDB's reader also takes a cell for one in two buffers when a buffer begins with such a line end.
   */
  readonly start: number;
  readonly closingQuote: number;
  /** Where the cell ends: at a comma, a line end or the end of the file. */
  readonly end: number;
  /** The number of its spaces around the quotes. */
  readonly spaces: number;
  readonly hasDoubledQuote: boolean;
}

interface ClosingQuotesOptions {
  /** Is called for each cell with spaces after its closing quote. @default nothing is */
  readonly onSpacedCell?: (cell: SpacedCell) => void;
}

/** Reads bytes one by one. */
export class ClosingQuotes {
  readonly #onSpacedCell: ClosingQuotesOptions["onSpacedCell"];
  /** The offset of the next byte. */
  #at = 0;
  /** Of the quoted cell, as in {@link SpacedCell}. */
  #start = 0;
  #closingQuote = 0;
  #spacesBefore = 0;
  #hasDoubledQuote = false;
  /** The offset of the last line end outside quotes, and of the first one of those that are adjacent to it. */
  #lineEnd = -1;
  #firstLineEnd = -1;
  #row = 1;
  /** The row in which the quoted cell began. */
  #openedIn = 1;
  #last = 0;
  #state = CellState.FieldStart;
  /** True after a closing quote, and spaces after it. */
  #isClosed = false;

  constructor(
    private readonly path: string,
    { onSpacedCell }: ClosingQuotesOptions = {},
  ) {
    this.#onSpacedCell = onSpacedCell;
  }

  /**
   * @param offset where the chunk begins in the file. @default after the chunk before
   * @throws EngineError
   */
  push(chunk: Buffer, offset = this.#at): void {
    this.#at = offset;
    // An index takes half the time of an iterator.
    for (let index = 0; index < chunk.length; index++) {
      this.#push(chunk[index]!);
      this.#at += 1;
    }
  }

  /** Ends a row whose line end was not pushed. @throws EngineError */
  endRow(): void {
    this.end();
    this.push(lineEnd);
  }

  /** @throws EngineError */
  end(): void {
    if (this.#isClosed) this.#endCell();
    if (this.#state !== CellState.Quoted) return;
    throw new EngineError(
      `${this.path} ends within a quoted cell, which begins in row ${this.#openedIn}: it was cut off, or a closing quote is missing in it`,
    );
  }

  #push(byte: number): void {
    const before = this.#state;
    if (this.#isClosed && byte !== SPACE) {
      const isDoubled = byte === QUOTE && before === CellState.QuoteInQuoted;
      if (isDoubled) this.#hasDoubledQuote = true;
      else if (isSeparator(byte)) this.#endCell();
      else throw textAfterQuote(this.path, this.#row);
      this.#isClosed = false;
    }
    const isRowEnd = byte === LINE_FEED ? this.#last !== CARRIAGE_RETURN : byte === CARRIAGE_RETURN;
    if (before !== CellState.Quoted && (byte === LINE_FEED || byte === CARRIAGE_RETURN)) this.#addLineEnd(isRowEnd);
    this.#last = byte;
    this.#state = nextCellState(before, byte);
    if (this.#state === CellState.QuoteInQuoted) {
      this.#isClosed = true;
      this.#closingQuote = this.#at;
    }
    if (this.#state === CellState.Quoted && before !== CellState.QuoteInQuoted && before !== CellState.Quoted)
      this.#openCell(before === CellState.AfterSpace);
  }

  #addLineEnd(isRowEnd: boolean): void {
    if (isRowEnd) this.#row += 1;
    if (this.#lineEnd !== this.#at - 1) this.#firstLineEnd = this.#at;
    this.#lineEnd = this.#at;
  }

  #openCell(isAfterSpace: boolean): void {
    this.#openedIn = this.#row;
    this.#spacesBefore = isAfterSpace ? 1 : 0;
    const start = this.#at - this.#spacesBefore;
    this.#start = start === this.#lineEnd + 1 ? this.#firstLineEnd + 1 : start;
    this.#hasDoubledQuote = false;
  }

  #endCell(): void {
    const [start, closingQuote, end] = [this.#start, this.#closingQuote, this.#at];
    if (end === closingQuote + 1) return;
    const spaces = this.#spacesBefore + end - closingQuote - 1;
    this.#onSpacedCell?.({ start, closingQuote, end, spaces, hasDoubledQuote: this.#hasDoubledQuote });
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
