/** Formats that the service does not read, and how to recognise and convert them. */

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
