/** The list after ORDER BY. */
import { isNegativeZero, normalizeZero } from "./zeros";
import { join, sql } from "../tree/fragment";
import type { Part, SortKey } from "../tree/nodes";
import { same } from "../tree/same";
import { isApproximate } from "../tree/types";

/** Returns the list of sort keys for ORDER BY. −0.0 sorts before 0.0, as in Hive's shuffle. */
export const orderList = (keys: readonly SortKey[]): Part => join(sortKeysByZeroSign(withoutRepeated(keys)));

/** Drops the keys that an earlier key has decided. */
const withoutRepeated = (keys: readonly SortKey[]): readonly SortKey[] =>
  keys.filter(
    ({ value, position }, index) =>
      position !== undefined ||
      !keys.slice(0, index).some((key) => key.position === undefined && same(key.value, value)),
  );

/** Returns the list of sort keys of a window. */
export const windowOrder = (keys: readonly SortKey[]): Part => join(keys.map(sortKey));

/** Returns the sort keys, with an extra key after each double or float that sorts −0.0 before 0.0. */
const sortKeysByZeroSign = (keys: readonly SortKey[]): readonly Part[] =>
  keys.flatMap((key) => {
    const { value, isDescending } = key;
    if (!isApproximate(value.type) || value.constant !== undefined) return [sortKey(key)];
    return [sortKey(key), sql`${isNegativeZero(value)} ${isDescending ? "ASC" : "DESC"}`];
  });

/**
 * Returns a sort key with −0.0 as 0.0. A literal is replaced by a NULL test: DuckDB reads a number as the position of a
 * column, and refuses other literals.
 */
function sortKey({ value, position, ...key }: SortKey): Part {
  const direction = directionOf(key);
  if (position !== undefined) return sql`${position + 1} ${direction}`;
  const { constant, ...plain } = value;
  const sorted = constant === undefined ? normalizeZero(plain) : sql`(${value} IS NULL)`;
  return sql`${sorted} ${direction}`;
}

/** Returns the direction of a sort key. */
const directionOf = ({ isDescending, nulls }: Pick<SortKey, "isDescending" | "nulls">): string =>
  `${isDescending ? "DESC" : "ASC"} NULLS ${nulls.toUpperCase()}`;
