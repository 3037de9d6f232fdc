/** Sort keys of ORDER BY and SORT BY: values, directions and positions of NULLs. */
import { isNested } from "../tree/types";
import type { SortKey, Typed } from "../tree/nodes";
import { type Ordering, type OrderItem, semantic } from "../syntax";
import { expression, type Scope, type TranslationContext } from "./scope";
import type { Limit } from "../tree/queries";
import { typeName } from "../tree/types";

/** Binds sort keys. By default NULLs are last in ascending and first in descending order, as in Hive 4. */
export function orderKeys(items: readonly OrderItem[], scope: Scope): SortKey[] {
  return items.map((item) => orderKey(item, expression(item.expression, scope), scope.context));
}

/** Returns the sort key of a translated value. */
export function orderKey(item: OrderItem, value: Typed, { settings }: TranslationContext): SortKey {
  if (value.type.kind === "map")
    throw semantic(item.expression.position, "ORDER BY", `cannot sort by ${typeName(value.type)}`);
  const nulls = item.nulls ?? (item.descending === settings.nullsLast ? "first" : "last");
  return { value, isDescending: item.descending, nulls };
}

/** Returns the sort key for a position in the select list, as in `ORDER BY 2`; undefined for other expressions. */
export function positionKey(
  item: OrderItem,
  columns: readonly Typed[],
  context: TranslationContext,
): SortKey | undefined {
  const node = item.expression;
  if (node.kind !== "number" || !context.settings.orderByPosition) return undefined;
  if (/^[\d.]+(e[-+]?\d+)?$/i.test(node.text) && !/^\d+$/.test(node.text))
    throw semantic(node.position, `ORDER BY ${node.text}`, "is not the position of a column: write an integer from 1");
  if (!/^\d+$/.test(node.text)) return undefined;
  const column = columns[Number(node.text) - 1];
  if (!column)
    throw semantic(
      node.position,
      `ORDER BY ${node.text}`,
      `is not the position of a column: the select list has ${columns.length} columns`,
    );
  return orderKey(item, column, context);
}

/** Returns sort keys of which an array, map or struct that contains −0.0 fails the query. */
export const sortKeys = (keys: readonly SortKey[]): readonly SortKey[] =>
  keys.map((key) => (isNested(key.value.type) ? { ...key, value: key.value } : key));

/** Returns LIMIT without its place in the statement. */
export const limitOf = (limit: Ordering["limit"]): { readonly limit?: Limit } =>
  limit ? { limit: { count: limit.count, ...(limit.offset === undefined ? {} : { offset: limit.offset }) } } : {};
