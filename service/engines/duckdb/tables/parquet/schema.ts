/** Reads the columns of Parquet files. */
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import type { DuckDBConnection, DuckDBType } from "@duckdb/node-api";
import { duckdbErrorKind, EngineError } from "../../engine-errors";
import { quotePathPattern } from "../../sql-quoting";
import type { PartitionedFile } from "../partitions/index";
import { firstDay, holdsMoments } from "./checked-value";
import { withNulls } from "./nulls";
import { schemaNodeSql, storedColumns, type SchemaNode, type StoredColumn } from "./schema-tree";

/** Files with the same columns. */
export interface ParquetGroup {
  readonly files: readonly PartitionedFile[];
  readonly columns: readonly ParquetColumn[];
  /** The columns whose digits below a microsecond DuckDB cuts off: int 96, and nanoseconds that are adjusted to UTC. */
  readonly cutOff: readonly string[];
}

export interface ParquetColumn extends StoredColumn {
  /** The name as DuckDB reads it. */
  readonly name: string;
  readonly type: DuckDBType;
  /** True when the statistics of all files say that no date or timestamp is before {@link firstDay} or infinite. */
  readonly isInRange: boolean;
}

/** Number of files that are examined concurrently. */
const batchSize = 16;
/** Maximum number of tables whose columns are kept; those of the table that was read longest ago are forgotten. */
const maxKnownTables = 100;

/** A group of files, by their places in the list of all. */
interface KnownGroup extends Omit<ParquetGroup, "files"> {
  readonly places: readonly number[];
}

/** Reads the columns of the files of tables, and keeps them: a select is checked and then run with the same files. */
export class ParquetColumns {
  readonly #known = new Map<string, readonly KnownGroup[]>();

  /**
   * Groups files by their columns, in the order of the first file of each group.
   * @throws EngineError naming a file that is not Parquet, or the signal's reason.
   */
  async groupsOf(
    connection: DuckDBConnection,
    files: readonly PartitionedFile[],
    signal: AbortSignal,
  ): Promise<ParquetGroup[]> {
    const identity = identityOf(files);
    const known = this.#known.get(identity) ?? (await this.#read(connection, files, signal));
    this.#known.delete(identity);
    this.#known.set(identity, known);
    if (this.#known.size > maxKnownTables) this.#known.delete(this.#known.keys().next().value!);
    return known.map(({ places, ...group }) => ({ ...group, files: places.map((place) => files[place]!) }));
  }

  async #read(
    connection: DuckDBConnection,
    files: readonly PartitionedFile[],
    signal: AbortSignal,
  ): Promise<KnownGroup[]> {
    for (let start = 0; start < files.length; start += batchSize) {
      signal.throwIfAborted();
      await Promise.all(files.slice(start, start + batchSize).map(requireParquet));
    }
    const placeOf = new Map(files.map((file, place) => [file, place]));
    const groups: KnownGroup[] = [];
    for (const { group, stored } of await sameColumns(connection, files)) {
      const statement = await ofFooters(group.slice(0, 1), (path) =>
        connection.prepare(`SELECT * FROM read_parquet(${path}, hive_partitioning = false)`),
      );
      const found = Array.from({ length: statement.columnCount }, (_, index) => ({
        ...stored[index]!,
        name: statement.columnName(index),
        type: withNulls(statement.columnType(index), stored[index]!.nulls),
      }));
      statement.destroySync();
      const { inRange, cutOff } = found.some(({ type }) => holdsMoments(type))
        ? await moments(connection, group)
        : noMoments;
      const columns = found.map((column) => ({ ...column, isInRange: inRange.has(column.storedName) }));
      groups.push({ places: group.map((file) => placeOf.get(file)!), columns, cutOff });
    }
    return groups;
  }
}

/** Returns a text that changes when one of the files does. */
function identityOf(files: readonly PartitionedFile[]): string {
  const hash = createHash("sha256");
  for (const { path, size, etag } of files) {
    const stats = etag === undefined ? statSync(path, { throwIfNoEntry: false }) : undefined;
    hash.update(JSON.stringify([path, size, etag, stats?.size, stats?.mtimeMs, stats?.ctimeMs, stats?.ino]));
  }
  return hash.digest("hex");
}

async function sameColumns(
  connection: DuckDBConnection,
  files: readonly PartitionedFile[],
): Promise<{ readonly group: readonly PartitionedFile[]; readonly stored: readonly StoredColumn[] }[]> {
  if (files.length === 0) return [];
  const byPath = await schemas(connection, files);
  return [...Map.groupBy(files, ({ path }) => byPath.get(path)!)].map(([schema, group]) => ({
    group,
    stored: storedColumns(JSON.parse(schema) as readonly SchemaNode[]),
  }));
}

