/** Finds out what a statement reads: its tables, also those that it reads through views of the config. */
import { ApiError, errors } from "../../../contract";
import type { CheckControl, Engine, ReadStatement, TableName, ViewDefinition } from "../ports/engine";
import type { TableCatalog } from "./catalog";

/** The tables and views of a statement. */
export interface StatementReads {
  /** Every table, each once. */
  readonly tables: readonly TableName[];
  /** Every view, each once. */
  readonly views: readonly ViewDefinition[];
  /** The tables and views that the statement itself names. */
  readonly direct: readonly TableName[];
  /** What its check has read, for the engine that runs it. */
  readonly statement?: ReadStatement | undefined;
}

/**
 * Returns what a statement reads.
 * @throws InvalidDMLStatement naming the view whose query is invalid or which reads itself, and the errors of
 *   {@link Engine.tablesRead}
 */
export async function statementReads(
  catalog: TableCatalog,
  engine: Engine,
  statement: string,
  control: CheckControl,
): Promise<StatementReads> {
  const tables = new Map<string, TableName>();
  const views = new Map<string, ViewDefinition>();
  const visit = async (names: readonly TableName[], path: readonly string[]): Promise<void> => {
    for (const name of names) {
      const key = `${name.database}.${name.table}`;
      const view = catalog.view(name);
      if (path.includes(key)) throw cycle([...path.slice(path.indexOf(key)), key]);
      if (!view) tables.set(key, name);
      else if (!views.has(key)) {
        await visit(await tablesOf(engine, view, control), [...path, key]);
        views.set(key, view);
      }
    }
  };
  const direct = await engine.tablesRead(statement, control);
  await visit(direct, []);
  return { tables: [...tables.values()], views: [...views.values()], direct };
}

async function tablesOf(engine: Engine, { database, view, query }: ViewDefinition, control: CheckControl) {
  try {
    return await engine.tablesRead(query, control);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    throw new errors.InvalidDMLStatement(
      `query reads the view "${database}.${view}", whose query in the config cannot be used: ${error.message}`,
      { field: "query", cause: error },
    );
  }
}

const cycle = (path: readonly string[]) =>
  new errors.InvalidDMLStatement(
    `query reads the view "${path[0]!}", which reads itself: ${path.join(" → ")}. Change one of these views in the config`,
    { field: "query" },
  );
