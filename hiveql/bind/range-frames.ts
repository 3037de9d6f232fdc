/** RANGE frames with offsets: their keys, and whether rows may have NULL as their key. */
import { type Position, semantic, unsupported } from "../syntax";
import type { SortKey, Typed } from "../tree/nodes";
import { refuseNullsLast, refuseRangeOfTimestamps } from "../quirks/range-frames";
import { operation } from "../tree/typed";
import type { Frame } from "../tree/windows";
import { type HiveType, isApproximate, isNumber, isText, typeName, types } from "../tree/types";

/** Returns the sort key by which a RANGE frame with an offset measures distances. */
export function rangeKey(key: SortKey, frame: Frame, position: Position): SortKey {
  const { type } = key.value;
  refuseRangeOfTimestamps(key, frame, position);
  if (isText(type) || isApproximate(type))
    throw unsupported(
      position,
      `RANGE with an offset over ${typeName(type)}`,
      "measures distances with rounding: cast the key to decimal",
    );
  if (!isNumber(type) && type.kind !== "date" && type.kind !== "timestamp")
    throw semantic(
      position,
      "window frame",
      "RANGE with an offset needs an ORDER BY key that is a number, date or timestamp",
    );
  const value: Typed = operation({ kind: "range key", operands: [key.value] }, measureOf(type));
  return { ...key, value };
}

const measureOf = (type: HiveType): HiveType => (type.kind === "decimal" ? type : types.bigint);

/**
 * Returns true when Hive gives the rows whose key is NULL other frames than standard SQL, in which they have all rows
 * whose key is NULL and the rows up to an unbounded bound.
 * @param nullsLast `hive.default.nulls.last`, which Hive applies even when the sort key has its own order of NULLs.
 */
export function hasOddNullFrames({ start, end }: Frame, key: SortKey, nullsLast: boolean, position: Position): boolean {
  refuseNullsLast(key, nullsLast, position);
  const standFirst = key.nulls === "first";
  const asLast = nullsLast || key.isDescending;
  if (start.kind === "following") return true;
  return end.kind === "preceding" ? standFirst || !asLast : end.kind === "following" && asLast && standFirst;
}
