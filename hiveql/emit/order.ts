/** The list after ORDER BY. */
import { join, sql } from "../sql/fragment";
import type { Part } from "../sql/fragment";
import type { SortKey } from "../tree/nodes";
import { same } from "../tree/same";

/** Returns the list of sort keys for ORDER BY. */
export const orderList = (keys: readonly SortKey[]): Part => join(withoutRepeated(keys).map(sortKey));

/** Drops the keys that an earlier key has decided. */
const withoutRepeated = (keys: readonly SortKey[]): readonly SortKey[] =>
  keys.filter(
    ({ value, position }, index) =>
      position !== undefined ||
      !keys.slice(0, index).some((key) => key.position === undefined && same(key.value, value)),
  );

/** Returns the list of sort keys of a window. */
export const windowOrder = (keys: readonly SortKey[]): Part => join(keys.map(sortKey));

/**
 * Returns a sort key. A literal is replaced by a NULL test: DuckDB reads a number as the position of a column, and refuses
 * other literals.
 */
function sortKey({ value, position, ...key }: SortKey): Part {
  const direction = directionOf(key);
  if (position !== undefined) return sql`${position + 1} ${direction}`;
  return sql`${value.constant === undefined ? value : sql`(${value} IS NULL)`} ${direction}`;
}

/** Returns the direction of a sort key. */
const directionOf = ({ isDescending, nulls }: Pick<SortKey, "isDescending" | "nulls">): string =>
  `${isDescending ? "DESC" : "ASC"} NULLS ${nulls.toUpperCase()}`;
