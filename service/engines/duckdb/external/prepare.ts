/**
 * Prepares a statement for another engine, such as Hive or Spark, which reads the objects of its tables by itself. Nothing
 * of this folder is used by statements that the embedded engine runs.
 */
import { errors } from "../../../../contract";
import { namesOfStatement } from "../column-names";
import { EngineError } from "../engine-errors";
import { accessDenied } from "../failure-reasons";
import type { EngineOperationInput, EngineOperationOutput } from "../process/protocol";
import type { SelectContext } from "../run-select";
import { partitionsOf } from "../tables/partitions/index";
import { neededPartitions } from "./needed";
import { partsOf } from "./references";
import { tableFacts } from "./table-facts";

/** Takes the tables out of a statement, and reads their objects. @throws HiveQLError, InvalidDMLStatement */
export async function prepareExternal(
  { database, tables, files }: Pick<SelectContext, "database" | "tables" | "files">,
  { statement, tables: requests, views, scanMode, reader }: EngineOperationInput<"prepare">,
  signal: AbortSignal,
): Promise<EngineOperationOutput<"prepare">> {
  const parts = partsOf(statement, {
    tables: new Map(requests.map((request, index) => [`${request.database}.${request.table}`, index])),
    views: new Map(views.map((view) => [`${view.database}.${view.view}`, view.query])),
    reader,
  });
  const listed = await files.tables(requests, signal);
  const facts: EngineOperationOutput<"prepare">["tables"] = [];
  const notes: EngineOperationOutput<"prepare">["notes"] = [];
  try {
    const all = listed.map(partitionsOf);
    const needed = await neededPartitions(database.forChecks, all, { statement, views, reader });
    for (const definition of needed) {
      const { database: bucket, table, paths = [] } = definition;
      const { notes: ofTable, ...found } = await tableFacts(tables, database.forChecks, definition, {
        scanMode,
        reader,
        signal,
      });
      facts.push({ database: bucket, table, paths: [...paths], ...found });
      notes.push(...ofTable);
    }
  } catch (error) {
    if (!(error instanceof EngineError)) throw accessDenied(error) ?? error;
    throw new errors.InvalidDMLStatement(`query cannot run on this cluster: ${error.message}`, { field: "query" });
  }
  return { parts, tables: facts, names: namesOfStatement(statement) ?? null, notes };
}
