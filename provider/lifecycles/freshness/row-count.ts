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
    if (isHeader && size > 0 && isHeader(await firstLine(storage, location, size))) rows -= 1;
    if (rows > limit) break;
  }
  return rows;
}

async function countObject(storage: Storage, location: Location, format: Format, limit: number): Promise<number> {
  const counter = counters[format]();
  const stream = await storage.read(location);
  for await (const chunk of stream) {
    counter.push(chunk as Buffer);
    // Leaving the loop destroys the stream.
    if (counter.rows > limit) return counter.rows;
  }
  counter.end();
  return counter.rows;
}

const counters: Readonly<Record<Format, () => RowCounter>> = {
  csv: () => new CsvCounter(),
  tsv: () => new LineCounter(() => true),
  json: () => new LineCounter((isBlank) => !isBlank),
};

const [newline, quote, comma, carriageReturn, space, tab] = Buffer.from('\n",\r \t') as Iterable<number>;

/** Counts lines. */
class LineCounter implements RowCounter {
  rows = 0;
  #isEmpty = true;
  #isBlank = true;

  constructor(private readonly counts: (isBlank: boolean) => boolean) {}

  push(bytes: Buffer): void {
    for (const byte of bytes) {
      if (byte === newline) {
        if (this.counts(this.#isBlank)) this.rows += 1;
        this.#isEmpty = this.#isBlank = true;
      } else {
        this.#isEmpty = false;
        if (byte !== space && byte !== tab && byte !== carriageReturn) this.#isBlank = false;
      }
    }
  }

  end(): void {
    if (!this.#isEmpty && this.counts(this.#isBlank)) this.rows += 1;
  }
}

/** Counts the rows of CSV, in which a quoted field may contain line ends. */
class CsvCounter implements RowCounter {
  rows = 0;
  #isEmpty = true;
  #isFieldStart = true;
  #isQuoted = false;

  push(bytes: Buffer): void {
    for (const byte of bytes) {
      if (this.#isQuoted) {
        // The second quote of an escaped pair opens the field again.
        if (byte === quote) this.#isQuoted = false;
        this.#isFieldStart = byte === quote;
        continue;
      }
      if (byte === newline) {
        this.rows += 1;
        this.#isEmpty = this.#isFieldStart = true;
        continue;
      }
      this.#isEmpty = false;
      if (byte === quote && this.#isFieldStart) this.#isQuoted = true;
      this.#isFieldStart = byte === comma;
    }
  }

  end(): void {
    if (!this.#isEmpty) this.rows += 1;
  }
}

async function firstLine(storage: Storage, location: Location, size: number): Promise<string> {
  const bytes = await (await storage.read(location, { end: Math.min(size, 65_536) })).toArray();
  return Buffer.concat(bytes).toString().split("\n", 1)[0]!.replace(/\r$/, "");
}
