/** ORDER BY of one SELECT. */
import { type OrderItem, type Select, semantic } from "../../syntax";
import type { SortKey, Typed } from "../../tree/nodes";
import { same } from "../../tree/same";
import { orderKey, positionKey } from "../order";
import type { BoundQuery } from "../relations";
import { expression, type Scope } from "../scope";
import type { Item } from "./output-columns";

/**
 * Returns the sort keys of a SELECT.
 * @param scope scope of ORDER BY.
 */
export function selectOrder(
  select: Select,
  ordering: readonly OrderItem[],
  items: readonly Item[],
  scope: Scope,
): SortKey[] {
  const values = items.map((item) => item.value);
  return ordering.map((item) => {
    const key =
      positionKey(item, values, scope.context) ?? orderKey(item, expression(item.expression, scope), scope.context);
    if (!select.distinct) return key;
    const position = values.findIndex((value) => same(value, key.value));
    if (position < 0)
      throw semantic(
        item.expression.position,
        "ORDER BY",
        "with SELECT DISTINCT can use selected columns only: sort in a query around it",
      );
    return { ...key, position };
  });
}

/**
 * Returns extra sort keys for rows that are equal in ORDER BY. Groups and DISTINCT rows leave Hive's shuffle sorted by
 * their keys, which is visible when the statement sorts or limits them.
 */
export function tieBreakers(select: Select, items: readonly Item[], { grouping, context }: Scope): SortKey[] {
  const direction = { isDescending: false, nulls: context.settings.nullsLast ? "last" : "first" } as const;
  const sortable = (value: Typed) => value.type.kind !== "map";
  if (select.distinct)
    return items
      .map((item, position) => ({ value: item.value, position, ...direction }))
      .filter(({ value }) => sortable(value));
  return (grouping?.keys ?? [])
    .filter((key) => key.constant === undefined && sortable(key))
    .map((key) => ({ value: grouping?.key(key) ?? key, ...direction }));
}

/** Returns the positions of the sort columns, if every sort key is a column. */
export function sortedColumns(keys: readonly SortKey[], items: readonly Item[]): Pick<BoundQuery, "sortedBy"> {
  const columns = keys.map(({ position, value }) => position ?? items.findIndex((item) => same(item.value, value)));
  return keys.length > 0 && columns.every((column) => column >= 0) ? { sortedBy: columns } : {};
}
