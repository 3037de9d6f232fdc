/**
 * RANGE frames with offsets. Rows at exactly the offset are in the frame for an outer bound (`n PRECEDING` as the
 * start, `n FOLLOWING` as the end), and outside of it for an inner bound (`n FOLLOWING` as the start, `n PRECEDING` as
 * the end). Hive measures the distance of decimals by its integer part, of dates in days and of timestamps in seconds.
 * Rows whose key is NULL have frames of their own.
 */
import { type FrameBound, type Position, semantic, unsupported } from "../syntax";
import { macro, raw, sql } from "../tree/fragment";
import type { Part, SortKey, Typed } from "../tree/nodes";
import { isApproximate, isInteger, typeName } from "../tree/types";

/** A RANGE frame in SQL. */
export interface RangeFrame {
  /** The sort key that replaces the key of the statement. */
  readonly key: Part;
  readonly frame: Part;
  /** The frame of all rows up to the frame's end; undefined when the frame starts at the first row. */
  readonly rowsUpToEnd?: Part;
  /** The frame of rows whose key is NULL; undefined when it is the same frame. */
  readonly nullFrame?: Part;
  /** True when rows whose key is NULL come first and their frame ends after the frames of later rows. */
  readonly frameEndMovesBack: boolean;
}

interface Frame {
  readonly start: FrameBound;
  readonly end: FrameBound;
}

/**
 * Translates a RANGE frame with an offset in at least one bound.
 * @param nullsLast `hive.default.nulls.last`, which Hive applies even when the sort key has its own order of NULLs.
 */
export function rangeFrame(frame: Frame, order: SortKey, nullsLast: boolean, position: Position): RangeFrame {
  const { value, isDescending } = order;
  const bounds = boundsOf(value, frame, isDescending, position);
  const first: FrameBound = { kind: "unbounded preceding" };
  const rowsUpToEnd =
    frame.start.kind === first.kind
      ? undefined
      : boundsOf(value, { ...frame, start: first }, isDescending, position).frame;
  const nullFrame = frameOfNulls(frame, order, nullsLast, position);
  const frameEndMovesBack = order.nulls === "first" && (nullsLast || isDescending);
  return {
    ...bounds,
    ...(rowsUpToEnd ? { rowsUpToEnd } : {}),
    frameEndMovesBack,
    ...(nullFrame ? { nullFrame: raw(nullFrame) } : {}),
  };
}

/** Returns true when the rows at exactly the offset of a bound are outside of the frame. */
const excludesBound = (bound: FrameBound, side: "start" | "end") =>
  bound.kind === (side === "start" ? "following" : "preceding");

type Offset = (amount: number, isOutside: boolean, bound: FrameBound) => Part;

function between({ start, end }: Frame, offset: Offset): Part {
  const bound = (each: FrameBound, side: "start" | "end") =>
    "offset" in each
      ? sql`${offset(Number(each.offset), excludesBound(each, side), each)} ${each.kind.toUpperCase()}`
      : raw(each.kind.toUpperCase());
  return sql`RANGE BETWEEN ${bound(start, "start")} AND ${bound(end, "end")}`;
}

