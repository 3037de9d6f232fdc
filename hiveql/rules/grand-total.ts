/** Grand total of GROUPING SETS, CUBE and ROLLUP over no rows. */
import type { RowFacts } from "../tree/row-facts";
import { conjuncts, type Expression, subexpressions, unsupported } from "../syntax";
import { mayBeUnsatisfiable } from "./unsatisfiable-conditions";
import { expression, type Scope } from "../bind/scope";
import { readsColumns } from "../tree/facts";
import { canBeGroupKey } from "../functions/kinds-of-calls";
import { addCondition } from "./constant-propagation";
import { isDateOrTime, isNumber } from "../tree/types";
import type { Quirk } from "../quirks/quirk";

export const rule: Quirk = {
  id: "grand-total",
  hive: "4.0.1",
  title: "Grand total of GROUPING SETS, CUBE and ROLLUP over no rows",
  why: "SQL answers one row for an empty input. Hive 4.0.1 drops it when its optimizer finds, before reading rows, that the conditions cannot be true.",
  example: "`SELECT k, count(*) FROM t WHERE 1 = 2 GROUP BY k WITH ROLLUP` answers no row and not `NULL, 0`.",
  refuses:
    "The translation refuses conditions without columns, and fails queries over no rows whose conditions may contradict each other.",
};

/** Refuses conditions whose value Hive knows before reading rows, except for conditions such as `1 = 1`. */
export function refuseDroppedGrandTotal(where: Expression, scope: Scope): void {
  if (!conjuncts(where).some((each) => mayBeFalse(each, scope))) return;
  throw unsupported(
    where.position,
    "WHERE",
    "has a condition that reads no column or contains NULL in a query with grouping sets, and Hive drops the grand total row when such a condition is not true: remove the condition",
  );
}

/** Returns the failure of groups without rows when their conditions may contradict each other. */
export function droppedGrandTotal(facts: RowFacts, where: Expression | undefined, scope: Scope): string | undefined {
  const { bounds, equalities } = addCondition(facts, where, scope);
  return mayBeUnsatisfiable(bounds(), equalities()) ? failure : undefined;
}

const failure =
  "HiveQL: grouping sets over no rows whose conditions on one column may contradict each other, for which Hive drops the grand total row: remove conditions that no row can fulfil";

/** Returns true when Hive may know that a condition is false: it contains NULL, or reads no column unlike `1 = 1`. */
function mayBeFalse(node: Expression, scope: Scope): boolean {
  if (readsColumns(expression(node, scope))) return hasNull(node) || comparesUnreadableText(node, scope);
  const [left, right] = node.kind === "binary" && node.operator === "=" ? [node.left, node.right] : [];
  return !(left?.kind === "number" && right?.kind === "number" && left.text === right.text);
}

/** Returns true when a date, timestamp or number is compared with an invalid text, which Hive folds to NULL. */
function comparesUnreadableText(node: Expression, scope: Scope): boolean {
  if (node.kind !== "binary" && node.kind !== "between" && node.kind !== "in")
    return subexpressions(node).some((child) => comparesUnreadableText(child, scope));
  const operands = subexpressions(node);
  const types = operands.filter(canBeGroupKey).map((operand) => expression(operand, scope).type);
  const isRead = (text: string) =>
    (!types.some(isDateOrTime) || /^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?$/.test(text)) &&
    (!types.some(isNumber) || /^-?\d+(\.\d+)?$/.test(text));
  return operands.some((operand) => operand.kind === "string" && !isRead(operand.value));
}

/** Returns true when a condition contains the literal NULL; IS NULL does not count. */
const hasNull = (node: Expression): boolean => node.kind === "null" || subexpressions(node).some(hasNull);
