/**
 * Formats that the service does not read, and how to recognise and convert them: splits and selects say alike why the
 * beginning of an object is not text of its format.
 */
import type { InputFormat } from "../contract";

export interface ForeignFormat {
  /** The name in a config, where it can be one. */
  readonly format?: "orc" | "avro";
  /** The name in a message. */
  readonly name: string;
  /** The usual ending of its objects' names. */
  readonly ending: string;
  /** The first bytes of its objects. */
  readonly magic: string;
  readonly remedy: string;
}

const remedy = (word: string) =>
  `convert it to Parquet, for example in Hive or Spark with CREATE TABLE … STORED AS PARQUET AS SELECT * FROM the ${word} table`;

const decompress = "write it as plain text, or compress it with gzip";

/** No reader for them runs offline: DuckDB has none for ORC, and the one for Avro is an extension to be downloaded. */
const foreignFormats: readonly ForeignFormat[] = [
  { format: "orc", name: "ORC", ending: ".orc", magic: "ORC", remedy: remedy("ORC") },
  { format: "avro", name: "Avro", ending: ".avro", magic: "Obj\u0001", remedy: remedy("Avro") },
  { name: "compressed with bzip2", ending: ".bz2", magic: "BZh91AY&SY", remedy: decompress },
  { name: "compressed with Zstandard", ending: ".zst", magic: "\u0028\u00b5\u002f\u00fd", remedy: decompress },
  { name: "compressed with LZ4", ending: ".lz4", magic: "\u0004\u0022\u004d\u0018", remedy: decompress },
  { name: "compressed with Snappy", ending: ".snappy", magic: "\u00ff\u0006\u0000\u0000sNaPpY", remedy: decompress },
  { name: "compressed with xz", ending: ".xz", magic: "\u00fd7zXZ", remedy: decompress },
  { name: "a ZIP archive", ending: ".zip", magic: "PK\u0003\u0004", remedy: decompress },
];

/** Returns the format that a config names. */
export const foreignFormatNamed = (format: unknown): ForeignFormat | undefined =>
  foreignFormats.find((each) => each.format !== undefined && each.format === format);

/** Returns the format of an object, by the extension of its name or its first bytes. */
export function foreignFormatOf(extension: string, head: Buffer): ForeignFormat | undefined {
  const bytes = head.toString("latin1");
  // A row of text can begin with the same letters, as ORCID does.
  const isText = /^[\t\x20-\x7e]*\r?\n/.test(bytes);
  return foreignFormats.find(({ ending, magic }) => ending === extension || (!isText && bytes.startsWith(magic)));
}

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
