/** Sort keys that Hive confuses. */
import { type OrderItem, type Position, type Select, unsupported } from "../syntax";
import type { SortKey } from "../tree/nodes";
import { same } from "../tree/same";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "sort-keys",
  hive: "4.0.1",
  title: "A value sorted in two directions, and ORDER BY of distinct groups",
  why: "Hive 4.0.1 confuses two directions that OVER gives for the same value, and ignores DISTINCT when a SELECT has GROUP BY and ORDER BY too.",
  example: "`SELECT DISTINCT count(*) FROM t GROUP BY k ORDER BY 1` repeats equal counts.",
  refuses: "The translation refuses both.",
};

/** @throws HiveQLError when a window sorts the same value in two directions. */
export function refuseReversedKeys(order: readonly SortKey[], position: Position): void {
  const isReversed = (key: SortKey, other: SortKey) =>
    same(key.value, other.value) && (key.isDescending !== other.isDescending || key.nulls !== other.nulls);
  if (order.some((key, index) => order.slice(0, index).some((other) => isReversed(key, other))))
    throw unsupported(
      position,
      "ORDER BY in OVER",
      "sorts the same value in two directions, which Hive confuses: remove one of the keys",
    );
}

/** @throws HiveQLError for ORDER BY of a SELECT with DISTINCT and GROUP BY. */
export function refuseOrderedDistinctGroups({ distinct, groupBy }: Select, [first]: readonly OrderItem[]): void {
  if (first && distinct && groupBy)
    throw unsupported(
      first.expression.position,
      "ORDER BY",
      "together with DISTINCT and GROUP BY makes Hive 4 ignore DISTINCT: write the query as a subquery and sort outside of it",
    );
}
