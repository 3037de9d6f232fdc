/** Tables as they lie in lakes: partition folders and Parquet files that Hive writes, and statements that read them. */
import fc from "fast-check";
import type { Arbitrary } from "./clauses.mts";
import { itemsTable, limitsTable, salesTable, type Table } from "./tables.mts";
import type { Term } from "./term.mts";

/** A table whose objects Hive writes, and both engines read. */
export interface LakeTable {
  readonly name: string;
  /** The table whose rows it has. */
  readonly of: Table;
  readonly format: "parquet" | "tsv";
  readonly columns: Table["columns"];
  /** The partition columns, from the outermost folder to the innermost. */
  readonly partitions: Table["columns"];
}

/** A text file has no nested values, and binary values only in base64. */
const isInText = ({ type }: Table["columns"][number]) => !/^(array|map|struct|binary)/.test(type);

function lake(name: string, of: Table, format: LakeTable["format"], keys: readonly string[]): LakeTable {
  const partitions = keys.flatMap((key) => of.columns.filter((column) => column.name === key));
  const columns = of.columns.filter(
    (column) => !partitions.includes(column) && (format === "parquet" || isInText(column)),
  );
  return { name, of, format, columns, partitions };
}

/** The tables. */
export const lakeTables: readonly LakeTable[] = [
  lake("sales_parquet", salesTable, "parquet", ["t", "k"]),
  lake("sales_by_day", salesTable, "parquet", ["day"]),
  lake("sales_text", salesTable, "tsv", ["u"]),
  lake("items_parquet", itemsTable, "parquet", []),
  lake("items_by_time", itemsTable, "parquet", ["at", "vc"]),
  lake("pool_parquet", limitsTable, "parquet", []),
];

const choices = ["sales", "items", "pool"].map((name) => ({
  name: new RegExp(`\\b${name}\\b`, "g"),
  names: lakeTables.filter(({ of }) => of.name === name).map((table) => table.name),
}));

/**
 * Replaces the tables of generated statements by tables of lakes. `TABLESAMPLE(n ROWS)` is left out: Hive takes n rows
 * of each split.
 */
export const overLakes = (queries: Arbitrary<Term>): Arbitrary<Term> =>
  fc.tuple(queries, fc.nat(59)).map(([query, turn]) => {
    const renamed = (text: string) =>
      choices.reduce(
        (result, { name, names }) => result.replaceAll(name, names[turn % names.length] ?? ""),
        text.replaceAll(/TABLESAMPLE\(\d+ ROWS\) /g, ""),
      );
    return mapTexts(query, renamed);
  });

const mapTexts = (whole: Term, change: (text: string) => string): Term => ({
  ...whole,
  parts: whole.parts.map((part) => (typeof part === "string" ? change(part) : mapTexts(part, change))),
  ...(whole.simpler ? { simpler: whole.simpler.map((each) => mapTexts(each, change)) } : {}),
});
