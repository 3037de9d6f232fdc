/** Checks the tables and columns of a statement before anything runs. */
import { seeErrorPage } from "../../../contract/error-page";
import { type HiveQLError, nearestName, semantic } from "../../../hiveql/syntax";
import { tableName, type ProgramTables, type TableName } from "../freshness/program-tables";
import type { CheckFailure } from "../lifecycle";
import { readStatement, statementProblem } from "../queries/statement";
import type { ServiceTables } from "./service-tables";
import { checkColumns, type ColumnsOf } from "./unknown-columns";

/** What the check of a statement needs. */
export interface PreviewContext {
  readonly programTables?: ProgramTables | undefined;
  /** The service. @default only the tables of the program are known */
  readonly serviceTables?: ServiceTables | undefined;
  /** True when messages must not quote the statement. */
  readonly secret: boolean;
  warn(message: string): void;
}

/**
 * Finds a column that does not exist. The schemas of the program's tables come first; the service checks the statement when
 * it has all other tables. A column is only reported when it is certain that the query would fail.
 */
export async function checkTables(
  { query, clusterName }: { readonly query: string; readonly clusterName: string },
  context: PreviewContext,
): Promise<CheckFailure[]> {
  const { secret, serviceTables } = context;
  const read = readStatement(query);
  // The resource's own check reports an error of the syntax.
  if (read.error || read.tables.length === 0) return [];
  const known = await knownColumns(read.tables, context);
  const failure = ({ problem }: { readonly problem?: HiveQLError }) =>
    problem ? [{ property: "query", reason: statementProblem(problem, query, secret) }] : [];
  const byProgram = read.query && checkColumns(read.query, columnsIn(known));
  if (byProgram?.problem || known.size === read.tables.length) return failure(byProgram ?? {});
  if (read.tables.every((table) => context.programTables?.get(table)?.exists ?? true)) {
    return checkByService({ query, clusterName }, read.tables, context);
  }
  // The service does not have all tables yet, but may know the columns of the others.
  for (const table of read.tables) {
    if (known.has(tableName(table)) || context.programTables?.get(table)) continue;
    const columns = (await serviceTables?.table(table))?.columns;
    if (columns) known.set(tableName(table), namesOf(columns));
  }
  const all = read.query && checkColumns(read.query, columnsIn(known));
  if (all && !all.problem && !all.isComplete) warnOfUnknown(read.tables, known, context);
  return failure(all ?? {});
}

/** Returns the columns of the tables that the program's resources make, where they are certain. */
async function knownColumns(
  tables: readonly TableName[],
  { programTables, serviceTables }: PreviewContext,
): Promise<Map<string, readonly string[]>> {
  const known = new Map<string, readonly string[]>();
  for (const table of tables) {
    const made = programTables?.get(table);
    const columns = made?.columns();
    if (!made || !columns || (made.mayBeDeclared && !(await hasOwnColumns(table, columns, serviceTables)))) continue;
    known.set(tableName(table), columns);
  }
  return known;
}

/** Returns true when the columns of a select's result have the names of its statement. */
async function hasOwnColumns(table: TableName, columns: readonly string[], serviceTables: ServiceTables | undefined) {
  // Engines name expressions without an alias differently, and a service of another kind may read results differently.
  if (columns.some((name) => name.startsWith("_c"))) return false;
  const listed = await serviceTables?.table(table);
  return listed !== undefined && listed?.source !== "declared";
}

async function checkByService(
  statement: { readonly query: string; readonly clusterName: string },
  tables: readonly TableName[],
  { serviceTables, programTables, secret, warn }: PreviewContext,
): Promise<CheckFailure[]> {
  const { query, clusterName } = statement;
  const problem = await serviceTables?.problemOf(query, clusterName);
  if (!problem) return [];
  const { line, column, message, code, isOfCluster } = problem;
  // Another cluster's engine may refuse what this one's takes.
  if (code === "InvalidDMLStatement" && line > 0 && isOfCluster) {
    const [construct, reason] = splitAt(message, ": ");
    return [
      { property: "query", reason: statementProblem(semantic({ line, column }, construct, reason), query, secret) },
    ];
  }
  // A table may still be made by something that is not of this program.
  const near = secret ? [] : tables.flatMap((table) => nearTable(table, programTables) ?? []);
  const remedy = near.length > 0 ? `; did you mean ${near.map((name) => `\`${name}\``).join(" or ")}?` : "";
  warn(
    `query may not run: ${secret ? "the statement is secret and not shown" : message}${remedy}${seeErrorPage(code ?? "")}`,
  );
  return [];
}

/** Returns the table of the program whose name is like that of a table that no resource of the program makes. */
function nearTable({ database, table }: TableName, programTables: ProgramTables | undefined): string | undefined {
  if (!programTables || programTables.get({ database, table })) return undefined;
  const near = nearestName(table, programTables.namesIn(database));
  return near === undefined ? undefined : tableName({ database, table: near });
}

function warnOfUnknown(
  tables: readonly TableName[],
  known: ReadonlyMap<string, unknown>,
  { secret, warn }: PreviewContext,
): void {
  const names = tables.map(tableName).filter((name) => !known.has(name));
  const subject = secret ? "a table that the query reads" : names.join(" and ");
  warn(
    `the columns of ${subject} are known when the query runs, not before: misspelt columns are not found in a preview ` +
      "(a SplitTable with a schema tells them; its input must then have no header row)",
  );
}

const namesOf = (columns: readonly { readonly name: string }[]) => columns.map(({ name }) => name);

const columnsIn =
  (known: ReadonlyMap<string, readonly string[]>): ColumnsOf =>
  (table) =>
    known.get(tableName(table));

function splitAt(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? ["statement", text] : [text.slice(0, at), text.slice(at + separator.length)];
}
