/** Statements that are refused because of undeclared columns: of their inferred types, or of those that were not found. */
import type { TableNode } from "../../../hiveql/index";
import { HiveQLError, NoSuchColumn, type InferredColumn } from "../../../hiveql/syntax";
import type { Statement } from "./process/translator";
import type { JobTables } from "./tables";
import { NeedsText, type UndeclaredColumn } from "./tables/undeclared/read-as-text";
import type { ResultQuery } from "./translation";

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
 *   HiveQLError when it is refused; the reason names the columns of the refused construct whose types were inferred,
 *   or the tables that may have a missing column in later rows.
 */
export function translateInferred(statement: Statement, { tableAt, undeclared, sampled }: JobTables): ResultQuery {
  const isInferred = (database: string, table: string, name: string) =>
    undeclared.some((each) => each.database === database && each.table === table && each.name === name);
  const withOrigins = (node: TableNode) => {
    const found = tableAt(node);
    if (!found || undeclared.length === 0) return found;
    const columns = found.columns.map((column) =>
      isInferred(found.database, found.table, column.name) ? { ...column, isInferred: true } : column,
    );
    return { ...found, columns };
  };
  try {
    return statement.translate(withOrigins);
  } catch (error) {
    if (error instanceof NoSuchColumn && sampled.length > 0) {
      const { problem, construct, reason } = error;
      throw new HiveQLError(error, problem, construct, `${reason}; ${laterColumns(sampled)}`);
    }
    if (!(error instanceof HiveQLError) || !error.inferred || error.inferred.length === 0) throw error;
    const { inferred, construct, problem, reason } = error;
    const moments = inferred.filter(isMoment);
    if (takesTexts.has(construct) && moments.length > 0) throw new NeedsText(moments);
    if (isRefusedWithTexts(statement, tableAt, inferred, error)) throw error;
    throw new HiveQLError(error, problem, construct, `${reason}; ${remedy(inferred)}`);
  }
}

/** Returns true when a statement is refused in the same way where columns are strings: their types do not cause it. */
function isRefusedWithTexts(
  statement: Statement,
  tableAt: JobTables["tableAt"],
  inferred: readonly InferredColumn[],
  error: HiveQLError,
): boolean {
  const withTexts = (node: TableNode) => {
    const found = tableAt(node);
    if (!found) return found;
    const isBlamed = (name: string) =>
      inferred.some((each) => each.database === found.database && each.table === found.table && each.name === name);
    const columns = found.columns.map((column) => (isBlamed(column.name) ? { ...column, type: "string" } : column));
    return { ...found, columns };
  };
  try {
    statement.translate(withTexts);
    return false;
  } catch (other) {
    return other instanceof HiveQLError && other.message === error.message;
  }
}

const laterColumns = (tables: readonly string[]) =>
  `these are the columns of the first rows only of ${tables.join(" and ")}: declare the columns of the table in the config to select one that only later rows have`;

const isMoment = ({ type }: UndeclaredColumn) => type === "date" || type === "timestamp";

function remedy(columns: readonly UndeclaredColumn[]): string {
  // A table that is read twice has each of its columns twice.
  const names = [
    ...new Set(columns.map(({ database, table, name, type }) => `${type} of ${database}.${table}.${name}`)),
  ];
  const [types, were, them] = names.length === 1 ? ["type", "was", "it"] : ["types", "were", "them"];
  return `the ${types} ${names.join(", ")} ${were} inferred from the data: cast ${them}, or declare the columns of the table in the config`;
}
