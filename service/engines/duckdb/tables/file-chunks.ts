/** Reads the content of files, plain or gzip, in chunks. */
import { createReadStream, readFileSync, statSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { EngineError } from "../engine-errors";

/** Bytes read at a time: large enough for fast reading, small enough to cancel within milliseconds. */
const chunkBytes = 4 * 1024 * 1024;

/** Size of a file that is read in one call, which takes less time than to wait for another thread. */
const smallBytes = 64 * 1024;

/** Reads a file, decompressed. Each chunk is overwritten by the next. */
export const fileChunks = ({ path, gzip }: { readonly path: string; readonly gzip: boolean }) =>
  gzip ? readGzip(path) : readPlain(path);

/** Reads a file in chunks; each chunk is overwritten by the next. */
async function* readPlain(path: string): AsyncGenerator<Buffer> {
  if (statSync(path).size <= smallBytes) {
    const content = readFileSync(path);
    if (content.length > 0) yield content;
    return;
  }
  const file = await open(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, (await file.stat()).size + 1));
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Reads a gzip file in decompressed chunks. */
async function* readGzip(path: string): AsyncGenerator<Buffer> {
  const { size } = await stat(path);
  yield* decompressed({ name: path, size }, createReadStream(path, { highWaterMark: chunkBytes }));
}

/**
 * Yields gzip data in decompressed chunks.
 * @param object its size, and its name for the message of an error
 * @throws EngineError when the data is damaged, or other bytes follow it, which DuckDB does not read
 */
export async function* decompressed(
  { name, size }: { readonly name: string; readonly size: number },
  compressed: Readable,
): AsyncGenerator<Buffer> {
  const bytes = createGunzip({ chunkSize: chunkBytes });
  compressed.on("error", (error) => bytes.destroy(error));
  try {
    yield* compressed.pipe(bytes) as AsyncIterable<Buffer>;
    if (bytes.bytesWritten < size) {
      throw new EngineError(
        `${name} has other bytes after its gzip data, such as the zeros of a tape or an archive: write it again without them`,
      );
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!code?.startsWith("Z_")) throw error;
    const reason = code === "Z_BUF_ERROR" ? "its end is missing" : "it is damaged";
    throw new EngineError(`${name} is not valid gzip data: ${reason}`, { cause: error });
  } finally {
    compressed.destroy();
    bytes.destroy();
  }
}
