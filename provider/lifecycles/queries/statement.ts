/** Checks a SelectQuery's statement and reports problems with their position. */
import { isWithin, parseLocation } from "../../../contract";
import { seeErrorPage } from "../../../contract/error-page";
import {
  checkStatement,
  type HiveQLError,
  type StatementCheck as SyntaxCheck,
  type TableReference,
} from "../../../hiveql/syntax";
import { hasUnknown } from "../schema/check";
import type { CheckFailure, CheckOptions, CheckResult } from "../lifecycle";
import { redacted } from "../redaction";

/** Problems of a statement, and the tables that it reads; undefined while the statement is unknown. */
interface StatementCheck extends Pick<CheckResult<unknown>, "failures" | "warnings"> {
  readonly tables: readonly TableReference[] | undefined;
}

/** The last statements that were read. Parsing takes milliseconds, and one resource needs its statement several times. */
const lastRead = new Map<string, SyntaxCheck>();
const maxLastRead = 50;

/** Reads a statement: its problem, its tables and its query. */
export function readStatement(text: string): SyntaxCheck {
  const known = lastRead.get(text);
  if (known) return known;
  const read = checkStatement(text);
  for (const oldest of lastRead.keys()) if (lastRead.size >= maxLastRead) lastRead.delete(oldest);
  lastRead.set(text, read);
  return read;
}

/** A statement, and the folder of its result. */
interface QueryInputs {
  readonly query: string;
  readonly outputResourcePath: string;
}

/** Returns true when an existing resource has the same statement and folder. */
export function isSameQuery(news: QueryInputs, { olds }: Pick<CheckOptions, "olds">): boolean {
  const before = olds as Partial<QueryInputs> | undefined;
  return before?.query === news.query && before.outputResourcePath === news.outputResourcePath;
}

/**
 * Checks a statement, and that its output folder is not inside a table that it reads. That of an existing resource was
 * checked before: its tables matter when the program makes one of them.
 */
export function checkQuery(news: QueryInputs, options: CheckOptions): StatementCheck {
  const { query, outputResourcePath } = news;
  const { programTables, secret } = options;
  const wasChecked = () => isSameQuery(news, options) && programTables?.mayBeReadBy(query) === false;
  if (hasUnknown(query) || wasChecked()) return { failures: [], warnings: [], tables: undefined };
  const { error, warning, tables } = readStatement(query);
  const failures: CheckFailure[] = [];
  if (error) failures.push({ property: "query", reason: statementProblem(error, query, secret) });
  for (const { database, table } of hasUnknown(outputResourcePath) ? [] : tables) {
    const isInside = isWithin(parseLocation(outputResourcePath), { bucket: database, key: `${table}/` });
    if (!isInside) continue;
    const [folder, name] = [outputResourcePath, `${database}.${table}`].map((text) => redacted(text, { secret }));
    const reason = `outputResourcePath "${folder}" is inside the table ${name}, which the query reads: set a folder outside the table`;
    failures.push({ property: "outputResourcePath", reason });
  }
  return {
    failures,
    tables,
    warnings: warning ? [`query may not run: ${problemText(warning, query, secret)}`] : [],
  };
}

/** Returns the error of a statement with the position of its problem. @see problemText */
export function statementProblem(problem: HiveQLError, query: string, secret: boolean): string {
  return `query cannot run: ${problemText(problem, query, secret)}`;
}

/** Formats a problem of a statement with its position, the line that contains it and, with DAG_DOCS, the error's page. */
function problemText({ line, column, construct, reason }: HiveQLError, query: string, secret: boolean): string {
  const place = `line ${line}, column ${column}`;
  const page = seeErrorPage("InvalidDMLStatement");
  if (secret) return `${place} (the statement is secret and not shown)${page}`;
  const text = query.split("\n")[line - 1] ?? "";
  const from = Math.max(0, column - 1 - 60);
  const excerpt = text.slice(from, from + 100);
  const pointer = " ".repeat(column - 1 - from);
  return `${place}: ${construct} ${reason}\n  ${excerpt}\n  ${pointer}^${page}`;
}
