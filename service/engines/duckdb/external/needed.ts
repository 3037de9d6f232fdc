/** Leaves out the partitions that a statement does not need, before another engine learns of them. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { HiveQLError } from "../../../../hiveql/syntax";
import { castFromText } from "../../../../hiveql/index";
import type { PartitionedTable } from "../tables/partitions/index";
import { selectPartitions, type TableRead, withFiles } from "../tables/partitions/pruning";
import { readStatement, type Statement } from "../process/translator";
import type { ViewDefinition } from "../../../core/ports/engine";
import type { Reader } from "../../prepared-statement";

/** A table with the objects of those partitions that a statement needs. */
export interface NeededTable extends PartitionedTable {
  /** For Spark, the folders below the table's that have them; absent when it reads the whole table. */
  readonly paths?: readonly string[];
}

/** Functions of the time at which a statement runs, which is later on the other engine: midnight may lie in between. */
const now = /\b(?:current_date|current_timestamp|unix_timestamp|now|localtimestamp)\b/i;

/**
 * The largest numbers of paths that Spark is given. It finds folders of one level by one list of the table's folder, and
 * folders of several levels by a request for each.
 */
const maxPaths = { oneLevel: 2000, severalLevels: 100 } as const;

/** Characters with which a path is a pattern for Spark, or a URL. */
const specialCharacter = /[*?[\]{},:\\]/;

/** Returns the tables with the objects of those partitions that some place of the statement needs. */
export async function neededPartitions(
  connection: DuckDBConnection,
  tables: readonly PartitionedTable[],
  {
    statement,
    views,
    reader,
  }: { readonly statement: string; readonly views: readonly ViewDefinition[]; readonly reader: Reader },
): Promise<readonly NeededTable[]> {
  const texts = [statement, ...views.map(({ query }) => query)];
  if (tables.every(({ partitionColumns }) => partitionColumns.length === 0) || texts.some((text) => now.test(text))) {
    return tables;
  }
  // Spark decides some conditions differently than Hive: what it would read is not left out.
  const onlyPlain = reader === "spark";
  const reads = await readsOf(
    () => readStatement(statement, views),
    (query) => selectPartitions(connection, tables, query, { cast: castFromText, onlyPlain }),
  );
  return tables.map((table) => {
    const own = reads.filter((read) => read.table.database === table.database && read.table.table === table.table);
    if (own.length === 0) return table;
    const needed = new Set(own.flatMap((read) => read.table.files.map(({ path }) => path)));
    const files = table.files.filter(({ path }) => needed.has(path));
    if (files.length === table.files.length) return table;
    const some = withFiles(table, files);
    if (reader === "hive") return some;
    const paths = sparkPaths(table, some);
    return paths ? { ...some, paths } : table;
  });
}

/** Returns nothing for a statement that our grammar takes and our syntax tree does not have. */
async function readsOf(
  read: () => Statement,
  select: (query: Statement) => Promise<readonly TableRead[]>,
): Promise<readonly TableRead[]> {
  try {
    return await select(read());
  } catch (error) {
    if (error instanceof HiveQLError) return [];
    throw error;
  }
}

/**
 * Returns the outermost folders that have nothing but needed partitions, such as `day=2026-01-02` for all of its hours;
 * undefined when Spark cannot be given them.
 */
function sparkPaths(all: PartitionedTable, some: PartitionedTable): readonly string[] | undefined {
  const levels = all.partitionColumns.length;
  const folderOf = ({ name = "" }: { readonly name?: string | undefined }) => name.split("/").slice(0, levels);
  const outerOf = (folder: readonly string[]) => folder.map((_, level) => folder.slice(0, level + 1).join("/"));
  const needed = new Map(some.files.map((file) => [folderOf(file).join("/"), folderOf(file)]));
  const others = all.files.map(folderOf).filter((folder) => !needed.has(folder.join("/")));
  const shared = new Set(others.flatMap(outerOf));
  const paths = new Set([...needed.values()].map((folder) => outerOf(folder).find((outer) => !shared.has(outer))!));
  const max = [...paths].some((path) => path.includes("/")) ? maxPaths.severalLevels : maxPaths.oneLevel;
  return paths.size <= max && ![...paths].some((path) => specialCharacter.test(path)) ? [...paths] : undefined;
}
