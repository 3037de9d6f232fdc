/** Keys of grouping sets that Hive does not tell apart from constants or from each other. */
import { type GroupBy, type Position, unsupported } from "../syntax";
import type { Typed } from "../tree/nodes";
import { same } from "../tree/same";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "grouping-keys",
  hive: "4.0.1",
  title: "Keys of GROUPING SETS, CUBE and ROLLUP",
  why: "Hive 4.0.1 folds a key that reads no column or is a CASE that tests none, then does not find it among the keys, reads one of two equal keys by its spelling, and takes a key as NULL in DISTINCT where it is aggregated away.",
  example: "`SELECT a, count(DISTINCT a) FROM t GROUP BY a WITH ROLLUP` answers 0 in the grand total row.",
  refuses: "The translation refuses such keys and functions.",
};

/** @throws HiveQLError for a key that is always the same, and for a key that is written twice. */
export function refuseConfusedKeys(
  { keys: nodes, position }: GroupBy,
  keys: readonly Typed[],
  isAlwaysSame: (index: number) => boolean,
): void {
  for (const [index, key] of keys.entries()) {
    const isTwice = keys.findIndex((each) => same(each, key)) < index;
    if (isTwice || isAlwaysSame(index))
      throw unsupported(
        nodes[index]?.position ?? position,
        "GROUP BY with grouping sets",
        isTwice
          ? "has the same key twice: write it once"
          : "has a key that reads no column, or a CASE that tests none: remove it from GROUP BY",
      );
  }
}

/** @throws HiveQLError for DISTINCT of a key of grouping sets, and beside a constant key. */
export function refuseDistinctOfKeys(
  values: readonly Typed[],
  keys: readonly Typed[],
  position: Position,
  name: string,
): void {
  if (keys.some((key) => key.constant !== undefined || values.some((value) => same(value, key))))
    throw unsupported(
      position,
      `function ${name} with DISTINCT`,
      "reads a key of grouping sets, which Hive takes as NULL where the key is aggregated away, or stands beside a constant key: write UNION ALL of queries with plain GROUP BY",
    );
}
