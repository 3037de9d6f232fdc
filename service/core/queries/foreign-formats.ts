/** Formats of lakes that the service does not read, and how to recognise and convert them. */

export interface ForeignFormat {
  /** The name in a config. */
  readonly format: "orc" | "avro";
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

/** No reader for them runs offline: DuckDB has none for ORC, and the one for Avro is an extension to be downloaded. */
export const foreignFormats: readonly ForeignFormat[] = [
  { format: "orc", name: "ORC", ending: ".orc", magic: "ORC", remedy: remedy("ORC") },
  { format: "avro", name: "Avro", ending: ".avro", magic: "Obj\u0001", remedy: remedy("Avro") },
];
