/**
 * Chooses how many bytes of a file DuckDB's reader takes at a time. It puts together a cell that is in two of its buffers,
 * and then keeps some of the spaces after the closing quote, and loses a last row without a line end that has fewer cells
 * than the table has columns. No buffer of the chosen size ends in such a place.
 */
import { EngineError } from "../engine-errors";
import type { SpacedCell } from "./closing-quotes";
import { maxLineBytes } from "./text-scan";

/** The largest size: more would not fit in the memory that one of several queries has. */
const maxBytes = 64 * 1024 * 1024;
/** Bytes by which the sizes differ: an odd number, so that they end in other places of rows of one length. */
const stepBytes = 65_521;
/** The sizes to choose from. A buffer has at least one row. */
const allSizes = Array.from(
  { length: Math.floor((maxBytes - maxLineBytes) / stepBytes) + 1 },
  (_, index) => maxLineBytes + index * stepBytes,
);

/** Is given the cells of a file with spaces after their closing quote, in their order. */
export class BufferSize {
  #sizes: readonly number[] = allSizes;
  /** The first end of a buffer that is not before the next cell. */
  #nextEnd = maxLineBytes;

  constructor(private readonly path: string) {}

  /** The smallest size in bytes with which the reader reads the cells correctly. */
  get bytes(): number {
    return this.#sizes[0]!;
  }

  /** @throws EngineError when there is no such size */
  add({ start, closingQuote, end, spaces, hasDoubledQuote }: SpacedCell): void {
    // The reader takes off one space itself.
    if (end < this.#nextEnd || spaces < 2) return;
    this.#keepWhole(hasDoubledQuote ? start : closingQuote + 1, end);
  }

  /** Is given the last row of the file, after its cells, if it has no line end. @throws EngineError as `add` */
  addLastRow(start: number, end: number): void {
    if (end >= maxLineBytes) this.#keepWhole(start, end);
  }

  #keepWhole(from: number, end: number): void {
    this.#sizes = this.#sizes.filter((size) => endFrom(from, size) > end);
    if (this.#sizes.length === 0) throw this.#error();
    this.#nextEnd = this.#sizes.reduce((next, size) => Math.min(next, endFrom(end + 1, size)), Infinity);
  }

  #error(): EngineError {
    return new EngineError(
      `${this.path} has so many cells with spaces after their closing quotes that the embedded engine reads some of them wrongly: remove these spaces, or write the rows as several smaller objects`,
    );
  }
}

/** Returns the first end of a buffer that is not before an offset. */
const endFrom = (offset: number, size: number) => Math.max(1, Math.ceil(offset / size)) * size;
