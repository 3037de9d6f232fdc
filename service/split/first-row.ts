/** Keeps the first row of an input of csv or tsv, which may be a header, to find where it is repeated. */
import type { InputFormat } from "../../contract";
import { type RecordScanner, recordScanner } from "./scanner";

/** Longest first row that is kept, in bytes. */
const mostBytes = 64 * 1024;

export class FirstRow {
  readonly #scanner: RecordScanner;
  #bytes: Buffer = Buffer.alloc(0);
  #isComplete = false;
  #isKept = true;
  /** The last bytes that were written, at most as many as the row has. */
  #last: Buffer = Buffer.alloc(0);

  private constructor(format: InputFormat) {
    this.#scanner = recordScanner(format);
  }

  /** Returns the first row of an input; undefined for json, which has no header. */
  static of(format: InputFormat): FirstRow | undefined {
    return format === "json" ? undefined : new FirstRow(format);
  }

  /** The row with its line end, without a byte order mark; undefined when it is not known, blank or too long. */
  get bytes(): Buffer | undefined {
    return this.#isComplete && this.#isKept ? this.#bytes : undefined;
  }

  /** Receives the bytes of the input before they are written. */
  push(buffer: Buffer, length: number): void {
    if (this.#isComplete || !this.#isKept) return;
    const end = this.#scanner.firstRowEnd(buffer, 0, Math.min(length, mostBytes));
    const row = buffer.subarray(0, end < 0 ? Math.min(length, mostBytes) : end);
    this.#bytes = Buffer.concat([this.#bytes, row]);
    this.#isComplete = end >= 0;
    if (this.#isComplete) this.#bytes = withoutMark(this.#bytes);
    const isBlank = this.#isComplete && /^\r?\n$/.test(this.#bytes.toString("latin1"));
    this.#isKept = !isBlank && this.#bytes.length < mostBytes;
  }

  /** Receives the bytes that are written. */
  written(buffer: Buffer, start: number, end: number): void {
    const size = this.bytes?.length ?? 0;
    if (size === 0) return;
    if (end - start >= size) this.#last = Buffer.from(buffer.subarray(end - size, end));
    else this.#last = Buffer.concat([this.#last, buffer.subarray(start, end)]).subarray(-size);
  }

  /** Returns the given number of bytes if the last written ones are as many of this row's first; else undefined. */
  startOf(bytes: number): number | undefined {
    const row = this.bytes;
    if (row === undefined || bytes >= row.length) return undefined;
    const last = this.#last.subarray(this.#last.length - bytes);
    return row.subarray(0, bytes).equals(last) ? bytes : undefined;
  }
}

const withoutMark = (row: Buffer) => (row[0] === 0xef && row[1] === 0xbb && row[2] === 0xbf ? row.subarray(3) : row);
