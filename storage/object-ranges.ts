/** Reads an object as several ranges at the same time, because one connection to S3 is slower than the scan of its bytes. */
import { buffer } from "node:stream/consumers";
import { isTransientS3Error } from "./s3-problems";
import type { Storage, StoredObject } from "./storage";

/** Bytes of a range, and ranges that are read or wait to be used. */
const ranges = { bytes: 4 * 1024 * 1024, parallel: 6 } as const;
/** Requests for a range, while S3 does not answer. */
const maxTries = 3;

/** Yields the bytes of an object in order. @throws StorageAccessError when it was changed, or the signal's reason */
export async function* objectRanges(
  storage: Pick<Storage, "read">,
  { location, size, etag }: StoredObject,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const read = async (start: number): Promise<Buffer> => {
    for (let tries = 1; ; tries += 1) {
      signal.throwIfAborted();
      try {
        return await buffer(await storage.read(location, { start, end: Math.min(size, start + ranges.bytes), etag }));
      } catch (error) {
        if (tries === maxTries || !isTransientS3Error(error)) throw error;
      }
    }
  };
  const waiting: Promise<Buffer>[] = [];
  for (let next = 0; next < size || waiting.length > 0;) {
    for (; next < size && waiting.length < ranges.parallel; next += ranges.bytes) {
      const range = read(next);
      // An error is thrown when it is the range's turn.
      range.catch(() => undefined);
      waiting.push(range);
    }
    yield await waiting.shift()!;
    signal.throwIfAborted();
  }
}
