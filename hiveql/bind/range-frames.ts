/** RANGE frames with offsets: their keys, and the frames of rows whose key is NULL. */
import { type FrameBound, type Position, semantic, unsupported } from "../syntax";
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

/** Edges of frames among sorted rows: the first row, the first NULL key, the first key after the NULLs, and the end. */
type FrameEdge = "first" | "nulls" | "after nulls" | "end";

/**
 * Returns Hive's frame of rows whose key is NULL; undefined when it is the frame of standard SQL, which has all rows
 * whose key is NULL and the rows up to an unbounded bound.
 * @param nullsLast `hive.default.nulls.last`, which Hive applies even when the sort key has its own order of NULLs.
 */
export function frameOfNulls(
  { start, end }: Frame,
  key: SortKey,
  nullsLast: boolean,
  position: Position,
): Frame | undefined {
  const nullsStandFirst = key.nulls === "first";
  const asLast = nullsLast || key.isDescending;
  refuseNullsLast(key, nullsLast, position);
  const same = (edge: FrameEdge): FrameEdge => {
    if (nullsStandFirst) return edge === "nulls" ? "first" : edge;
    return edge === "after nulls" ? "end" : edge;
  };
  const from = same(start.kind === "following" ? (asLast ? "end" : "after nulls") : firstOf(start));
  const to = same(
    end.kind === "preceding" ? (asLast ? "end" : "first") : end.kind === "following" && asLast ? "end" : lastOf(end),
  );
  if (from === same(firstOf(start)) && to === same(lastOf(end))) return undefined;
  const current: FrameBound = { kind: "current row" };
  const first: FrameBound = { kind: "unbounded preceding" };
  const last: FrameBound = { kind: "unbounded following" };
  const unit = "range";
  if (from === "end" || to === "first" || from === to)
    return { unit, start: current, end: current, excludesGroup: true };
  if (from === "after nulls") return { unit, start: current, end: last, excludesGroup: true };
  return { unit, start: from === "first" ? first : current, end: to === "end" ? last : current };
}

const firstOf = (start: FrameBound): FrameEdge => (start.kind === "unbounded preceding" ? "first" : "nulls");
const lastOf = (end: FrameBound): FrameEdge => (end.kind === "unbounded following" ? "end" : "after nulls");
