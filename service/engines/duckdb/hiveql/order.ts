/** ORDER BY and its like: keys, directions, and where NULL stands. */
import type { OrderItem } from "../../../../provider/hiveql";
import type { Environment, Shared } from "./environment";
import { semantic } from "../../../../provider/hiveql";
import { expression } from "./expression";
import { type Fragment, sql, type Typed } from "./fragment";
import { typeName } from "./types";
import { withOneZero } from "./zeros";

/** A sort key. */
export interface OrderKey {
  readonly value: Typed;
  /** ` ASC NULLS LAST` and the like. */
  readonly direction: string;
}

/** Translates sort keys; NULL stands as Hive 4 has it: last in ascending order, first in descending. */
export function orderKeys(items: readonly OrderItem[], environment: Environment): OrderKey[] {
  return items.map((item) => orderKey(item, expression(item.expression, environment), environment.shared));
}

/** One sort key, once its value is known. */
export function orderKey(item: OrderItem, value: Typed, { settings }: Shared): OrderKey {
  if (value.type.kind === "map")
    throw semantic(item.expression.position, "ORDER BY", `cannot sort by ${typeName(value.type)}`);
  const nulls = item.nulls ?? (item.descending === settings.nullsLast ? "first" : "last");
  return { value, direction: `${item.descending ? "DESC" : "ASC"} NULLS ${nulls.toUpperCase()}` };
}

/** The keys as a list, after ORDER BY. */
export function orderList(keys: readonly OrderKey[]): Fragment {
  // DuckDB takes a number alone for a column's position, and refuses other literals; what it sorts by loses −0.0.
  const sorted = ({ constant, ...value }: Typed) =>
    constant === undefined ? withOneZero(value) : sql`(${value} IS NULL)`;
  return keys
    .map(({ value, direction }) => sql`${sorted(value)} ${direction}`)
    .reduce((left, right) => sql`${left}, ${right}`);
}
