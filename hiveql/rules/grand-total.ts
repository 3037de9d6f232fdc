/** Conditions beneath GROUPING SETS, CUBE or ROLLUP that Hive may know to be true of no row: it then forgets the total. */
import { type Expression, unsupported } from "../syntax";
import { mayContradict } from "./contradictions";
import type { Environment } from "../bind/scope";
import { expression } from "../bind/expression";
import { type Fragment, raw, readsColumns } from "../emit/fragment";
import { childrenOf, isPlain } from "../bind/grouping";
import { type Facts, operandsOf, withCondition } from "./constant-propagation";
import { isDateOrTime, isNumber } from "../bind/types";

/** Refuses conditions that are known beforehand, but for those such as `1 = 1`. */
export function refuseLostGrandTotal(where: Expression, environment: Environment): void {
  if (!operandsOf(where).some((each) => mayBeFalse(each, environment))) return;
  throw unsupported(
    where.position,
    "WHERE",
    "has a condition that reads no column, or has NULL, beside grouping sets: Hive forgets their total where it is not true",
  );
}

/** What HAVING must ask so that the query fails where conditions may contradict each other and no row is there. */
export function someRow(facts: Facts, where: Expression | undefined, environment: Environment): Fragment | undefined {
  const { bounds, equalities } = withCondition(facts, where, environment);
  return mayContradict(bounds(), equalities())
    ? raw(`CASE WHEN count(*) = 0 THEN ${failure} ELSE TRUE END`)
    : undefined;
}

const failure =
  "error('HiveQL: no row is beneath grouping sets, and conditions of one column may contradict each other: Hive then has no total; leave out what no row can fulfil')";

/** Whether Hive may know that a condition is not true: it reads no column and is not one such as `1 = 1`, or has NULL. */
function mayBeFalse(node: Expression, environment: Environment): boolean {
  if (readsColumns(expression(node, environment))) return hasNull(node) || comparesNoValue(node, environment);
  const [left, right] = node.kind === "binary" && node.operator === "=" ? [node.left, node.right] : [];
  return !(left?.kind === "number" && right?.kind === "number" && left.text === right.text);
}

/** Whether a date, time or number is compared with a text that may be none, which Hive knows to be NULL. */
function comparesNoValue(node: Expression, environment: Environment): boolean {
  if (node.kind !== "binary" && node.kind !== "between" && node.kind !== "in")
    return childrenOf(node).some((child) => comparesNoValue(child, environment));
  const operands = childrenOf(node);
  const types = operands.filter(isPlain).map((operand) => expression(operand, environment).type);
  const isRead = (text: string) =>
    (!types.some(isDateOrTime) || /^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?$/.test(text)) &&
    (!types.some(isNumber) || /^-?\d+(\.\d+)?$/.test(text));
  return operands.some((operand) => operand.kind === "string" && !isRead(operand.value));
}

/** Whether NULL is written in a condition, but for IS NULL. */
const hasNull = (node: Expression): boolean => node.kind === "null" || childrenOf(node).some(hasNull);
