/** Decompresses the beginning of gzip data, however much it expands. */
import { constants, createGunzip } from "node:zlib";

/** The beginning of decompressed data. */
export interface GzipHead {
  readonly bytes: Buffer;
  /** True when the limit was reached. */
  readonly more: boolean;
}

/** A header, an empty block and a trailer. */
const smallestMember = 20;

/**
 * Decompresses gzip data, which may be cut off anywhere, up to a number of bytes.
 * @throws an error of zlib, or one of this function for data that is shorter than any gzip data.
 */
export async function gunzipHead(compressed: Buffer, limit: number): Promise<GzipHead> {
  // zlib takes less for the start of more data.
  if (compressed.length < smallestMember) throw new Error("the gzip data is incomplete");
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 65_536 });
  gunzip.end(compressed);
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop destroys the stream, which decompresses a piece at a time and waits until it is read.
  for await (const chunk of gunzip as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= limit) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limit), more: size >= limit };
}
