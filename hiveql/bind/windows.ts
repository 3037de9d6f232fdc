/** OVER: partitions, order and frames, with Hive's defaults. */
import { directionOf } from "../emit/order";
import { same } from "../tree/same";
import { type Call, type FrameBound, type Position, semantic, unsupported, type WindowSpecification } from "../syntax";
import { expression, type Scope } from "./scope";
import { join, sql } from "../tree/fragment";
import type { Part, SortKey, Typed } from "../tree/nodes";
import { typed } from "../tree/typed";
import type { AggregateFunction, WindowFunction } from "../functions/define";
import { orderKeys } from "./order";
import { type RangeFrame, rangeFrame } from "../emit/range-frames";
import { keyWithoutNegativeZero } from "../quirks/signed-zero";
import { windowOrder } from "../emit/order";
import { keyWithoutNaN } from "../quirks/nan-keys";
import { isVoid } from "../tree/types";

/** The computation of a function over a window. */
interface OverWindow {
  /** Returns the function with an ` OVER (…)` clause. */
  readonly compute: (over: Part) => Typed;
  /** Counts the values of a sum that are not NULL; undefined for other functions. */
  readonly count?: Count;
  /** Counts the values of an average that are not NULL; undefined for other functions. */
  readonly averageCount?: Count;
}

type Count = (over: Part) => Part;

/** Returns true when two keys sort the same value in different directions. */
const isReversed = (key: SortKey, other: SortKey) =>
  same(key.value, other.value) && (key.isDescending !== other.isDescending || key.nulls !== other.nulls);

/** Translates a function over a window. It is computed once for each OVER clause that the frames of its rows need. */
export function overWindow(
  node: Call,
  entry: AggregateFunction | WindowFunction,
  scope: Scope,
  { compute, count, averageCount }: OverWindow,
): Typed {
  const window = resolveWindow(node.window as WindowSpecification, scope);
  const partition = window.partitionBy.map((key) => keyWithoutNegativeZero(expression(key, scope)));
  const order = orderKeys(window.orderBy, scope);
  if (order.some((key, index) => order.slice(0, index).some((other) => isReversed(key, other))))
    throw unsupported(
      node.position,
      "ORDER BY in OVER",
      "sorts the same value in two directions, which Hive confuses: remove one of the keys",
    );
  const frame = window.frame && {
    ...window.frame,
    start: zeroOffsetAsCurrentRow(window.frame.start),
    end: zeroOffsetAsCurrentRow(window.frame.end),
  };
  const hasRange = isFramed(entry) && frame?.unit !== "rows" && !(frame && coversPartition(frame));
  const sorted = order.map((key) => {
    const value = keyWithoutNegativeZero(key.value);
    return { ...key, value: hasRange ? keyWithoutNaN(value) : value };
  });
  const over = (keys: Part | undefined, rows: Part | undefined) => {
    const parts: Part[] = [];
    if (partition.length > 0) parts.push(sql`PARTITION BY ${join(partition)}`);
    if (keys) parts.push(sql`ORDER BY ${keys}`);
    if (rows) parts.push(rows);
    return sql` OVER (${join(parts, " ")})`;
  };
  if (isFramed(entry) && window.frame) checkFrame(window.frame, order, node.position);
  if (
    isFramed(entry) &&
    !(frame && (frame.unit === "rows" || coversPartition(frame))) &&
    order.some(({ value }) => isVoid(value.type))
  )
    throw semantic(
      node.position,
      "ORDER BY in OVER",
      "sorts by an untyped NULL, so that the frame cannot be computed: remove the key or cast NULL to a type",
    );
  if (!isFramed(entry) && window.frame && !coversPartition(window.frame))
    throw semantic(
      node.position,
      `function ${node.name}`,
      "does not support a frame other than UNBOUNDED PRECEDING to UNBOUNDED FOLLOWING: remove the frame",
    );
  const [first] = order;
  if (isFramed(entry) && frame?.unit === "range" && first && ("offset" in frame.start || "offset" in frame.end)) {
    const range = rangeFrame(frame, first, scope.context.settings.nullsLast, node.position);
    return overRange(range, first, entry, over, { compute, ...(count ? { count } : {}) });
  }
  const keys = sorted.length > 0 ? windowOrder(sorted) : undefined;
  const text = isFramed(entry) && frame && (keys || frame.unit === "rows") ? frameText(frame) : undefined;
  const value = compute(over(keys, text));
  if (averageCount && text && frame && isSliding(frame)) {
    const before = frameText({ ...frame, start: { kind: "unbounded preceding" } });
    return failIfMeanOfNulls(value, averageCount, over(keys, text), over(keys, before));
  }
  const leaves =
    keys && frame?.unit === "range" && frame.start.kind === "current row" && frame.end.kind !== "current row";
  if (!leaves || !text || !count) return value;
  return failIfOnlyNulls(value, undefined, count, over(keys, text), over(undefined, undefined));
}

/**
 * Returns a sum over a sliding RANGE that fails the query when only NULLs are left in a frame: Hive subtracts the rows
 * that leave the frame, and its sum may be 0 or NULL then.
 * @param upTo OVER clause of all rows up to the frame's end.
 */
function failIfOnlyNulls(
  value: Typed,
  key: Part | undefined,
  count: (over: Part) => Part,
  framed: Part,
  upTo: Part,
): Typed {
  const known = key ? sql`${key} IS NOT NULL AND ` : "";
  const onlyNulls = sql`${known}${count(framed)} = 0 AND count(*)${framed} > 0 AND ${count(upTo)} > 0`;
  const failure =
    "error('HiveQL: sum over a RANGE frame in which only NULLs are left, which is 0 or NULL in Hive: remove NULLs in a subquery')";
  return typed(sql`CASE WHEN ${onlyNulls} THEN ${failure} ELSE ${value} END`, value.type);
}

