/** RANGE frames whose unit or order Hive confuses. */
import { type Position, unsupported } from "../syntax";
import type { SortKey } from "../tree/nodes";
import type { Frame } from "../tree/windows";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "range-frames",
  hive: "4.0.1",
  title: "RANGE frames over timestamps, and with NULLS LAST",
  why: "Hive 4.0.1 counts an offset over timestamps in seconds, or in thousands of seconds with vectorized execution, and orders NULL keys by a setting and not by the sort key.",
  example: "`RANGE BETWEEN 60 PRECEDING AND CURRENT ROW` over a timestamp has the rows of a minute, or of 16 hours.",
  refuses:
    "The translation refuses such frames that end at the current row, and NULLS LAST when `hive.default.nulls.last` is false.",
};

/** @throws HiveQLError for an offset over timestamps in a frame that ends at the current row. */
export function refuseRangeOfTimestamps({ value }: SortKey, frame: Frame, position: Position): void {
  if (value.type.kind === "timestamp" && frame.end.kind === "current row")
    throw unsupported(
      position,
      "RANGE with an offset over timestamps that ends at the current row",
      "counts the offset in seconds, or in thousands of seconds when Hive runs vectorized",
    );
}

/** @throws HiveQLError for NULLS LAST against the setting. @param nullsLast `hive.default.nulls.last`. */
export function refuseNullsLast({ nulls, isDescending }: SortKey, nullsLast: boolean, position: Position): void {
  if (!nullsLast && !isDescending && nulls !== "first")
    throw unsupported(position, "RANGE with NULLS LAST when hive.default.nulls.last is false");
}