function boundsOf(
  value: Typed,
  frame: Frame,
  isDescending: boolean,
  position: Position,
): Omit<RangeFrame, "nullFrame" | "frameEndMovesBack" | "rowsUpToEnd"> {
  const { type } = value;
  const whole: Offset = (amount, isOutside) => raw(`CAST(${amount + (isOutside ? 1 : 0)} AS BIGINT)`);
  if (type.kind === "bigint") return { key: macro("hive_range_bigint", value), frame: between(frame, whole) };
  if (isInteger(type)) return { key: sql`CAST(${value} AS BIGINT)`, frame: between(frame, whole) };
  if (type.kind === "date")
    return { key: sql`CAST(${value} - DATE '1970-01-01' AS BIGINT)`, frame: between(frame, whole) };
  if (type.kind === "timestamp" && frame.end.kind === "current row")
    throw unsupported(
      position,
      "RANGE with an offset over timestamps that ends at the current row",
      "counts the offset in seconds, or in thousands of seconds when Hive runs vectorized",
    );
  if (type.kind === "timestamp") return { key: macro("hive_range_seconds", value), frame: between(frame, whole) };
  if (type.kind === "decimal") {
    const fraction = type.scale > 0 ? `.${"9".repeat(type.scale)}` : "";
    const held = `DECIMAL(38,${type.scale})`;
    const exact: Offset = (amount, isOutside) =>
      raw(`CAST('${isOutside ? amount + 1 : `${amount}${fraction}`}' AS ${held})`);
    return { key: sql`CAST(${macro("hive_range_decimal", value)} AS ${held})`, frame: between(frame, exact) };
  }
  if (isApproximate(type)) return boundsOfDoubles(value, frame, isDescending);
  if (type.kind === "string" || type.kind === "varchar" || type.kind === "char")
    throw unsupported(position, `RANGE with an offset over ${typeName(type)}`);
  throw semantic(
    position,
    "window frame",
    "RANGE with an offset needs an ORDER BY key that is a number, date or timestamp",
  );
}

/**
 * Translates a frame over doubles. Keys are the ordinals of all doubles, since sums of doubles and offsets are rounded.
 */
function boundsOfDoubles(
  value: Typed,
  frame: Frame,
  isDescending: boolean,
): Omit<RangeFrame, "nullFrame" | "frameEndMovesBack" | "rowsUpToEnd"> {
  const double = macro("hive_range_double", sql`CAST(${value} AS DOUBLE)`);
  const reach: Offset = (amount, isOutside, bound) => {
    const isUpward = (bound.kind === "following") !== isDescending;
    const places = sql`hive_range_reach(${double}, CAST(${amount} AS DOUBLE), ${isUpward ? "TRUE" : "FALSE"})`;
    return isOutside ? sql`(${places} + 1)` : places;
  };
  return { key: sql`hive_range_rank(${double})`, frame: between(frame, reach) };
}

/** Edges of frames among sorted rows: the first row, the first NULL key, the first key after the NULLs, and the end. */
type FrameEdge = "first" | "nulls" | "after nulls" | "end";

/**
 * Returns Hive's frame of rows whose key is NULL; undefined when it is the frame of standard SQL, which has all rows
 * whose key is NULL and the rows up to an unbounded bound.
 */
function frameOfNulls({ start, end }: Frame, key: SortKey, nullsLast: boolean, position: Position) {
  const nullsStandFirst = key.nulls === "first";
  const asLast = nullsLast || key.isDescending;
  if (!asLast && !nullsStandFirst)
    throw unsupported(position, "RANGE with NULLS LAST when hive.default.nulls.last is false");
  const same = (edge: FrameEdge): FrameEdge => {
    if (nullsStandFirst) return edge === "nulls" ? "first" : edge;
    return edge === "after nulls" ? "end" : edge;
  };
  const from = same(start.kind === "following" ? (asLast ? "end" : "after nulls") : firstOf(start));
  const to = same(
    end.kind === "preceding" ? (asLast ? "end" : "first") : end.kind === "following" && asLast ? "end" : lastOf(end),
  );
  if (from === same(firstOf(start)) && to === same(lastOf(end))) return undefined;
  if (from === "end" || to === "first" || from === to) return "RANGE BETWEEN CURRENT ROW AND CURRENT ROW EXCLUDE GROUP";
  if (from === "after nulls") return "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE GROUP";
  return `RANGE BETWEEN ${from === "first" ? "UNBOUNDED PRECEDING" : "CURRENT ROW"} AND ${to === "end" ? "UNBOUNDED FOLLOWING" : "CURRENT ROW"}`;
}

const firstOf = (start: FrameBound): FrameEdge => (start.kind === "unbounded preceding" ? "first" : "nulls");
const lastOf = (end: FrameBound): FrameEdge => (end.kind === "unbounded following" ? "end" : "after nulls");
