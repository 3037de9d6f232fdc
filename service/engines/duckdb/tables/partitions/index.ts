/**
 * The partitions of a table, which the folders of its objects name: the rows of `dt=2026-01-01/part-0.csv` have the value
 * `2026-01-01` in the column `dt`, as in Hive.
 */
import { type Column, partitionFolders } from "../../../../../contract";
import { EngineError } from "../../engine-errors";
import type { EngineFile, EngineTable } from "../../files";
import type { RowOrigin } from "./number";

/** A table whose files are known to lie in partitions; one without partition columns has a single partition. */
export interface PartitionedTable extends EngineTable {
  /** The partition columns, from the outermost folder to the innermost. */
  readonly partitionColumns: readonly Column[];
  /** The values of each partition, one for each column; null is NULL. */
  readonly partitionRows: readonly (readonly (string | null)[])[];
  readonly files: readonly PartitionedFile[];
}

export interface PartitionedFile extends EngineFile, RowOrigin {}

/**
 * Finds the partitions of a table's files, from their names alone. Partition columns are declared; a table without
 * declared columns has those that its folders name, as strings.
 * @throws EngineError when a file does not lie in the folders of the partition columns.
 */
export function partitionsOf(table: EngineTable): PartitionedTable {
  const { columns } = table;
  // An empty object, such as the marker of a folder, has no rows wherever it lies.
  const files = table.files.filter(({ size }) => size > 0);
  const declared = table.partitions ?? (columns?.length ? [] : foundColumns(table, files));
  const found = new Map<string, { readonly index: number; readonly values: readonly (string | null)[] }>();
  const partitioned = files.map((file) => {
    const values = declared.map((column, level) => valueAt(table, file, declared, column, level));
    const key = JSON.stringify(values);
    const partition = found.get(key) ?? { index: found.size, values };
    found.set(key, partition);
    return { ...file, partition: partition.index };
  });
  const partitionRows = [...found.values()].map(({ values }) => values);
  return { ...table, partitionColumns: declared, partitionRows, files: partitioned };
}

function foundColumns(table: EngineTable, files: readonly EngineFile[]): Column[] {
  const [first] = files;
  if (!first) return [];
  const namesOf = ({ name = "" }: EngineFile) => partitionFolders(name).map((folder) => folder.name);
  const names = namesOf(first);
  const other = files.find((file) => namesOf(file).join("/") !== names.join("/"));
  if (other) {
    throw new EngineError(
      `the objects of the table "${table.database}.${table.table}" do not lie in the same partition folders: ${layoutOf(first, names)}, ${layoutOf(other, namesOf(other))}. Move them into folders of the same names, or declare the table's schema and partitions in the config`,
    );
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new EngineError(
      `the folders of ${first.location} name the partition column "${twice}" twice: rename one of them`,
    );
  }
  return names.map((name) => ({ name, type: "string" }));
}

/** Returns the table with the locations of its files in its rows. */
export const withLocations = (table: PartitionedTable): PartitionedTable => ({
  ...table,
  files: table.files.map((file) => ({ ...file, shownLocation: file.location })),
});

const layoutOf = ({ location }: EngineFile, names: readonly string[]) =>
  names.length === 0 ? `${location} lies in none` : `${location} lies in ${names.map((name) => `${name}=…/`).join("")}`;

function valueAt(
  { database, table }: EngineTable,
  { location, name: path = "" }: EngineFile,
  columns: readonly Column[],
  { name: column, type }: Column,
  level: number,
): string | null {
  const folder = partitionFolders(path)[level];
  if (folder?.name === column) {
    const { value } = folder;
    if (value === "") {
      throw new EngineError(
        `the folder ${folder.folder} of ${location} has no value for the partition column "${column}": rename it to ${folder.folder}__HIVE_DEFAULT_PARTITION__ for NULL, or to another value`,
      );
    }
    if (value === null || isValueOf(type, value)) return type === "timestamp" ? withTime(value) : value;
    throw new EngineError(
      `the folder ${folder.folder} of ${location} is no value of the partition column "${column}", which is ${type}: rename the folder, or declare the column as string in the config`,
    );
  }
  const layout = columns.map(({ name }) => `${name}=…/`).join("");
  throw new EngineError(
    `${location} does not lie in a partition folder of the table "${database}.${table}", whose objects must lie in ${layout}: move it, or change the table's partitions in the config`,
  );
}

/** Returns the text of a timestamp: midnight for a day, which the text of a file cannot be. */
const withTime = (value: string | null) => (value && /^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value} 00:00:00` : value);

/**
 * Returns true when a partition column of a type can have a value. Hive refuses a folder that is no number for a number;
 * for a boolean it reads every text but five as true, and for a tinyint 300 as 44. A text that is no date is NULL.
 */
function isValueOf(type: string, value: string): boolean {
  if (type === "boolean") return /^(?:true|false)$/i.test(value);
  if (type === "float" || type === "double" || type.startsWith("decimal")) {
    return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(value);
  }
  const bits = integerBits[type];
  return bits === undefined || (/^[-+]?\d{1,40}$/.test(value) && fits(BigInt(value.replace("+", "")), bits));
}

const integerBits: Readonly<Record<string, bigint>> = { tinyint: 8n, smallint: 16n, int: 32n, bigint: 64n };

const fits = (value: bigint, bits: bigint) => value >= -(1n << (bits - 1n)) && value < 1n << (bits - 1n);
