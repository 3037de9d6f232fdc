/**
 * RANGE with offsets. Hive's frames hold rows whose distance is at most the offset of a bound that lies on the current
 * row's far side, and more than the offset of one on its near side. It measures decimals by their whole part, dates in
 * days, timestamps in seconds, and gives rows whose key is NULL frames of their own.
 */
import { type FrameBound, type Position, semantic, unsupported } from "../syntax";
import { type Fragment, macro, raw, sql, type SqlExpression } from "./fragment";
import type { OrderKey } from "./order";
import { isApproximate, isInteger, typeName } from "../bind/types";

/** A frame in SQL. */
export interface RangeFrame {
  /** What rows are sorted by in place of the key. */
  readonly key: Fragment;
  readonly frame: Fragment;
  /** All rows up to the frame's end, where the frame does not begin with the first row. */
  readonly upTo?: Fragment;
  /** The frame of rows whose key is NULL, where it is another one. */
  readonly nullFrame?: Fragment;
  /** Whether rows whose key is NULL stand first and their frame ends behind those of later rows. */
  readonly runsBack: boolean;
}

interface Frame {
  readonly start: FrameBound;
  readonly end: FrameBound;
}

/**
 * The frame of a RANGE of which a bound has an offset.
 * @param nullsLast `hive.default.nulls.last`, which Hive asks whatever the key's own order of NULL is.
 */
export function rangeFrame(frame: Frame, order: OrderKey, nullsLast: boolean, position: Position): RangeFrame {
  const { value, direction } = order;
  const isDescending = direction.startsWith("DESC");
  const bounds = boundsOf(value, frame, isDescending, position);
  const first: FrameBound = { kind: "unbounded preceding" };
  const upTo =
    frame.start.kind === first.kind
      ? undefined
      : boundsOf(value, { ...frame, start: first }, isDescending, position).frame;
  const nullFrame = frameOfNulls(frame, direction, nullsLast, position);
  const runsBack = direction.endsWith("NULLS FIRST") && (nullsLast || isDescending);
  return { ...bounds, ...(upTo ? { upTo } : {}), runsBack, ...(nullFrame ? { nullFrame: raw(nullFrame) } : {}) };
}

/** Whether the rows on a bound itself are outside the frame. */
const leavesOut = (bound: FrameBound, side: "start" | "end") =>
  bound.kind === (side === "start" ? "following" : "preceding");

type Offset = (amount: number, isOutside: boolean, bound: FrameBound) => Fragment;

function between({ start, end }: Frame, offset: Offset): Fragment {
  const bound = (each: FrameBound, side: "start" | "end") =>
    "offset" in each
      ? sql`${offset(Number(each.offset), leavesOut(each, side), each)} ${each.kind.toUpperCase()}`
      : raw(each.kind.toUpperCase());
  return sql`RANGE BETWEEN ${bound(start, "start")} AND ${bound(end, "end")}`;
}

function boundsOf(
  value: SqlExpression,
  frame: Frame,
  isDescending: boolean,
  position: Position,
): Omit<RangeFrame, "nullFrame" | "runsBack" | "upTo"> {
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
      "is measured in seconds or in thousands of them, as Hive computes one or many rows at once",
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
  throw semantic(position, "window frame", "RANGE with an offset needs a number or a date to order by");
}

/** Keys are places on the line of all doubles, since sums of them and offsets would be rounded. */
function boundsOfDoubles(
  value: SqlExpression,
  frame: Frame,
  isDescending: boolean,
): Omit<RangeFrame, "nullFrame" | "runsBack" | "upTo"> {
  const double = macro("hive_range_double", sql`CAST(${value} AS DOUBLE)`);
  const reach: Offset = (amount, isOutside, bound) => {
    const isUpward = (bound.kind === "following") !== isDescending;
    const places = sql`hive_range_reach(${double}, CAST(${amount} AS DOUBLE), ${isUpward ? "TRUE" : "FALSE"})`;
    return isOutside ? sql`(${places} + 1)` : places;
  };
  return { key: sql`hive_range_rank(${double})`, frame: between(frame, reach) };
}

/** Places among sorted rows: the first, the first and the first behind those whose key is NULL, behind the last. */
type Place = "first" | "nulls" | "behind nulls" | "end";

/** Hive's frame of rows whose key is NULL, or undefined where it is that of SQL: all of them and unbounded sides. */
function frameOfNulls({ start, end }: Frame, direction: string, nullsLast: boolean, position: Position) {
  const nullsStandFirst = direction.endsWith("NULLS FIRST");
  const asLast = nullsLast || direction.startsWith("DESC");
  if (!asLast && !nullsStandFirst)
    throw unsupported(position, "RANGE with NULLS LAST where hive.default.nulls.last is false");
  const same = (place: Place): Place => {
    if (nullsStandFirst) return place === "nulls" ? "first" : place;
    return place === "behind nulls" ? "end" : place;
  };
  const from = same(start.kind === "following" ? (asLast ? "end" : "behind nulls") : firstOf(start));
  const to = same(
    end.kind === "preceding" ? (asLast ? "end" : "first") : end.kind === "following" && asLast ? "end" : lastOf(end),
  );
  if (from === same(firstOf(start)) && to === same(lastOf(end))) return undefined;
  if (from === "end" || to === "first" || from === to) return "RANGE BETWEEN CURRENT ROW AND CURRENT ROW EXCLUDE GROUP";
  if (from === "behind nulls") return "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE GROUP";
  return `RANGE BETWEEN ${from === "first" ? "UNBOUNDED PRECEDING" : "CURRENT ROW"} AND ${to === "end" ? "UNBOUNDED FOLLOWING" : "CURRENT ROW"}`;
}

const firstOf = (start: FrameBound): Place => (start.kind === "unbounded preceding" ? "first" : "nulls");
const lastOf = (end: FrameBound): Place => (end.kind === "unbounded following" ? "end" : "behind nulls");
