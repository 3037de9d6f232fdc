/** Generates SQL of the values of partition columns. */
import type { Column } from "../../../../../contract";
import { quoteIdentifier, quoteLiteral } from "../../sql-quoting";
import type { CastFromText } from "../cast";
import { objectColumn, partitionColumn } from "./number";
import type { PartitionedTable } from "./index";

/** The rows of a table as SQL: its columns without the partition columns, and a SELECT of them. */
export interface TableRows {
  readonly columns: readonly Column[];
  /** A SELECT of the columns as {@link dataColumn}, and of {@link partitionColumn}; with locations, of {@link objectColumn}. */
  readonly sql: string;
}

/** Returns the name of a column in {@link TableRows}. */
export const dataColumn = (index: number) => `d${index}`;

const valueColumn = (level: number) => `c${level}`;

/** Returns a SELECT of the number `i` of each partition, from 1, and its values `c0`, `c1`, … */
export function partitionRowsSql({ partitionColumns, partitionRows }: PartitionedTable, cast: CastFromText): string {
  const values = partitionColumns.map(({ type }, level) => `${cast(`l[${level + 1}]`, type)} AS ${valueColumn(level)}`);
  // One constant holds all values: DuckDB takes seconds to bind one for each of thousands of partitions.
  const lists = `from_json(${quoteLiteral(JSON.stringify(partitionRows))}, '[["VARCHAR"]]')`;
  const rows = `SELECT generate_subscripts(x, 1) AS i, unnest(x) AS l FROM (SELECT ${lists} AS x)`;
  return `SELECT ${["i", ...values].join(", ")} FROM (${rows})`;
}

/** Name of the number of a partition beside columns of any other name. */
export const numberColumn = "= number =";

/** Returns a SELECT of the {@link numberColumn} of each partition and its values by the names of the columns. */
export function namedPartitionRowsSql(table: PartitionedTable, cast: CastFromText): string {
  const names = table.partitionColumns.map(({ name }, level) => `${valueColumn(level)} AS ${quoteIdentifier(name)}`);
  return `SELECT ${[`i AS ${quoteIdentifier(numberColumn)}`, ...names].join(", ")} FROM (${partitionRowsSql(table, cast)})`;
}

/** Returns true when {@link tableSql} reads the values of the partitions from a table. */
export const needsPartitionTable = ({ partitionColumns, partitionRows }: PartitionedTable) =>
  partitionColumns.length > 0 && partitionRows.length > 1;

/**
 * Returns a SELECT of a table's columns by their names; the partition columns are last, as in Hive.
 * @param options.partitionTable a table with the rows of {@link partitionRowsSql}, if it needs one.
 * @param options.fileName name of one more column, of the location of the row's object.
 */
export function tableSql(
  { columns, sql }: TableRows,
  { partitionColumns, partitionRows }: PartitionedTable,
  {
    cast,
    partitionTable,
    fileName,
  }: {
    readonly cast: CastFromText;
    readonly partitionTable: string | undefined;
    readonly fileName: string | undefined;
  },
): string {
  const [only = []] = partitionRows;
  const constant = (level: number, type: string) => {
    const value = only[level] ?? null;
    return cast(value === null ? "CAST(NULL AS VARCHAR)" : quoteLiteral(value), type);
  };
  const list = [
    ...columns.map(({ name }, index) => `r.${dataColumn(index)} AS ${quoteIdentifier(name)}`),
    ...partitionColumns.map(({ name, type }, level) => {
      const value = partitionTable === undefined ? constant(level, type) : `q.${valueColumn(level)}`;
      return `${value} AS ${quoteIdentifier(name)}`;
    }),
    ...(fileName === undefined ? [] : [`r.${objectColumn} AS ${quoteIdentifier(fileName)}`]),
  ];
  const join = partitionTable === undefined ? "" : ` JOIN ${partitionTable} AS q ON q.i = r.${partitionColumn}`;
  return `SELECT ${list.join(", ")} FROM (${sql}) AS r${join}`;
}

/** Returns a test for columns of the data that the table has: the value of a folder hides one of the same name. */
export function showsColumn({ partitionColumns }: PartitionedTable): (name: string) => boolean {
  const hidden = new Set(partitionColumns.map(({ name }) => name));
  return (name) => !hidden.has(name.toLowerCase());
}
