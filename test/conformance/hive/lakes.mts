/** The folder of the tables that Hive writes for a run. The server must run on this machine. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { randomInt } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LakeTable, lakeTables } from "./generate/lakes.mts";

/** The tables of a run, with their place. */
export interface Lakes {
  /** The folder of the buckets. */
  readonly directory: string;
  /** The database of the tables in Hive. */
  readonly database: string;
  readonly tables: readonly LakeTable[];
}

/** The bucket of the tables. */
export const lakeBucket = "lakes";

/** Makes the folder; `remove` deletes it with its files. */
export function newLakes(): Lakes & { remove(): void } {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "conformance-lakes-")));
  mkdirSync(join(directory, lakeBucket));
  return {
    directory,
    database: `conformance_${randomInt(1_000_000_000)}`,
    tables: lakeTables,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Returns the statements that make and fill the tables in Hive, from the tables whose rows they have. */
export function lakeStatements({ directory, tables }: Lakes): string[] {
  return [
    "SET hive.exec.dynamic.partition.mode=nonstrict",
    ...tables.flatMap((table) => statementsOf(table, directory)),
  ];
}

function statementsOf({ name, of, format, columns, partitions }: LakeTable, directory: string): string[] {
  const declared = (list: LakeTable["columns"]) => list.map((each) => `\`${each.name}\` ${each.type}`).join(", ");
  const names = (list: LakeTable["columns"]) => list.map((each) => `\`${each.name}\``).join(", ");
  const stored =
    format === "parquet" ? "STORED AS PARQUET" : "ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t' STORED AS TEXTFILE";
  const isPartitioned = partitions.length > 0;
  const partitioned = isPartitioned ? ` PARTITIONED BY (${declared(partitions)})` : "";
  const target = isPartitioned ? `${name} PARTITION (${names(partitions)})` : name;
  // Hive reads the folder of NULL and of the empty text as its name, `__HIVE_DEFAULT_PARTITION__`, if the type is a text.
  const texts = partitions.filter(({ family }) => family === "text").map((column) => `${column.name} <> ''`);
  const filter = texts.length > 0 ? ` WHERE ${texts.join(" AND ")}` : "";
  return [
    `CREATE EXTERNAL TABLE ${name} (${declared(columns)})${partitioned} ${stored} LOCATION 'file:${join(directory, lakeBucket, name)}'`,
    `INSERT INTO TABLE ${target} SELECT ${names([...columns, ...partitions])} FROM ${of.name}${filter}`,
  ];
}
