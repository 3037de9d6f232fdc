/** RANGE frames with offsets: their keys. */
import { type Position, semantic, unsupported } from "../syntax";
import type { SortKey, Typed } from "../tree/nodes";
import { operation } from "../tree/typed";
import type { Frame } from "../tree/windows";
import { type HiveType, isApproximate, isNumber, isText, typeName, types } from "../tree/types";

/**
 * Returns the sort key by which a RANGE frame with an offset measures distances.
 * @param nullsLast `hive.default.nulls.last`.
 */
export function rangeKey(key: SortKey, frame: Frame, nullsLast: boolean, position: Position): SortKey {
  const { type } = key.value;
  if (type.kind === "timestamp")
    throw unsupported(
      position,
      "RANGE with an offset over timestamps",
      "counts the offset in seconds, or in thousands of seconds when Hive runs vectorized: order by unix_timestamp(time)",
    );
  if (isText(type) || isApproximate(type))
    throw unsupported(
      position,
      `RANGE with an offset over ${typeName(type)}`,
      "measures distances with rounding: cast the key to decimal",
    );
  if (!isNumber(type) && type.kind !== "date")
    throw semantic(position, "window frame", "RANGE with an offset needs an ORDER BY key that is a number or date");
  const value: Typed = operation(
    { kind: "range key", operands: [key.value], takesNull: !hasOddNullFrames(frame, key, nullsLast) },
    measureOf(type),
  );
  return { ...key, value };
}

const measureOf = (type: HiveType): HiveType => (type.kind === "decimal" ? type : types.bigint);

/**
 * Returns true when Hive gives the rows whose key is NULL other frames than standard SQL, in which they have all rows
 * whose key is NULL and the rows up to an unbounded bound. Hive applies the setting even when the key has its own order.
 */
function hasOddNullFrames({ start, end }: Frame, key: SortKey, nullsLast: boolean): boolean {
  const standFirst = key.nulls === "first";
  const asLast = nullsLast || key.isDescending;
  if (start.kind === "following") return true;
  return end.kind === "preceding" ? standFirst || !asLast : end.kind === "following" && asLast && standFirst;
}
