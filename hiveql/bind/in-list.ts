/** IN with a list: Hive compares with the items of each type apart from the others. */
import { type Expression, type Position, semantic, unsupported } from "../syntax";
import { refuseMade } from "../quirks/bare-chars";
import { comparisonType } from "./coercion";
import { cast } from "../emit/conversions";
import { type Fragment, join, sql, typed, type SqlExpression } from "../emit/fragment";
import { boolean } from "./literals";
import { orToIn, joinedPoints } from "../rules/or-to-in";
import { isReference, coercedLiteral } from "./literal-coercion";
import { cutShort, isCutShort } from "../rules/folded-decimals";
import { checkBooleans, compare, pointOf } from "./operators";
import type { KnownConstants } from "../rules/constant-propagation";
import type { Plan } from "../rules/plan";
import { castOf } from "../rules/text-casts";
import { type HiveType, isVoid, typeName, types } from "./types";
import { inLiterals } from "../quirks/zeros";
import { compareParts, holds } from "../quirks/wide-decimals";

type Node<Kind extends Expression["kind"]> = Extract<Expression, { kind: Kind }>;

/**
 * Translates `x IN (…)`. A literal beside a column that is no value of the column's type is left out: nothing equals
 * it, and it does not make the answer NULL.
 * @param translate gives the value of an expression where the list stands.
 * @param plan of the statement.
 * @param pins what is known of the rows there.
 */
export function inList(node: Node<"in">, translate: (inner: Expression) => SqlExpression, plan: Plan, pins?: KnownConstants): SqlExpression {
  if (node.items.length === 0) throw semantic(node.position, "IN", "needs at least one value");
  const found =
    node.operand.kind === "row" ? inRows(node, node.operand, translate, pins, plan) : inValues(node, translate);
  return node.not ? typed(sql`(NOT ${found})`, types.boolean) : { ...found, ...sql`(${found})` };
}

function inValues(node: Node<"in">, translate: (inner: Expression) => SqlExpression): SqlExpression {
  const operand = translate(node.operand);
  const items = node.items.map(translate);
  if ([operand, ...items].some(isCutShort)) throw unsupported(node.position, "IN", cutShort);
  refuseMade(operand, items, node.position, "IN");
  for (const item of items) {
    checkBooleans(operand, item, node.position, "IN");
    if (mixesKinds(operand.type, item.type)) throw incomparable(operand, item.type, node.position);
  }
  const kept = isReference(node.operand)
    ? items.map((item) => coercedLiteral(item, operand.type)).filter((item) => item !== undefined)
    : items;
  if (kept.length === 0) return boolean(false);
  const groups = [...Map.groupBy(kept, ({ type }) => typeName(type)).values()].map((group) => {
    const found = typed(oneType(operand, group, node.position), types.boolean);
    const [item] = group;
    const point = group.length === 1 && item ? pointOf("=", [operand, operand], [item, item]) : {};
    return node.not ? found : { ...inLiterals(found, operand, group), ...point };
  });
  return groups.length === 1 ? (groups[0] as SqlExpression) : typed(sql`(${join(groups, " OR ")})`, types.boolean);
}

/** The operand in a list of values of one type. */
function oneType(operand: SqlExpression, items: readonly SqlExpression[], position: Position): Fragment {
  const type = comparisonType(operand.type, items[0]?.type ?? types.void);
  if (type?.kind === "decimal" && !holds(type, operand.type, ...items.map((item) => item.type)))
    return sql`(${join(
      items.map((item) => compareParts("=", operand, item)),
      " OR ",
    )})`;
  const [first, ...rest] = [operand, ...items].map((value) => {
    const same = type && castOf(value, type);
    if (!same) throw incomparable(operand, value.type, position);
    return same;
  });
  return sql`(${first as SqlExpression} IN (${join(rest)}))`;
}

/** `(a, b) IN ((1, 2), …)` compares member by member: NULL in one of them makes the whole unknown. */
function inRows(
  node: Node<"in">,
  operand: Node<"row">,
  translate: (inner: Expression) => SqlExpression,
  pins: KnownConstants | undefined,
  plan: Plan,
): SqlExpression {
  const members = operand.items.map(translate);
  const rows = node.items.map((item): SqlExpression => {
    if (item.kind !== "row" || item.items.length !== members.length)
      throw semantic(item.position, "IN", `compares ${members.length} columns with something else`);
    const equal = item.items.map((inner, index) => {
      const member = members[index] as SqlExpression;
      const value = translate(inner);
      const isColumn = isReference(operand.items[index] as Expression);
      const other = isColumn ? (coercedLiteral(value, member.type) ?? (cast(nothing, member.type) as SqlExpression)) : value;
      return compare("=", member, other, item.position, "IN");
    });
    return { ...typed(sql`(${join(equal, " AND ")})`, types.boolean), ...joinedPoints(equal) };
  });
  // Structs with NULL in them equal nothing where the optimizer does not take them apart.
  if (!plan.isOptimized) return joined(rows.map((row) => typed(sql`coalesce(${row}, FALSE)`, types.boolean)));
  // Hive makes OR of a list with columns in it, and what NOT stands before.
  if (rows.length === 1) return rows[0] as SqlExpression;
  return joined(!node.not && rows.every(({ points }) => points) ? orToIn(rows, false, pins) : rows);
}

function joined(rows: readonly SqlExpression[]): SqlExpression {
  return typed(sql`(${join(rows, " OR ")})`, types.boolean);
}

const nothing: SqlExpression = typed(sql`NULL`, types.void, null);

/** IN takes booleans beside booleans only. */
function mixesKinds(left: HiveType, right: HiveType): boolean {
  return !isVoid(left) && !isVoid(right) && (left.kind === "boolean") !== (right.kind === "boolean");
}

function incomparable(operand: SqlExpression, type: HiveType, position: Position) {
  return semantic(position, "IN", `cannot compare ${typeName(operand.type)} with ${typeName(type)}`);
}
