/** ORDER BY and its like: keys, directions, and where NULL stands. */
import type { OrderItem } from "../syntax";
import type { Environment, Shared } from "../bind/scope";
import { semantic } from "../syntax";
import { expression } from "../bind/expression";
import { type Fragment, join, sql, type SqlExpression } from "./fragment";
import { isApproximate, typeName } from "../bind/types";
import { isNegativeZero, withoutNestedZero, withOneZero } from "../quirks/zeros";

/** A sort key. */
export interface OrderKey {
  readonly value: SqlExpression;
  /** ` ASC NULLS LAST` and the like. */
  readonly direction: string;
}

/** Translates sort keys; NULL stands as Hive 4 has it: last in ascending order, first in descending. */
export function orderKeys(items: readonly OrderItem[], environment: Environment): OrderKey[] {
  return items.map((item) => orderKey(item, expression(item.expression, environment), environment.shared));
}

/** One sort key, once its value is known. */
export function orderKey(item: OrderItem, value: SqlExpression, { settings }: Shared): OrderKey {
  if (value.type.kind === "map")
    throw semantic(item.expression.position, "ORDER BY", `cannot sort by ${typeName(value.type)}`);
  const nulls = item.nulls ?? (item.descending === settings.nullsLast ? "first" : "last");
  return { value, direction: `${item.descending ? "DESC" : "ASC"} NULLS ${nulls.toUpperCase()}` };
}

/** The keys as a list, after ORDER BY: −0.0 stands before 0.0, as Hive's shuffle sorts them. */
export const orderList = (keys: readonly OrderKey[]): Fragment => join(bothZeros(keys));

/** The keys as a list by which −0.0 and 0.0 stand beside each other. */
export const orderOfValues = (keys: readonly OrderKey[]): Fragment => join(keys.map(oneZero));

/** The keys one by one, those that tell −0.0 from 0.0 included. */
export const bothZeros = (keys: readonly OrderKey[]): readonly Fragment[] =>
  keys.flatMap((key) => {
    const { value, direction } = key;
    if (!isApproximate(value.type) || value.constant !== undefined) return [oneZero(key)];
    return [oneZero(key), sql`${isNegativeZero(value)} ${direction.startsWith("DESC") ? "ASC" : "DESC"}`];
  });

/** DuckDB takes a number alone for a column's position, and refuses other literals; what it sorts by loses −0.0. */
function oneZero({ value, direction }: OrderKey): Fragment {
  const { constant, ...key } = value;
  const sorted =
    constant === undefined ? withOneZero(withoutNestedZero(key, "in a sort key")) : sql`(${value} IS NULL)`;
  return sql`${sorted} ${direction}`;
}
