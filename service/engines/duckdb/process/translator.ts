/** Parses and translates statements in the main thread of the process, which no other query shares. */
import { type PartitionColumns, partitionConditions, type TableNode, translate } from "../../../../hiveql/index";
import {
  HiveQLError,
  type ParsedStatement,
  parseStatement,
  type Query,
  readStatement as readQuery,
  tablesRead,
  unsupported,
} from "../../../../hiveql/syntax";
import { EngineError } from "../engine-errors";
import type { NamedTable, ResultQuery, TranslationTable } from "../translation";
import type { ViewRequest } from "./protocol";

/** Maximum characters of the translated SQL. */
const longestSql = 2_000_000;

/** Maximum characters of a statement whose tree is kept. */
const longestKept = 20_000;

/** The statement that was parsed last: most are checked and then run in the same process. */
let last: ParsedStatement | undefined;

function parse(statement: string): ParsedStatement {
  if (last?.text === statement) return last;
  const parsed = parseStatement(statement);
  if (statement.length <= longestKept) last = parsed;
  return parsed;
}

/** Returns the tables that a statement reads. @throws HiveQLError */
export function readTables(statement: string): readonly NamedTable[] {
  return withStackLimit(() => tablesRead(parse(statement)));
}

/** A statement with the views that it reads. */
export interface StatementQuery {
  readonly query: Query;
  /** Returns the query of the view that a node names; undefined for a table. */
  readonly viewAt: (node: TableNode) => Query | undefined;
  /** The user who runs the statement; undefined when nobody does. */
  readonly user?: string | undefined;
  /** False when the statement surely does not ask for the locations of rows. @default false */
  readonly readsLocations?: boolean;
}

/** The trees that were read last, with their text. */
let lastRead: { readonly text: string; readonly query: StatementQuery } | undefined;

/**
 * Returns the syntax trees of a statement and its views; those of the statement that was read last are the same again.
 * @throws HiveQLError
 */
export function readStatement(statement: string, views: readonly ViewRequest[] = [], user?: string): StatementQuery {
  const text = JSON.stringify([statement, views, user]);
  if (lastRead?.text === text) return lastRead.query;
  const query = readTrees(statement, views, user);
  if (text.length <= longestKept) lastRead = { text, query };
  return query;
}

function readTrees(statement: string, views: readonly ViewRequest[], user: string | undefined): StatementQuery {
  const byName = new Map(views.map(({ database, view, query }) => [`${database}.${view}`, query]));
  const readsLocations = [statement, ...byName.values()].some((text) => /input__file__name/i.test(text));
  const found = new Map<TableNode, Query>();
  // Each place that names a view has a tree of its own, so that its tables have the conditions of that place.
  const viewAt = (node: TableNode) => {
    const text = byName.get(`${node.database ?? "default"}.${node.table}`);
    if (text === undefined) return undefined;
    const query = found.get(node) ?? readQuery(parse(text));
    found.set(node, query);
    return query;
  };
  return { query: withStackLimit(() => readQuery(parse(statement))), viewAt, user, readsLocations };
}

/** Returns the partitions that a statement needs of its tables. @param onlyPlain as for `partitionConditions` */
export function partitionsNeeded(
  { query, viewAt, user }: StatementQuery,
  partitionColumns: PartitionColumns,
  onlyPlain: boolean,
) {
  return withStackLimit(() => partitionConditions(query, partitionColumns, { ...optionsOf(viewAt, user), onlyPlain }));
}

/** The statement that was translated last, with the tables that its nodes name: most are checked and then run. */
let lastTranslated:
  | {
      readonly statement: StatementQuery;
      readonly tables: ReadonlyMap<TableNode, string>;
      readonly result: ResultQuery;
    }
  | undefined;

/** Translates a statement. @param tableAt returns the table that a node names. @throws HiveQLError */
export function translateStatement(
  statement: StatementQuery,
  tableAt: (node: TableNode) => TranslationTable | undefined,
): ResultQuery {
  const textAt = (node: TableNode) => JSON.stringify(tableAt(node) ?? null);
  if (lastTranslated?.statement === statement) {
    const { tables, result } = lastTranslated;
    if ([...tables].every(([node, text]) => textAt(node) === text)) return result;
  }
  const { query, viewAt, user } = statement;
  const tables = new Map<TableNode, string>();
  const { fileSql, columns, notes } = withStackLimit(() =>
    translate(
      query,
      (_database, _table, node) => {
        tables.set(node, textAt(node));
        return tableAt(node);
      },
      optionsOf(viewAt, user),
    ),
  );
  if (fileSql.length > longestSql) throw tooLarge();
  const result = { sql: fileSql, columns, notes };
  if (lastRead?.query === statement) lastTranslated = { statement, tables, result };
  return result;
}

const optionsOf = (viewAt: StatementQuery["viewAt"], user: string | undefined) => ({
  viewAt,
  ...(user === undefined ? {} : { user }),
});

function withStackLimit<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof HiveQLError) throw error;
    // The statement is nested so deeply that it exceeds the stack.
    if (error instanceof RangeError) throw tooLarge();
    const reason = error instanceof Error ? error.message : String(error);
    throw new EngineError(`the statement could not be translated: ${reason}`, { cause: error });
  }
}

const tooLarge = () =>
  unsupported({ line: 1, column: 1 }, "statement", "is larger than the embedded engine can translate");