/** Returns true for a ROWS frame in which both bounds move from row to row. */
const isSliding = ({ unit, start, end }: WindowFrame) =>
  unit === "rows" && start.kind !== "unbounded preceding" && end.kind !== "unbounded following";

/**
 * Returns an average over sliding ROWS that fails the query when only NULLs are left in a frame: Hive's result is NaN
 * or NULL then.
 */
function failIfMeanOfNulls(value: Typed, count: Count, framed: Part, upTo: Part): Typed {
  if (value.type.kind !== "double") return value;
  const onlyNulls = sql`${count(framed)} = 0 AND count(*)${framed} > 0 AND ${count(upTo)} > 0`;
  const failure =
    "error('HiveQL: avg over ROWS in which only NULLs are left, which is NaN or NULL in Hive depending on vectorization: divide sum by count, or remove NULLs in a subquery')";
  return typed(sql`CASE WHEN ${onlyNulls} THEN ${failure} ELSE ${value} END`, value.type);
}

/** Replaces an offset of 0 by CURRENT ROW, which for RANGE includes the rows with the same key. */
const zeroOffsetAsCurrentRow = (bound: FrameBound): FrameBound =>
  "offset" in bound && Number(bound.offset) === 0 ? { kind: "current row" } : bound;

/** Computes a function over a RANGE frame with offsets; rows whose key is NULL may have their own frame. */
function overRange(
  range: RangeFrame,
  sortKey: SortKey,
  entry: AggregateFunction | WindowFunction,
  over: (keys: Part | undefined, frame: Part | undefined) => Part,
  { compute, count }: OverWindow,
): Typed {
  const { key, frame, rowsUpToEnd, nullFrame } = range;
  const framed = (text: Part) => over(sql`${key} ${directionOf(sortKey)}`, text);
  const plain = compute(framed(frame));
  const value = count && rowsUpToEnd ? failIfOnlyNulls(plain, key, count, framed(frame), framed(rowsUpToEnd)) : plain;
  if (!nullFrame) return value;
  if (entry.kind === "aggregate" && entry.isUpdatedOver && range.frameEndMovesBack) {
    const some = sql`bool_or(${key} IS NULL)${over(undefined, undefined)}`;
    const failure = `error('HiveQL: ${entry.names[0] ?? ""} over a RANGE frame with NULL keys sorted first, which Hive computes incorrectly: sort NULLS LAST or remove them')`;
    return typed(sql`CASE WHEN ${some} THEN ${failure} ELSE ${value} END`, value.type);
  }
  return typed(sql`CASE WHEN ${key} IS NULL THEN ${compute(framed(nullFrame))} ELSE ${value} END`, value.type);
}

/** Returns a window with the clauses that it inherits from the named window it extends. */
export function resolveWindow(
  window: WindowSpecification,
  scope: Scope,
  seen = new Set<string>(),
): WindowSpecification {
  if (window.base === undefined) return window;
  const base = scope.windows.get(window.base);
  if (!base || seen.has(window.base))
    throw semantic(window.position, `window ${window.base}`, "is not defined in WINDOW");
  seen.add(window.base);
  const { partitionBy, orderBy, frame, position } = resolveWindow(base, scope, seen);
  const inherited = window.frame ?? frame;
  return {
    position,
    partitionBy: window.partitionBy.length > 0 ? window.partitionBy : partitionBy,
    orderBy: window.orderBy.length > 0 ? window.orderBy : orderBy,
    ...(inherited ? { frame: inherited } : {}),
  };
}

const isFramed = (entry: AggregateFunction | WindowFunction) => entry.kind === "aggregate" || entry.framed === true;

type WindowFrame = NonNullable<WindowSpecification["frame"]>;

const coversPartition = ({ start, end }: WindowFrame) =>
  start.kind === "unbounded preceding" && end.kind === "unbounded following";

function checkFrame(frame: WindowFrame, order: readonly SortKey[], position: Position) {
  for (const bound of [frame.start, frame.end]) {
    if (!("offset" in bound)) continue;
    if (!/^\d{1,9}$/.test(bound.offset))
      throw semantic(
        position,
        "window frame",
        `has the offset ${bound.offset}, which is not an integer of at most 9 digits`,
      );
    if (frame.unit === "range" && order.length !== 1)
      throw semantic(position, "window frame", "RANGE with an offset needs exactly one ORDER BY key");
  }
  if (offsetOf(frame.start) > offsetOf(frame.end))
    throw semantic(position, "window frame", "starts after its end: swap the bounds");
}

/** Returns the distance of a bound from the current row in rows; infinite for unbounded bounds. */
function offsetOf(bound: FrameBound): number {
  if ("offset" in bound) return Number(bound.offset) * (bound.kind === "preceding" ? -1 : 1);
  if (bound.kind === "current row") return 0;
  return bound.kind === "unbounded preceding" ? -Infinity : Infinity;
}

function frameText({ unit, start, end }: WindowFrame): Part {
  return sql`${unit.toUpperCase()} BETWEEN ${boundText(start)} AND ${boundText(end)}`;
}

function boundText(bound: FrameBound): string {
  return "offset" in bound ? `${bound.offset} ${bound.kind.toUpperCase()}` : bound.kind.toUpperCase();
}
