/** Finds where to cut objects into objects, at the same row ends as a split of files. */
import { type ObjectWriter, RecordCutter } from "./cutter";
import { recordScanner } from "./scanner";

/** A range of an object that becomes an object. */
export interface Cut {
  readonly start: number;
  readonly end: number;
}

const newline = 0x0a;
/** Bytes of the first read for a row end; each further read is twice as large, up to the maximum. */
const rowEndRead = { first: 64 * 1024, longest: 4 * 1024 * 1024 } as const;

/**
 * Yields the cuts of text whose rows end at every newline. Reads only around the cuts.
 * @param read returns the bytes of a range
 */
export async function* lineCuts(
  size: number,
  objectBytes: number,
  read: (start: number, end: number) => Promise<Buffer>,
): AsyncGenerator<Cut> {
  for (let start = 0; start < size;) {
    const limit = start + objectBytes;
    const end = limit >= size ? size : await rowEnd(start, limit, size, read);
    yield { start, end };
    start = end;
  }
}

/** Returns the last row end after `start` and up to `limit`, or else the first one after `limit`. */
async function rowEnd(
  start: number,
  limit: number,
  size: number,
  read: (start: number, end: number) => Promise<Buffer>,
): Promise<number> {
  for (let to = limit, bytes: number = rowEndRead.first; to > start; bytes = Math.min(2 * bytes, rowEndRead.longest)) {
    const from = Math.max(start, to - bytes);
    const found = (await read(from, to)).lastIndexOf(newline);
    if (found >= 0) return from + found + 1;
    to = from;
  }
  for (
    let from = limit, bytes: number = rowEndRead.first;
    from < size;
    bytes = Math.min(2 * bytes, rowEndRead.longest)
  ) {
    const to = Math.min(size, from + bytes);
    const found = (await read(from, to)).indexOf(newline);
    if (found >= 0) return from + found + 1;
    from = to;
  }
  return size;
}

/** Yields the cuts of csv, whose quotes decide which newlines are row ends: every byte is read, and none is kept. */
export async function* csvCuts(content: AsyncIterable<Buffer>, objectBytes: number): AsyncGenerator<Cut> {
  const objects: CountedObject[] = [];
  const open = () => {
    const object = new CountedObject();
    objects.push(object);
    return object;
  };
  const cutter = new RecordCutter({ scanner: recordScanner("csv"), objectBytes, open });
  let start = 0;
  const cutOf = ({ bytes }: CountedObject): Cut => ({ start, end: (start += bytes) });
  for await (const chunk of content) {
    cutter.push(chunk, chunk.length);
    while (objects.length > 1) yield cutOf(objects.shift()!);
  }
  cutter.end();
  for (const object of objects) yield cutOf(object);
}

/** Counts the bytes of an object. */
class CountedObject implements ObjectWriter {
  bytes = 0;

  write(_buffer: Buffer, start: number, end: number): void {
    this.bytes += end - start;
  }

  moveTail(offset: number, size: number, target: ObjectWriter): void {
    this.bytes = offset;
    target.write(nothing, 0, size - offset);
  }

  close(): void {
    // There is nothing to complete.
  }
}

const nothing = Buffer.alloc(0);
