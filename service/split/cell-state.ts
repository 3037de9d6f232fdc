/** The states of a reader of CSV, byte by byte. */

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;

/** States of the CSV state machine. */
export const enum CellState {
  /** At the start of a field. */
  FieldStart,
  /** After one space at the start of a field, where a quote still opens it. */
  AfterSpace,
  /** In an unquoted field, or after the closing quote of a quoted field. */
  Plain,
  Quoted,
  /** After a quote in a quoted field: the quote closes the field unless another quote follows. */
  QuoteInQuoted,
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
      if (byte === SPACE) return CellState.AfterSpace;
      break;
    case CellState.AfterSpace:
      if (byte === QUOTE) return CellState.Quoted;
      break;
    case CellState.Plain:
  }
  return byte === COMMA || byte === NEWLINE || byte === CARRIAGE_RETURN ? CellState.FieldStart : CellState.Plain;
}
