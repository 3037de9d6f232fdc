/**
 * Checks that csv with quotes has one meaning: every row has a cell for each column, quotes enclose whole cells, and
 * nothing is there on which readers of csv disagree.
 */

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const space = 0x20;

const enum State {
  CellStart,
  Plain,
  Quoted,
  /** After a quote in quotes, which closes the cell or is one of a pair. */
  AfterQuote,
  /** After a CR outside quotes. */
  AfterReturn,
}

/** What a table with quotes must not have, as the end of a sentence. */
const problems = {
  cells: "rows with another number of cells than the table has columns",
  blank: "blank rows",
  quote: "a quote inside a cell without quotes, or text after a closing quote",
  null: String.raw`a cell "\N" in quotes`,
  carriageReturn: "a carriage return at another place than the end of a row",
  rowEnds: "rows that end at LF and at CR LF",
  nul: "a NUL character",
  newline: "newlines in quotes",
  separator: "the character U+0001",
  open: "a quote that is not closed",
} as const;

/** Reads the bytes of an object. Each call returns the problem that it has found, if any. */
export class QuotedCells {
  /** How the rows end; undefined when there is one row without an end. */
  rowEnd: "LF" | "CRLF" | undefined;
  #state: State = State.CellStart;
  #cells = 1;
  /** Bytes of the cell, the enclosing quotes not counted. */
  #length = 0;
  #previous = 0;
  #wasQuoted = false;
  #startsWithBackslash = false;
  /** True when the row has only spaces and control characters so far. */
  #isBlank = true;
  #isFirstByte = true;

  /** @param isByLine true for a reader that takes lines apart, and not rows */
  constructor(
    private readonly columnCount: number,
    private readonly isByLine = false,
  ) {}

  push(chunk: Buffer): string | undefined {
    for (let at = 0; at < chunk.length; at += 1) {
      const problem = this.#byte(chunk[at]!);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  end(): string | undefined {
    if (this.#state === State.Quoted) return problems.open;
    if (this.#state === State.AfterReturn) return problems.carriageReturn;
    const isAtStart = this.#cells === 1 && this.#length === 0 && !this.#wasQuoted;
    return isAtStart ? undefined : this.#endRow();
  }

  #byte(byte: number): string | undefined {
    if (byte === 0) return problems.nul;
    if (this.isByLine && byte === 1) return problems.separator;
    if (this.#state === State.Quoted) {
      if (byte === quote) this.#state = State.AfterQuote;
      else if (this.isByLine && (byte === lineFeed || byte === carriageReturn)) return problems.newline;
      else this.#add(byte);
      return undefined;
    }
    if (this.#state === State.AfterReturn) return byte === lineFeed ? this.#endRowAt("CRLF") : problems.carriageReturn;
    if (byte === comma) return this.#endCell();
    if (byte === lineFeed) return this.#endRowAt("LF");
    if (byte === carriageReturn) {
      this.#state = State.AfterReturn;
      return undefined;
    }
    if (byte === quote) return this.#quote();
    if (this.#state === State.AfterQuote) return problems.quote;
    this.#state = State.Plain;
    this.#add(byte);
    return undefined;
  }

  #quote(): string | undefined {
    if (this.#state === State.Plain) return this.#isMark() ? this.#openQuote() : problems.quote;
    if (this.#state === State.CellStart) return this.#openQuote();
    this.#state = State.Quoted;
    this.#add(quote);
    return undefined;
  }

  #openQuote(): undefined {
    this.#state = State.Quoted;
    this.#wasQuoted = true;
    this.#isBlank = false;
    this.#length = 0;
  }

  /** Returns true when the cell so far is the byte order mark at the beginning of the object. */
  #isMark(): boolean {
    return this.#isFirstByte && this.#length === 3 && this.#previous === 0xbf;
  }

  #add(byte: number): void {
    this.#length += 1;
    if (this.#length === 1) this.#startsWithBackslash = byte === backslash;
    if (byte > space) this.#isBlank = false;
    this.#previous = byte;
    if (this.#length > 3) this.#isFirstByte = false;
  }

  #endCell(): string | undefined {
    if (this.#wasQuoted && this.#length === 2 && this.#startsWithBackslash && this.#previous === 0x4e) {
      return problems.null;
    }
    this.#isFirstByte = false;
    this.#isBlank = false;
    this.#cells += 1;
    this.#startCell();
    return undefined;
  }

  #endRowAt(end: "LF" | "CRLF"): string | undefined {
    this.rowEnd ??= end;
    return this.rowEnd === end ? this.#endRow() : problems.rowEnds;
  }

  #endRow(): string | undefined {
    if (this.#isBlank) return problems.blank;
    if (this.#cells !== this.columnCount) return problems.cells;
    const problem = this.#endCell();
    this.#cells = 1;
    this.#isBlank = true;
    return problem;
  }

  #startCell(): void {
    this.#state = State.CellStart;
    this.#length = 0;
    this.#wasQuoted = false;
  }
}
