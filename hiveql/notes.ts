/** Notes for the log of a query: where Hive 4.0.1 may answer otherwise, and what finds no row. */
import { columnsOf, identity, positionOf } from "./tree/facts";
import type { LateralView, Relation, Select, Typed } from "./tree/nodes";
import { type HiveType, isText } from "./tree/types";
import { queriesOf, type Statement, valuesOf } from "./tree/walk";

/**
 * Returns a note on each text that is compared with a date and is none, on each comparison of bigints with texts, and on
 * each condition of WHERE that reads both a column of a LATERAL VIEW and a column of its input. Such a condition holds;
 * the optimizer of Hive 4.0.1 drops it.
 */
export function notesOn(statement: Statement): readonly string[] {
  const selects = queriesOf(statement).filter((query) => query.kind === "select");
  const across = selects.flatMap(conditionsAcrossViews).map((condition) => {
    const { line, column } = positionOf(condition);
    return `${line}:${column} this condition of WHERE holds; Hive 4.0.1 drops a condition that reads both columns of a LATERAL VIEW and columns of its input, and answers more rows`;
  });
  const values = valuesOf(statement);
  const noDates = values.flatMap((value) => {
    if (value.node.kind !== "literal" || value.node.noDate === undefined) return [];
    const { noDate } = value.node;
    const { line, column } = positionOf(value);
    return [
      `${line}:${column} '${noDate}' is not a calendar date, so a comparison with it is NULL and holds for no row: write a valid date`,
    ];
  });
  const inexact = values.filter(comparesAsDoubles).map((value) => {
    const { line, column } = positionOf(value);
    return `${line}:${column} a bigint and a text are compared as doubles, which keep 15 digits, so that longer numbers can equal others: compare with cast(trim(text) AS bigint)`;
  });
  return [...new Set([...noDates, ...across, ...inexact])];
}

/** Returns true for a comparison of bigints and texts, which Hive converts to double. */
function comparesAsDoubles({ node }: Typed): boolean {
  const compared = node.kind === "comparison" || node.kind === "in" ? node.operands : subqueryOperands(node);
  const isConverted = (is: (type: HiveType) => boolean) =>
    compared.some(({ node: side }) => {
      const conversion = side.kind === "readable number" ? side.operands[1].node : side;
      return conversion.kind === "cast" && conversion.to.kind === "double" && is(conversion.operands[0].type);
    });
  return isConverted(({ kind }) => kind === "bigint") && isConverted(isText);
}

/** Returns what a subquery in an expression is compared with, and its column. */
function subqueryOperands(node: Typed["node"]): readonly Typed[] {
  if (node.kind !== "query" || !("operand" in node.subquery)) return [];
  const { operand, item } = node.subquery;
  return item ? [operand, item] : [operand];
}

function conditionsAcrossViews({ from, where }: Select): readonly Typed[] {
  const views = where ? viewsOf(from) : [];
  return where && views.length > 0
    ? conjunctsOf(where).filter((condition) => views.some((view) => isAcross(condition, view)))
    : [];
}

function isAcross(condition: Typed, { alias, kept, cells }: LateralView): boolean {
  const columns = columnsOf(condition);
  const reads = (name: string) => columns.has(identity({ relation: alias, name }));
  return kept.some((column) => reads(column.alias)) && cells.some(reads);
}

/** Returns the lateral views of FROM. One with OUTER keeps all conditions in Hive too. */
function viewsOf(relation: Relation): readonly LateralView[] {
  switch (relation.kind) {
    case "lateral view":
      return [...viewsOf(relation.input), ...(relation.isOuter || relation.clause === "SELECT" ? [] : [relation])];
    case "join":
      return [...viewsOf(relation.left), ...viewsOf(relation.right)];
    default:
      return [];
  }
}

/** Returns the operands of the ANDs of a condition. */
const conjunctsOf = (value: Typed): readonly Typed[] =>
  value.node.kind === "and" ? value.node.operands.flatMap(conjunctsOf) : [value];
