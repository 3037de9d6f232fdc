/** A folder of golden cases: cases.jsonl, tables.jsonl and the tables' CSV files. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface GoldenCase {
  readonly id: string;
  readonly query: string;
  /** Hive's rows: cells separated by tabs, NULL as `NULL`. */
  readonly expected: readonly string[];
  /** True when the order of the rows is compared. */
  readonly ordered: boolean;
  readonly set: readonly string[];
  /** The hash of each table, by the name in the statement. */
  readonly tables: Readonly<Record<string, string>>;
  /** What Hive 4.0.1 answers: `same` when it confirms the expected rows. */
  readonly hive4: string;
}

export interface GoldenTable {
  /** Its hash. */
  readonly table: string;
  /** RFC 4180 without a header; `\N` without quotes is NULL. */
  readonly file: string;
  readonly columns: readonly (readonly [name: string, type: string])[];
}

export const readCases = (directory: string) => readLines<GoldenCase>(join(directory, "cases.jsonl"));

export const readTables = (directory: string) => readLines<GoldenTable>(join(directory, "tables.jsonl"));

function readLines<Line>(file: string): Line[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Line);
}
