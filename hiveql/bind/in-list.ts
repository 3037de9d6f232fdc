/** IN with a list. Hive compares with the items of each type separately. */
import { type Expression, type Position, semantic } from "../syntax";
import { comparisonType, holdsDecimals } from "../tree/coercion";
import { cast } from "../tree/cast";
import type { Typed } from "../tree/nodes";
import { operation } from "../tree/typed";
import { booleanLiteral, nullLiteral } from "./literals";
import { isColumnReference, coercedLiteral, comparedAs } from "./literal-coercion";
import { compare, mixesBooleans, refuseDatesAsNumbers } from "./comparison";
import { type HiveType, typeName, types } from "../tree/types";

type Node<Kind extends Expression["kind"]> = Extract<Expression, { kind: Kind }>;

/**
 * Binds `x IN (…)`. For a column x, literals that are not values of its type are removed: they never match and
 * never make the result NULL. Example: `n IN (1, 'x')` with an int n is `n IN (1)`.
 * @param translate translates an expression in the scope of the list.
 */
export function inList(node: Node<"in">, translate: (inner: Expression) => Typed): Typed {
  if (node.items.length === 0) throw semantic(node.position, "IN", "needs at least one value in its list");
  const found = node.operand.kind === "row" ? inTuples(node, node.operand, translate) : inScalars(node, translate);
  return node.not ? operation({ kind: "not", operands: [found] }, types.boolean) : found;
}

function inScalars(node: Node<"in">, translate: (inner: Expression) => Typed): Typed {
  const operand = translate(node.operand);
  const items = node.items.map(translate);
  const mixed = items.find((item) => mixesBooleans(operand, item));
  if (mixed) throw incomparable(operand, mixed.type, node.position);
  for (const item of items) refuseDatesAsNumbers(operand, item, node.position, "IN");
  const kept = isColumnReference(node.operand)
    ? items.map((item) => coercedLiteral(item, operand.type)).filter((item) => item !== undefined)
    : items;
  if (kept.length === 0) return booleanLiteral(false);
  const groups = [...Map.groupBy(kept, ({ type }) => typeName(type)).values()].map((group) =>
    oneType(operand, group, node.position),
  );
  return groups.length === 1 ? (groups[0] as Typed) : anyOf(groups);
}

/** Binds IN with a list of values of one type. */
function oneType(operand: Typed, items: readonly Typed[], position: Position): Typed {
  const type = comparisonType(operand.type, items[0]?.type ?? types.void);
  if (type?.kind === "decimal" && !holdsDecimals(type, operand.type, ...items.map((item) => item.type)))
    return anyOf(
      items.map((item) => operation({ kind: "comparison", operator: "=", operands: [operand, item] }, types.boolean)),
    );
  const [first, ...rest] = [operand, ...items].map((value) => {
    const same = type && comparedAs(value, type);
    if (!same) throw incomparable(operand, (value === operand ? items[0]! : value).type, position);
    return same;
  });
  return operation({ kind: "in", operands: [first as Typed, ...rest] }, types.boolean);
}

/** Binds `(a, b) IN ((1, 2), …)`. Hive compares structs: a row with a NULL member equals nothing. */
function inTuples(node: Node<"in">, operand: Node<"row">, translate: (inner: Expression) => Typed): Typed {
  const members = operand.items.map(translate);
  const rows = node.items.map((item): Typed => {
    if (item.kind !== "row" || item.items.length !== members.length)
      throw semantic(
        item.position,
        "IN",
        `compares ${members.length} columns with a row of another size: write ${members.length} values in each row`,
      );
    const equal = item.items.map((inner, index) => {
      const member = members[index] as Typed;
      const value = translate(inner);
      const isColumn = isColumnReference(operand.items[index] as Expression);
      const other = isColumn
        ? (coercedLiteral(value, member.type) ?? (cast(nullLiteral, member.type) as Typed))
        : value;
      return compare("=", member, other, item.position, "IN");
    });
    const isEqual = operation({ kind: "and", operands: equal }, types.boolean);
    return operation({ kind: "is true", operands: [isEqual] }, types.boolean);
  });
  return rows.length === 1 ? (rows[0] as Typed) : anyOf(rows);
}

const anyOf = (operands: readonly Typed[]): Typed => operation({ kind: "or", operands }, types.boolean);

function incomparable(operand: Typed, type: HiveType, position: Position) {
  return semantic(position, "IN", `cannot compare ${typeName(operand.type)} with ${typeName(type)}: cast one of them`);
}
