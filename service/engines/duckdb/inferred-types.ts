/** Statements that only the inferred types of undeclared columns make impossible. */
import type { TableNode } from "../../../hiveql/index";
import { HiveQLError } from "../../../hiveql/syntax";
import { type StatementQuery, translateStatement } from "./process/translator";
import type { JobTables } from "./tables";
import { NeedsText, type UndeclaredColumn } from "./tables/undeclared";
import type { ResultQuery } from "./translation";

/** Columns that are tried one by one. */
const maxTried = 50;

/** Operators and functions that combine or compare texts as they are, without computing with them. */
const takesTexts: ReadonlySet<string> = new Set([
  "UNION ALL",
  "UNION",
  "INTERSECT",
  "EXCEPT",
  "function concat_ws",
  "function greatest",
  "function least",
  "function nullif",
]);

/**
 * Translates a statement.
 * @throws NeedsText when it combines or compares dates with texts, and the dates are texts whose type was inferred.
 *   HiveQLError when it is refused; the reason names the columns whose inferred types are the only cause.
 */
export function translateInferred(query: StatementQuery, job: JobTables): ResultQuery {
  try {
    return translateStatement(query, job.tableAt);
  } catch (error) {
    if (!(error instanceof HiveQLError)) throw error;
    const cause = causeOf(query, job);
    if (!cause) throw error;
    if (takesTexts.has(error.construct) && cause.every(isMoment)) throw new NeedsText(cause);
    throw new HiveQLError(error, error.problem, error.construct, `${error.reason}; ${remedy(cause)}`);
  }
}

/** Returns the columns with which the statement can be translated when they are strings. */
function causeOf(query: StatementQuery, { tableAt, undeclared }: JobTables): readonly UndeclaredColumn[] | undefined {
  const moments = undeclared.filter(isMoment);
  const groups = [...undeclared.slice(0, maxTried).map((column) => [column]), moments, undeclared];
  return groups.find((columns) => columns.length > 0 && canBeTranslated(query, tableAt, columns));
}

function canBeTranslated(
  query: StatementQuery,
  tableAt: JobTables["tableAt"],
  texts: readonly UndeclaredColumn[],
): boolean {
  const asTexts = (node: TableNode) => {
    const found = tableAt(node);
    const isText = (name: string) =>
      texts.some((text) => text.database === found?.database && text.table === found.table && text.name === name);
    return (
      found && {
        ...found,
        columns: found.columns.map((each) => (isText(each.name) ? { ...each, type: "string" } : each)),
      }
    );
  };
  try {
    translateStatement(query, asTexts);
    return true;
  } catch (error) {
    if (error instanceof HiveQLError) return false;
    throw error;
  }
}

const isMoment = ({ type }: UndeclaredColumn) => type === "date" || type === "timestamp";

function remedy(columns: readonly UndeclaredColumn[]): string {
  const names = columns.map(({ database, table, name, type }) => `${type} of ${database}.${table}.${name}`);
  const [types, were, them] = columns.length === 1 ? ["type", "was", "it"] : ["types", "were", "them"];
  return `the ${types} ${names.join(", ")} ${were} inferred from the data: cast ${them}, or declare the columns of the table in the config`;
}
