/** Sort keys of ORDER BY and SORT BY: values, directions and positions of NULLs. */
import type { OrderItem } from "../syntax";
import type { Scope, TranslationContext } from "../bind/scope";
import { semantic } from "../syntax";
import { expression } from "../bind/expression";
import { join, sql } from "../tree/fragment";
import type { Part, Typed } from "../tree/nodes";
import { isApproximate, typeName } from "../tree/types";
import { isNegativeZero, failOnNestedNegativeZero, normalizeZero } from "../quirks/signed-zero";

/** A sort key. */
export interface OrderKey {
  readonly value: Typed;
  /** The index of the selected column that the SQL sorts by, in a SELECT DISTINCT. */
  readonly position?: number;
  /** The direction, such as `ASC NULLS LAST`. */
  readonly direction: string;
}

/** Translates sort keys. By default NULLs are last in ascending and first in descending order, as in Hive 4. */
export function orderKeys(items: readonly OrderItem[], scope: Scope): OrderKey[] {
  return items.map((item) => orderKey(item, expression(item.expression, scope), scope.context));
}

/** Returns the sort key of a translated value. */
export function orderKey(item: OrderItem, value: Typed, { settings }: TranslationContext): OrderKey {
  if (value.type.kind === "map")
    throw semantic(item.expression.position, "ORDER BY", `cannot sort by ${typeName(value.type)}`);
  const nulls = item.nulls ?? (item.descending === settings.nullsLast ? "first" : "last");
  return { value, direction: `${item.descending ? "DESC" : "ASC"} NULLS ${nulls.toUpperCase()}` };
}

/** Returns the list of sort keys for ORDER BY. −0.0 sorts before 0.0, as in Hive's shuffle. */
export const orderList = (keys: readonly OrderKey[]): Part => join(sortKeysByZeroSign(keys));

/** Returns the list of sort keys that treats −0.0 and 0.0 as equal. */
export const orderIgnoringZeroSign = (keys: readonly OrderKey[]): Part => join(keys.map(sortKey));

/** Returns the sort keys, with an extra key after each double or float that sorts −0.0 before 0.0. */
export const sortKeysByZeroSign = (keys: readonly OrderKey[]): readonly Part[] =>
  keys.flatMap((key) => {
    const { value, direction } = key;
    if (!isApproximate(value.type) || value.constant !== undefined) return [sortKey(key)];
    return [sortKey(key), sql`${isNegativeZero(value)} ${direction.startsWith("DESC") ? "ASC" : "DESC"}`];
  });

/**
 * Returns a sort key with −0.0 as 0.0. A literal is replaced by a NULL test: DuckDB reads a number as the position of a
 * column, and refuses other literals.
 */
function sortKey({ value, direction, position }: OrderKey): Part {
  if (position !== undefined) return sql`${position + 1} ${direction}`;
  const { constant, ...key } = value;
  const sorted =
    constant === undefined ? normalizeZero(failOnNestedNegativeZero(key, "in a sort key")) : sql`(${value} IS NULL)`;
  return sql`${sorted} ${direction}`;
}
