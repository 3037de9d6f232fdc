/** Leaves out the partitions that a statement does not need, before another engine learns of them. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { HiveQLError } from "../../../../hiveql/syntax";
import { castFromText } from "../../../../hiveql/index";
import type { PartitionedTable } from "../tables/partitions";
import { selectPartitions, type TableRead } from "../tables/pruning";
import { readStatement } from "../process/translator";
import type { ViewRequest } from "../process/protocol";

/** Functions of the time at which a statement runs, which is later on the other engine: midnight may lie in between. */
const now = /\b(?:current_date|current_timestamp|unix_timestamp|now|localtimestamp)\b/i;

/** Returns the tables with the objects of those partitions that some place of the statement needs. */
export async function neededPartitions(
  connection: DuckDBConnection,
  tables: readonly PartitionedTable[],
  { statement, views }: { readonly statement: string; readonly views: readonly ViewRequest[] },
): Promise<readonly PartitionedTable[]> {
  const texts = [statement, ...views.map(({ query }) => query)];
  if (tables.every(({ partitionColumns }) => partitionColumns.length === 0) || texts.some((text) => now.test(text))) {
    return tables;
  }
  const reads = await readsOf(connection, tables, statement, views);
  return tables.map((table) => {
    const own = reads.filter((read) => read.table.database === table.database && read.table.table === table.table);
    if (own.length === 0) return table;
    const paths = new Set(own.flatMap((read) => read.table.files.map(({ path }) => path)));
    const files = table.files.filter(({ path }) => paths.has(path));
    return { ...table, files, sampled: files.length > 0 ? files : table.files };
  });
}

/** Returns nothing for a statement that our grammar takes and our syntax tree does not have. */
async function readsOf(
  connection: DuckDBConnection,
  tables: readonly PartitionedTable[],
  statement: string,
  views: readonly ViewRequest[],
): Promise<readonly TableRead[]> {
  try {
    return await selectPartitions(connection, tables, readStatement(statement, views), castFromText);
  } catch (error) {
    if (error instanceof HiveQLError) return [];
    throw error;
  }
}
