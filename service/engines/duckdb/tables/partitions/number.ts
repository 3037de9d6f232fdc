/** The columns of a scan that say where a row comes from. */
import { quoteLiteral } from "../../sql-quoting";

/** Name of the column of a row's partition; partitions are counted from 1. */
export const partitionColumn = "p";

/** Name of the column of a row's object, which a scan has when the statement asks for it. */
export const objectColumn = "f";

/** SQL of the columns for a scan of no file. */
export const noOrigin = `1 AS ${partitionColumn}, NULL::VARCHAR AS ${objectColumn}`;

/** Where the rows of a file belong. */
export interface RowOrigin {
  /** Index of its partition. */
  readonly partition: number;
  /** Its location, such as `dag://data/events/a.csv`, when the statement reads INPUT__FILE__NAME. */
  readonly shownLocation?: string | undefined;
}

/** Returns SQL of the columns for a scan of several files. */
export function originColumns(files: readonly RowOrigin[]): string {
  const numbers = files.map(({ partition }) => partition + 1);
  const locations = files.flatMap(({ shownLocation }) => shownLocation ?? []);
  const number = valueByFile(numbers, String, "INTEGER");
  if (locations.length === 0) return `${number} AS ${partitionColumn}`;
  return `${number} AS ${partitionColumn}, ${valueByFile(locations, quoteLiteral, "VARCHAR")} AS ${objectColumn}`;
}

/** Returns SQL of the value that a row's file has in a list. */
function valueByFile<Value>(values: readonly Value[], literal: (value: Value) => string, type: string): string {
  const [first] = values;
  if (first !== undefined && values.every((value) => value === first)) return literal(first);
  // One constant holds all values: DuckDB takes long to bind one for each of thousands of files.
  return `from_json(${quoteLiteral(JSON.stringify(values))}, '["${type}"]')[CAST(file_index AS BIGINT) + 1]`;
}

/** Returns SQL of the columns of rows that another SELECT has scanned. */
export const scannedOrigin = (files: readonly RowOrigin[]) =>
  files.length === 0 || files.some(({ shownLocation }) => shownLocation !== undefined)
    ? `${partitionColumn}, ${objectColumn}`
    : partitionColumn;
