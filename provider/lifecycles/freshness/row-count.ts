/** Counts the rows of objects in constant memory. */
import { parseLocation, type Location } from "../../../contract";
import type { Storage } from "../../../storage";

type Format = "csv" | "tsv" | "json";

/** Counts of one format; {@link push} takes the bytes in order. */
interface RowCounter {
  rows: number;
  push(bytes: Buffer): void;
  /** Counts a last row without a line end. */
  end(): void;
}

/**
 * Counts the rows of the objects in a folder, and stops when there are more than `limit`.
 * @param isHeader returns true for a first line that is not a row.
 */
export async function countRows(
  storage: Storage,
  folder: string,
  format: Format,
  limit: number,
  isHeader?: (line: string) => boolean,
): Promise<number> {
  let rows = 0;
  for await (const { location, size } of storage.list(parseLocation(folder))) {
    if (location.key.startsWith("tmp/")) continue;
    rows += await countObject(storage, location, format, limit - rows + 1);
    if (isHeader && size > 0 && isHeader(await firstLine(storage, location))) rows -= 1;
    if (rows > limit) break;
  }
  return rows;
}

async function countObject(storage: Storage, location: Location, format: Format, limit: number): Promise<number> {
  const counter = counters[format]();
  const stream = await storage.read(location);
  let isFirst = true;
  for await (const chunk of stream) {
    const bytes = chunk as Buffer;
    const isMarked = isFirst && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    isFirst = false;
    counter.push(isMarked ? bytes.subarray(byteOrderMark.length) : bytes);
    // Leaving the loop destroys the stream.
    if (counter.rows > limit) return counter.rows;
  }
  counter.end();
  return counter.rows;
}

const counters: Readonly<Record<Format, () => RowCounter>> = {
  csv: () => new CellCounter(true),
  tsv: () => new CellCounter(false),
  json: () => new ObjectCounter(),
};

const [newline, quote, comma, carriageReturn, space, tab] = Buffer.from('\n",\r \t') as Iterable<number>;

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

const isEnd = (byte: number) => byte === newline || byte === carriageReturn;

/** Counts lines that are not blank. */
class ObjectCounter implements RowCounter {
  rows = 0;
  #isBlank = true;

  push(bytes: Buffer): void {
    for (const byte of bytes) {
      if (byte === newline) this.end();
      else if (byte !== space && byte !== tab && byte !== carriageReturn) this.#isBlank = false;
    }
  }

  end(): void {
    if (!this.#isBlank) this.rows += 1;
    this.#isBlank = true;
  }
}

/** Counts the rows of csv or tsv, which end at LF, CR LF or CR, in csv outside quotes. */
class CellCounter implements RowCounter {
  rows = 0;
  #isEmpty = true;
  #isFieldStart = true;
  #isQuoted = false;
  #previous = newline;

  constructor(private readonly hasQuotes: boolean) {}

  push(bytes: Buffer): void {
    for (const byte of bytes) {
      if (this.#isQuoted) {
        // The second quote of an escaped pair opens the field again.
        if (byte === quote) this.#isQuoted = false;
        this.#isFieldStart = byte === quote;
      } else if (isEnd(byte)) {
        if (byte !== newline || this.#previous !== carriageReturn) this.rows += 1;
        this.#isEmpty = this.#isFieldStart = true;
      } else {
        this.#isEmpty = false;
        if (this.hasQuotes && byte === quote && this.#isFieldStart) this.#isQuoted = true;
        this.#isFieldStart = byte === comma || (this.#isFieldStart && byte === space);
      }
      this.#previous = byte;
    }
  }

  end(): void {
    if (!this.#isEmpty) this.rows += 1;
  }
}

/** Bytes of a first line that are compared with the names of columns. */
const maxLineBytes = 16 * 1024 * 1024;

async function firstLine(storage: Storage, location: Location): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of await storage.read(location, { end: maxLineBytes })) {
    const bytes = chunk as Buffer;
    const end = bytes.findIndex(isEnd);
    parts.push(end < 0 ? bytes : bytes.subarray(0, end));
    length += bytes.length;
    // Leaving the loop destroys the stream.
    if (end >= 0 || length >= maxLineBytes) break;
  }
  return Buffer.concat(parts).toString();
}