/** Returns the schema of each file, as JSON of its nodes. */
async function schemas(
  connection: DuckDBConnection,
  files: readonly PartitionedFile[],
): Promise<ReadonlyMap<string, string>> {
  const nodes = `to_json(list(${schemaNodeSql} ORDER BY column_id))`;
  const reader = await ofFooters(files, (paths) =>
    connection.runAndReadAll(`SELECT file_name, ${nodes} FROM parquet_schema([${paths}]) GROUP BY file_name`),
  );
  return new Map(reader.getRowsJson().map(([path, text]) => [String(path), String(text)]));
}

/** Runs `read`, which reads the footers of files. @throws EngineError naming a file whose footer cannot be read */
async function ofFooters<Result>(
  files: readonly PartitionedFile[],
  read: (paths: string) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(files.map(({ path }) => quotePathPattern(path)).join(", "));
  } catch (error) {
    const kind = duckdbErrorKind(error);
    if (["interrupted", "out-of-memory", "invalidated", "denied", "beyond-moments"].includes(kind)) throw error;
    const [file, second] = files;
    if (second) {
      // DuckDB does not say which one it is.
      const middle = Math.ceil(files.length / 2);
      await ofFooters(files.slice(0, middle), read);
      await ofFooters(files.slice(middle), read);
      throw error;
    }
    throw new EngineError(
      `${file!.location} cannot be read as Parquet: its footer is damaged, or it has no columns. Write it again, or remove it`,
      { cause: error },
    );
  }
}

interface Moments {
  /** The columns of which the statistics of every row group of every file say that no value is too old or infinite. */
  readonly inRange: ReadonlySet<string>;
  readonly cutOff: readonly string[];
}

const noMoments: Moments = { inRange: new Set(), cutOff: [] };

/** Returns what the footers of files say of their dates and timestamps. */
async function moments(connection: DuckDBConnection, files: readonly PartitionedFile[]): Promise<Moments> {
  const within = `TRY_CAST(stats_min_value AS TIMESTAMP) >= DATE '${firstDay}' AND isfinite(TRY_CAST(stats_max_value AS TIMESTAMP))`;
  const isInRange = `coalesce(${within}, stats_null_count = num_values, false)`;
  const bounds = await ofFooters(files, (paths) =>
    connection.runAndReadAll(
      `SELECT path_in_schema, bool_and(${isInRange}) FROM parquet_metadata([${paths}]) GROUP BY path_in_schema`,
    ),
  ).catch((error: unknown) => {
    // A bound is beyond DuckDB's timestamps, so that it reads no statistics of the file.
    if (duckdbErrorKind(error) === "beyond-moments") return undefined;
    throw error;
  });
  const isCutOff = `type = 'INT96' OR contains(logical_type, 'isAdjustedToUTC=1') AND contains(logical_type, 'NANOS=NanoSeconds')`;
  const cutOff = await ofFooters(files, (paths) =>
    connection.runAndReadAll(`SELECT DISTINCT name FROM parquet_schema([${paths}]) WHERE ${isCutOff} ORDER BY name`),
  );
  return {
    inRange: new Set(bounds?.getRowsJson().flatMap(([name, isWithin]) => (isWithin === true ? [String(name)] : []))),
    cutOff: cutOff.getRowsJson().map(([name]) => String(name)),
  };
}

const magic = Buffer.from("PAR1");
const encryptedMagic = Buffer.from("PARE");

/** Checks that a file begins and ends as Parquet files do. @throws EngineError */
async function requireParquet({ path, location, size }: PartitionedFile): Promise<void> {
  const file = await open(path, "r");
  try {
    const [head, tail] = [Buffer.alloc(4), Buffer.alloc(8)];
    await file.read(head, 0, 4, 0);
    await file.read(tail, 0, 8, Math.max(0, size - 8));
    if (tail.subarray(4).equals(encryptedMagic) || head.equals(encryptedMagic)) {
      throw new EngineError(`${location} is an encrypted Parquet object: write it without encryption`);
    }
    const isWhole = tail.subarray(4).equals(magic) && tail.readUInt32LE(0) + 12 <= size;
    if (head.equals(magic) && isWhole) return;
    const problem = head.equals(magic) ? "its end is missing" : "it does not begin with PAR1";
    throw new EngineError(`${location} is not a Parquet object: ${problem}. Write it again, or remove it`);
  } finally {
    await file.close();
  }
}
