/** What is wrong with a SelectQuery's statement, and where, for the person who wrote it. */
import { isWithin, parseLocation } from "../../../contract";
import { checkStatement, type HiveQLError } from "../../../hiveql/syntax";
import { hasUnknown } from "../schema/check";
import type { CheckFailure, CheckResult } from "../lifecycle";
import { shown } from "../secrecy";

/**
 * Checks a statement, and that its result does not lie in a table that it reads.
 * @param secret whether messages must not quote the statement.
 */
export function checkQuery(
  { query, outputResourcePath }: { readonly query: string; readonly outputResourcePath: string },
  secret: boolean,
): Pick<CheckResult<unknown>, "failures" | "warnings"> {
  if (hasUnknown(query)) return { failures: [], warnings: [] };
  const { error, warning, tables } = checkStatement(query);
  const failures: CheckFailure[] = [];
  if (error) failures.push({ property: "query", reason: statementProblem(error, query, secret) });
  for (const { database, table } of hasUnknown(outputResourcePath) ? [] : tables) {
    const inside = isWithin(parseLocation(outputResourcePath), { bucket: database, key: `${table}/` });
    if (!inside) continue;
    const [folder, name] = [outputResourcePath, `${database}.${table}`].map((text) => shown(text, { secret }));
    const reason = `outputResourcePath "${folder}" lies in the table ${name}, which the query reads: choose a folder outside it`;
    failures.push({ property: "outputResourcePath", reason });
  }
  return { failures, warnings: warning ? [`query may not run: ${statementProblem(warning, query, secret)}`] : [] };
}

/** What is wrong with a statement and where, with the line that it is in. */
function statementProblem({ line, column, construct, reason }: HiveQLError, query: string, secret: boolean) {
  const place = `line ${line}, column ${column}`;
  if (secret) return `query cannot run: ${place} (not shown, since it is secret)`;
  const text = query.split("\n")[line - 1] ?? "";
  const from = Math.max(0, column - 1 - 60);
  const excerpt = text.slice(from, from + 100);
  const pointer = " ".repeat(column - 1 - from);
  return `query cannot run: ${place}: ${construct} ${reason}\n  ${excerpt}\n  ${pointer}^`;
}
