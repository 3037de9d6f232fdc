/** Notes for the log of a query: where Hive 4.0.1 may answer otherwise, and what finds no row. */
import { columnsOf, identity, positionOf } from "./tree/facts";
import type { LateralView, Relation, Select, Typed } from "./tree/nodes";
import { literalsOf, queriesOf, type Statement } from "./tree/walk";

/**
 * Returns a note on each text that is compared with a date and is none, and on each condition of WHERE that reads both
 * a column of a LATERAL VIEW and a column of its input. Such a condition holds; the optimizer of Hive 4.0.1 drops it.
 */
export function notesOn(statement: Statement): readonly string[] {
  const selects = queriesOf(statement).filter((query) => query.kind === "select");
  const across = selects.flatMap(conditionsAcrossViews).map((condition) => {
    const { line, column } = positionOf(condition);
    return `${line}:${column} this condition of WHERE holds; Hive 4.0.1 drops a condition that reads both columns of a LATERAL VIEW and columns of its input, and answers more rows`;
  });
  const noDates = literalsOf(statement).flatMap((literal) => {
    const { noDate } = literal.node;
    if (noDate === undefined) return [];
    const { line, column } = positionOf(literal);
    return [
      `${line}:${column} '${noDate}' is not a calendar date, so a comparison with it is NULL and holds for no row: write a valid date`,
    ];
  });
  return [...new Set([...noDates, ...across])];
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
