/** Cuts a stream of rows into objects at row ends, in constant memory for any size of rows and objects. */
import type { RecordScanner } from "./scanner";

/** Writes one object. */
export interface ObjectWriter {
  /** Appends bytes. */
  write(buffer: Buffer, start: number, end: number): void;
  /** Truncates the object at `offset` and appends the removed bytes to `target`. */
  moveTail(offset: number, size: number, target: ObjectWriter): void;
  /** Completes the object. */
  close(): void;
}

export interface CutterOptions {
  readonly scanner: RecordScanner;
  /** Maximum size of an object in bytes; only a single longer row may exceed it. */
  readonly objectBytes: number;
  /** Begins the next object. */
  readonly open: () => ObjectWriter;
}

/** Cuts one input. Call {@link push} for its chunks in order, then {@link end}. */
export class RecordCutter {
  readonly #options: CutterOptions;
  #object: ObjectWriter | undefined;
  /** Bytes of the current object. */
  #size = 0;
  /** Size of the current object up to its last row end. */
  #rowEnd = 0;
  /** True while the current object is a single row that exceeds the maximum size. */
  #longRow = false;

  constructor(options: CutterOptions) {
    this.#options = options;
  }

  /** Processes the bytes `[0, length)`; the buffer may be reused afterwards. */
  push(buffer: Buffer, length: number): void {
    let at = 0;
    while (at < length) at = this.#longRow ? this.#pushLongRow(buffer, at, length) : this.#pushRows(buffer, at, length);
  }

  /** Completes the last object at the end of the input. */
  end(): void {
    this.#object?.close();
    this.#object = undefined;
  }

  #pushRows(buffer: Buffer, at: number, length: number): number {
    const { scanner, objectBytes } = this.#options;
    if (this.#size >= objectBytes) {
      this.#cut();
      return at;
    }
    const end = Math.min(length, at + objectBytes - this.#size);
    const rowEnd = scanner.lastRowEnd(buffer, at, end);
    if (rowEnd >= 0) this.#rowEnd = this.#size + rowEnd - at;
    this.#write(buffer, at, end);
    return end;
  }

  #pushLongRow(buffer: Buffer, at: number, length: number): number {
    const rowEnd = this.#options.scanner.firstRowEnd(buffer, at, length);
    const end = rowEnd < 0 ? length : rowEnd;
    this.#write(buffer, at, end);
    if (rowEnd >= 0) {
      this.#longRow = false;
      this.#begin(undefined);
    }
    return end;
  }

  /** Begins the next object when the current one is full: moves the last, incomplete row to it. */
  #cut(): void {
    const full = this.#object!;
    const size = this.#size;
    const rowEnd = this.#rowEnd;
    if (rowEnd === 0) {
      this.#longRow = true;
      return;
    }
    if (rowEnd === size) {
      this.#begin(undefined);
      return;
    }
    const next = this.#options.open();
    full.moveTail(rowEnd, size, next);
    this.#begin(next, size - rowEnd);
  }

  #begin(next: ObjectWriter | undefined, size = 0): void {
    this.#object?.close();
    this.#object = next;
    this.#size = size;
    this.#rowEnd = 0;
  }

  #write(buffer: Buffer, start: number, end: number): void {
    if (start === end) return;
    this.#object ??= this.#options.open();
    this.#object.write(buffer, start, end);
    this.#size += end - start;
  }
}
