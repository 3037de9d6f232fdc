/**
 * Counts the cells of csv's widest row. DuckDB's reader drops the cells of a row beyond its columns, and reads two things
 * wrongly then, which a column for every cell avoids. After a dropped cell with a doubled quote, or with spaces after its
 * closing quote, it takes the first cell of the next row for one with doubled quotes: it takes the quotes out of a cell that
 * is not in quotes, and keeps the spaces behind one that two of its buffers share. It fails where such a dropped cell is in
 * two buffers.
 */
import { CellState, nextCellState } from "../../../split/cell-state";

const [QUOTE, COMMA, LINE_FEED, CARRIAGE_RETURN] = [0x22, 0x2c, 0x0a, 0x0d] as const;

/** Reads bytes one by one. */
export class WidestRow {
  /** The number of cells of the widest row so far. */
  cells = 1;
  /** The number of the cell in its row, from 1. */
  #cell = 1;
  #state = CellState.FieldStart;

  push(chunk: Buffer): void {
    // Local variables are faster than fields in this loop.
    let { cells } = this;
    let cell = this.#cell;
    let state = this.#state;
    for (let at = 0; at < chunk.length; at++) {
      if (state === CellState.Quoted) {
        at = chunk.indexOf(QUOTE, at);
        if (at < 0) break;
        state = CellState.QuoteInQuoted;
        continue;
      }
      const byte = chunk[at]!;
      // Most bytes are letters and digits.
      state = byte > COMMA ? CellState.Plain : nextCellState(state, byte);
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) cell = 1;
      else if (byte === COMMA) {
        cell += 1;
        if (cell > cells) cells = cell;
      }
    }
    this.cells = cells;
    this.#cell = cell;
    this.#state = state;
  }
}
