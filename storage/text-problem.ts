/** Says why the beginning of an object is not text of its format that can be read, for splits and selects alike. */
import type { InputFormat } from "../contract";
import { foreignFormatOf } from "./foreign-formats";

/** Bytes in which the letters of UTF-16 are searched. */
const searchedBytes = 2048;

/**
 * Returns what an object is that cannot be read, as the rest of a sentence that begins with its name; undefined for text. A
 * NUL byte alone is no problem, because a cell may have one.
 * @param head its first bytes, decompressed
 */
export function textProblem(head: Buffer, format: InputFormat): string | undefined {
  if (head.includes(0)) {
    // Text has no NUL, and may begin with the same letters as a format of binary objects.
    const foreign = foreignFormatOf("", head);
    if (foreign) return `is ${foreign.name}: ${foreign.remedy}`;
    if (isUtf16(head)) return "is UTF-16, and its text must be UTF-8: write it again as UTF-8";
  }
  if (format === "json" && startsWithMark(head))
    return "begins with a byte order mark, which json must not have: remove it";
  return undefined;
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Returns true when bytes begin with the byte order mark of UTF-8. */
export const startsWithMark = (bytes: Buffer) => bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);

/** Returns true for text with a NUL byte that begins with a mark of UTF-16, or has most letters of which one byte is NUL. */
function isUtf16(head: Buffer): boolean {
  const bytes = head.subarray(0, searchedBytes);
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) return true;
  const nuls = [0, 0];
  for (const [index, byte] of bytes.entries()) if (byte === 0) nuls[index % 2]! += 1;
  const [even, odd] = nuls as [number, number];
  return Math.min(even, odd) === 0 && even + odd > 1 && 2 * (even + odd) > Math.floor(bytes.length / 2);
}
