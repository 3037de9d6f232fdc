/**
 * Finds csv of which DuckDB's reader would lose a quote. It drops the cells of a row beyond the columns; after one with a
 * doubled quote it takes the quotes out of the first cell of the next row, where that cell is not in quotes.
 */
import { EngineError } from "../engine-errors";
import { CellState, nextCellState } from "../../../split/cell-state";

const [QUOTE, COMMA, LINE_FEED, CARRIAGE_RETURN] = [0x22, 0x2c, 0x0a, 0x0d] as const;

/** Reads bytes one by one. */
export class DroppedQuotes {
  #row = 1;
  /** The number of the cell in its row, from 1. */
  #cell = 1;
  #isRowEmpty = true;
  #last = 0;
  #state = CellState.FieldStart;
  /** True from a dropped cell with a doubled quote to the end of the next row's first cell. */
  #losesQuotes = false;

  /** @param columns the number of columns that are read */
  constructor(
    private readonly path: string,
    private readonly columns: number,
  ) {}

  /** @throws EngineError */
  push(chunk: Buffer): void {
    for (const byte of chunk) this.#push(byte);
  }

  #push(byte: number): void {
    const before = this.#state;
    this.#state = nextCellState(before, byte);
    const isLineEnd = byte === LINE_FEED || byte === CARRIAGE_RETURN;
    if (before !== CellState.Quoted && (isLineEnd || byte === COMMA)) this.#endCell(isLineEnd, byte);
    else {
      this.#isRowEmpty = false;
      if (byte === QUOTE) this.#pushQuote(before);
    }
    this.#last = byte;
  }

  #pushQuote(before: CellState): void {
    if (before === CellState.QuoteInQuoted && this.#cell > this.columns) this.#losesQuotes = true;
    if (this.#losesQuotes && this.#cell === 1 && before === CellState.Plain) throw this.#error();
  }

  #endCell(isLineEnd: boolean, byte: number): void {
    // The reader skips blank lines.
    if (this.#cell === 1 && !(isLineEnd && this.#isRowEmpty)) this.#losesQuotes = false;
    if (!isLineEnd) {
      this.#cell += 1;
      this.#isRowEmpty = false;
      return;
    }
    if (byte === CARRIAGE_RETURN || this.#last !== CARRIAGE_RETURN) this.#row += 1;
    this.#cell = 1;
    this.#isRowEmpty = true;
  }

  #error(): EngineError {
    const columns = this.columns === 1 ? "the one column" : `the ${this.columns} columns`;
    return new EngineError(
      `${this.path} has a quote in the first cell of row ${this.#row}, after a row with a doubled quote in a cell beyond ${columns} of the table, with which the embedded engine reads it wrongly: declare columns for all cells, or put the cell in quotes and double its quote`,
    );
  }
}
