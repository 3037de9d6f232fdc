/**
 * The partitions of a table, which the folders of its objects name: the rows of `dt=2026-01-01/part-0.csv` have the value
 * `2026-01-01` in the column `dt`, as in Hive.
 */
import { type Column, partitionFolders } from "../../../../contract";
import { EngineError } from "../engine-errors";
import type { EngineFile, EngineTable } from "../files";

/** A table whose files are known to lie in partitions; one without partition columns has a single partition. */
export interface PartitionedTable extends EngineTable {
  /** The partition columns, from the outermost folder to the innermost. */
  readonly partitionColumns: readonly Column[];
  /** The values of each partition, one for each column; null is NULL. */
  readonly partitionRows: readonly (readonly (string | null)[])[];
  readonly files: readonly PartitionedFile[];
}

export interface PartitionedFile extends EngineFile {
  /** Index of its partition. */
  readonly partition: number;
}

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
    const values = declared.map(({ name }, level) => valueAt(table, file, declared, name, level));
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

const layoutOf = ({ location }: EngineFile, names: readonly string[]) =>
  names.length === 0 ? `${location} lies in none` : `${location} lies in ${names.map((name) => `${name}=…/`).join("")}`;

function valueAt(
  { database, table }: EngineTable,
  { location, name: path = "" }: EngineFile,
  columns: readonly Column[],
  column: string,
  level: number,
): string | null {
  const folder = partitionFolders(path)[level];
  if (folder?.name === column) return folder.value;
  const layout = columns.map(({ name }) => `${name}=…/`).join("");
  throw new EngineError(
    `${location} does not lie in a partition folder of the table "${database}.${table}", whose objects must lie in ${layout}: move it, or change the table's partitions in the config`,
  );
}
