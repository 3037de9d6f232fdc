/**
 * Conditions that no row can fulfil, as `k = 1 AND k = 2`. Where Hive's optimizer sees that of the rows beneath GROUPING
 * SETS, CUBE or ROLLUP, it reads nothing, and its answer lacks the total that no rows have otherwise.
 */
import type { Expression } from "../syntax";
import type { Environment } from "../bind/scope";
import { expression } from "../bind/expression";
import { type Constant, isColumn, readsColumns, type SqlExpression } from "../emit/fragment";
import { childrenOf, isPlain } from "../bind/grouping";
import { coercedLiteral } from "../bind/literal-coercion";

/** What a condition says of a column, in one of these ways. */
export interface Bound {
  /** The column's SQL. */
  readonly column: string;
  /** All that it may be; undefined among them is a value that is not known. */
  readonly values?: readonly (Constant | undefined)[];
  /** What it must not be below. */
  readonly low?: Limit;
  readonly high?: Limit;
  readonly isNull?: true;
}

interface Limit {
  readonly value: Constant | undefined;
  /** Whether the value itself is left out. */
  readonly isOpen: boolean;
}

/** What is known of the columns of no rows. */
export const nothing: Bound = { column: "", values: [] };

/** A bound of which nothing is known: Hive evaluates the condition where the column has one value. */
const vague = (column: string): Bound => ({ column });

/** What a condition says of single columns. */
export function boundsOf(node: Expression, environment: Environment): readonly Bound[] {
  const translate = (inner: Expression) => expression(inner, environment);
  const other = () => columnsIn(node, environment).map(vague);
  switch (node.kind) {
    case "logical": {
      const each = node.operands.map((operand) => boundsOf(operand, environment));
      return node.operator === "and" ? each.flat() : (oneOf(each) ?? other());
    }
    case "binary":
      return isPlain(node) ? (comparison(node.operator, translate(node.left), translate(node.right)) ?? other()) : [];
    case "between":
      if (node.not || !isPlain(node)) return other();
      return [
        ...(comparison(">=", translate(node.operand), translate(node.low)) ?? other()),
        ...(comparison("<=", translate(node.operand), translate(node.high)) ?? []),
      ];
    case "in":
      if (node.not && node.operand.kind !== "row" && isPlain(node)) {
        const never = node.items.map((item) => comparison("<>", translate(node.operand), translate(item)) ?? []);
        return never.some((bounds) => bounds.length > 0) ? never.flat() : other();
      }
      return node.not || !isPlain(node) || node.operand.kind === "row"
        ? other()
        : (oneOf(node.items.map((item) => comparison("=", translate(node.operand), translate(item)) ?? [])) ?? other());
    case "is": {
      const operand = isPlain(node.operand) ? translate(node.operand) : undefined;
      if (node.what !== "null" || !operand || !isColumn(operand)) return other();
      return node.not ? [] : [{ column: operand.sql, isNull: true }];
    }
    default:
      return other();
  }
}

/** A column beside what is known before any row is read; undefined where it is another comparison. */
function comparison(operator: string, left: SqlExpression, right: SqlExpression): readonly Bound[] | undefined {
  if (isColumn(left) && left.sql === right.sql && /^(?:<>|<|>)$/.test(operator))
    return [{ column: left.sql, values: [] }];
  if (isColumn(right) && !readsColumns(left)) return comparison(mirrored[operator] ?? operator, right, left);
  if (!isColumn(left) || readsColumns(right)) return isColumn(left) && isColumn(right) ? [] : undefined;
  const column = left.sql;
  const value = known(coercedLiteral(right, left.type) ?? right);
  switch (operator) {
    case "=":
      return [{ column, values: [value] }];
    case "<":
    case "<=":
      return [{ column, high: { value, isOpen: operator === "<" } }];
    case ">":
    case ">=":
      return [{ column, low: { value, isOpen: operator === ">" } }];
    default:
      return undefined;
  }
}

const mirrored: Readonly<Record<string, string>> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

/** A literal, and the text of a date or time. */
const known = ({ constant, sql: text }: SqlExpression): Constant | undefined =>
  constant ?? /'(\d{4}-\d\d-\d\d[^']*)'/.exec(text)?.[1];

/** OR of equalities of one column. */
function oneOf(branches: readonly (readonly Bound[])[]): readonly Bound[] | undefined {
  const all = branches.map(([only, second]) => (second ? undefined : only));
  const column = all[0]?.column;
  if (column === undefined || all.some((bound) => bound?.column !== column || !bound.values)) return undefined;
  return [{ column, values: all.flatMap((bound) => bound?.values ?? []) }];
}

/** Conditions that Hive evaluates for a column's only value: it does not look into calls, LIKE and CASE. */
const evaluated: ReadonlySet<Expression["kind"]> = new Set(["logical", "unary", "binary", "between", "in", "is"]);

function columnsIn(node: Expression, environment: Environment): readonly string[] {
  if (evaluated.has(node.kind)) return childrenOf(node).flatMap((part) => columnsIn(part, environment));
  const value = node.kind === "name" || node.kind === "field" ? expression(node, environment) : undefined;
  return value && isColumn(value) ? [value.sql] : [];
}

/** Whether bounds may leave no value for some column. @param equal columns that are equal in all rows. */
export function mayContradict(bounds: readonly Bound[], equal: readonly (readonly [SqlExpression, SqlExpression])[]): boolean {
  const groups = new Map<string, string>();
  const groupOf = (column: string): string => {
    const next = groups.get(column);
    return next === undefined ? column : groupOf(next);
  };
  for (const [left, right] of equal) {
    if (!isColumn(left) || !isColumn(right) || groupOf(left.sql) === groupOf(right.sql)) continue;
    groups.set(groupOf(left.sql), groupOf(right.sql));
  }
  const columns = new Set(bounds.map((bound) => groupOf(bound.column)));
  return [...columns].some((column) => leaveNothing(bounds.filter((bound) => groupOf(bound.column) === column)));
}

function leaveNothing(bounds: readonly Bound[]): boolean {
  const lists = bounds.flatMap(({ values }) => (values ? [values] : []));
  if (lists.some((values) => values.length === 0)) return true;
  if (bounds.length < 2) return false;
  if (bounds.some(({ isNull }) => isNull)) return bounds.some(({ isNull }) => !isNull);
  const lows = bounds.flatMap(({ low }) => (low ? [low] : []));
  const highs = bounds.flatMap(({ high }) => (high ? [high] : []));
  const [first, ...others] = lists;
  if (!first) return lows.some((low) => highs.some((high) => !isBelow(low, high)));
  const isVague = bounds.some(({ values, low, high }) => !values && !low && !high);
  const isLeft = (value: Constant | undefined) =>
    others.every((values) => values.some((other) => other !== undefined && order(value, other) === 0)) &&
    lows.every((low) => isBelow(low, { value, isOpen: false })) &&
    highs.every((high) => isBelow({ value, isOpen: false }, high));
  return isVague || !first.some(isLeft);
}

/** Whether there is something between two limits, as far as they are known. */
function isBelow(low: Limit, high: Limit): boolean {
  const compared = order(low.value, high.value);
  return compared !== undefined && (compared < 0 || (compared === 0 && !low.isOpen && !high.isOpen));
}

/** Below 0, 0 or above 0; undefined where the values are not known, or of different kinds. */
function order(left: Constant | undefined, right: Constant | undefined): number | undefined {
  if (left === undefined || right === undefined || left === null || right === null) return undefined;
  if (typeof left !== typeof right) return undefined;
  return left < right ? -1 : Number(left > right);
}
