/** Reads the beginning of a file. */
import { open } from "node:fs/promises";
import { constants, gunzipSync } from "node:zlib";
import { EngineError } from "../engine-errors";

/** The beginning of a file, decompressed. */
export interface FileHead {
  readonly path: string;
  readonly gzip: boolean;
  /** The first bytes, decompressed. */
  readonly bytes: Buffer;
  /** True when the file has more bytes, so that the last row may be incomplete. */
  readonly more: boolean;
  /** Size of the file in bytes. */
  readonly size: number;
  /** Modification time in milliseconds since 1970. */
  readonly modified: number;
}

/**
 * Reads the beginning of a file: at most `headBytes` bytes before decompression.
 * @throws EngineError when gzip data is corrupt.
 */
export async function readFileHead(path: string, headBytes: number = 64 * 1024): Promise<FileHead> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.alloc(headBytes);
    let length = 0;
    for (let read = -1; read !== 0 && length < headBytes; length += read) {
      ({ bytesRead: read } = await file.read(buffer, length, headBytes - length, length));
    }
    const raw = buffer.subarray(0, length);
    const gzip = raw[0] === 0x1f && raw[1] === 0x8b;
    const { size, mtimeMs: modified } = await file.stat();
    return { path, gzip, bytes: gzip ? gunzipBeginning(path, raw) : raw, more: size > length, size, modified };
  } finally {
    await file.close();
  }
}

/** Decompresses the first bytes of a gzip file, which may be cut off anywhere. */
function gunzipBeginning(path: string, raw: Buffer): Buffer {
  try {
    // Header, an empty block and trailer take 20 bytes; zlib takes less for the start of more data.
    if (raw.length < 20) throw new Error("incomplete gzip data");
    return gunzipSync(raw, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    throw new EngineError(`${path} starts like gzip data but cannot be decompressed`, { cause: error });
  }
}
