/** Reads the beginning of a file. */
import { open } from "node:fs/promises";
import { gunzipHead, type GzipHead } from "../../../../storage/gzip-head";
import { EngineError } from "../engine-errors";

/** Maximum number of bytes that are decompressed: more than 64 KiB of text expand to. */
const maxDecompressedBytes = 1024 * 1024;

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
  /** Time of the last change of the file or its attributes, which no program can set, in milliseconds since 1970. */
  readonly changed: number;
  readonly inode: number;
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
    const { size, mtimeMs: modified, ctimeMs: changed, ino: inode } = await file.stat();
    const head = gzip ? await gunzipBeginning(path, raw) : { bytes: raw, more: false };
    return { path, gzip, bytes: head.bytes, more: head.more || size > length, size, modified, changed, inode };
  } finally {
    await file.close();
  }
}

/** Decompresses the first bytes of a gzip file, which may be cut off anywhere. */
async function gunzipBeginning(path: string, raw: Buffer): Promise<GzipHead> {
  try {
    return await gunzipHead(raw, maxDecompressedBytes);
  } catch (error) {
    throw new EngineError(`${path} starts like gzip data but cannot be decompressed`, { cause: error });
  }
}
