/** OVER: partitions, order and frames as Hive has them where they are not written. */
import {
  type Call,
  type FrameBound,
  type Position,
  semantic,
  unsupported,
  type WindowSpecification,
} from "../syntax";
import type { Environment } from "../bind/scope";
import { expression } from "../bind/expression";
import { type Fragment, join, sql, typed, type SqlExpression } from "./fragment";
import type { AggregateFunction, WindowFunction } from "../functions/define";
import { orderKeys, type OrderKey } from "./order";
import { type RangeFrame, rangeFrame } from "./range-frames";
import { type Asks, whereCertain, windowSorting } from "../quirks/window-zeros";
import { isVoid } from "../bind/types";

/** A function over a bracket that stands after OVER. */
interface OverWindow {
  readonly compute: (over: Fragment) => SqlExpression;
  /** How many values are not NULL, of sums. */
  readonly count?: Count;
  /** The same of averages. */
  readonly countOfMean?: Count;
}

type Count = (over: Fragment) => Fragment;

/** Whether two keys sort by one value, but not alike. */
const isTurned = (key: OrderKey, other: OrderKey) =>
  key.value.sql === other.value.sql && key.direction !== other.direction;

/** What is computed over the rows of a window, once for each bracket that its frames need. */
export function overWindow(
  node: Call,
  entry: AggregateFunction | WindowFunction,
  environment: Environment,
  { compute, count, countOfMean }: OverWindow,
): SqlExpression {
  environment.shared.job.isRun = true;
  const window = resolveWindow(node.window as WindowSpecification, environment);
  const partition = window.partitionBy.map((key) => expression(key, environment));
  const order = orderKeys(window.orderBy, environment);
  if (order.some((key, index) => order.slice(0, index).some((other) => isTurned(key, other))))
    throw unsupported(node.position, "ORDER BY in OVER", "sorts by one value in two directions, which Hive mixes up");
  const frame = window.frame && { ...window.frame, start: nearest(window.frame.start), end: nearest(window.frame.end) };
  const sorting = windowSorting(partition, order, asksOf(entry, frame, order.length > 0));
  const over = (keys: Fragment | undefined, rows: Fragment | undefined) => {
    const parts: Fragment[] = [];
    if (partition.length > 0) parts.push(sql`PARTITION BY ${join(sorting.partition)}`);
    if (keys) parts.push(sql`ORDER BY ${keys}`);
    if (rows) parts.push(rows);
    return sql` OVER (${join(parts, " ")})`;
  };
  if (isFramed(entry) && window.frame) checkFrame(window.frame, order, node.position);
  if (
    isFramed(entry) &&
    !(frame && (frame.unit === "rows" || isWhole(frame))) &&
    order.some(({ value }) => isVoid(value.type))
  )
    throw semantic(node.position, "ORDER BY in OVER", "sorts by NULL, which has no type to find the frame's rows by");
  if (!isFramed(entry) && window.frame && !isWhole(window.frame))
    throw semantic(
      node.position,
      `function ${node.name}`,
      "takes no frame but UNBOUNDED PRECEDING to UNBOUNDED FOLLOWING: leave it out",
    );
  const [first] = order;
  if (isFramed(entry) && frame?.unit === "range" && first && ("offset" in frame.start || "offset" in frame.end)) {
    const range = rangeFrame(frame, first, environment.shared.settings.nullsLast, node.position);
    return whereCertain(overRange(range, first, entry, over, { compute, ...(count ? { count } : {}) }), sorting);
  }
  const keys = sorting.order;
  const text = isFramed(entry) && frame && (keys || frame.unit === "rows") ? frameText(frame) : undefined;
  const value = whereCertain(compute(over(keys, text)), sorting);
  if (countOfMean && text && frame && slides(frame)) {
    const before = frameText({ ...frame, start: { kind: "unbounded preceding" } });
    return meanOfNulls(value, countOfMean, over(keys, text), over(keys, before));
  }
  const leaves =
    keys && frame?.unit === "range" && frame.start.kind === "current row" && frame.end.kind !== "current row";
  if (!leaves || !text || !count) return value;
  return certain(value, undefined, count, over(keys, text), over(undefined, undefined));
}

/**
 * A sum over a RANGE that rows leave: Hive subtracts them, so that where only NULL is left the sum may be 0.
 * @param upTo the bracket of all rows up to the frame's end.
 */
function certain(
  value: SqlExpression,
  key: Fragment | undefined,
  count: (over: Fragment) => Fragment,
  framed: Fragment,
  upTo: Fragment,
): SqlExpression {
  const known = key ? sql`${key} IS NOT NULL AND ` : "";
  const onlyNulls = sql`${known}${count(framed)} = 0 AND count(*)${framed} > 0 AND ${count(upTo)} > 0`;
  const failure = "error('HiveQL: sum over a RANGE of which NULL alone is left')";
  return typed(sql`CASE WHEN ${onlyNulls} THEN ${failure} ELSE ${value} END`, value.type);
}

/** Whether rows enter and leave a frame of ROWS from one row to the next. */
const slides = ({ unit, start, end }: WindowFrame) =>
  unit === "rows" && start.kind !== "unbounded preceding" && end.kind !== "unbounded following";

/** An average over ROWS of which NULL alone is left: Hive divides what is left of a sum by 0, or not, by how it runs. */
function meanOfNulls(value: SqlExpression, count: Count, framed: Fragment, upTo: Fragment): SqlExpression {
  if (value.type.kind !== "double") return value;
  const onlyNulls = sql`${count(framed)} = 0 AND count(*)${framed} > 0 AND ${count(upTo)} > 0`;
  const failure =
    "error('HiveQL: avg over ROWS of which NULL alone is left, where Hive has NaN or NULL as it runs vectorized or not: divide sum by count, or leave NULLs out before')";
  return typed(sql`CASE WHEN ${onlyNulls} THEN ${failure} ELSE ${value} END`, value.type);
}

/** What a function asks of the order of rows, by its frame. */
function asksOf(entry: AggregateFunction | WindowFunction, frame: WindowFrame | undefined, isSorted: boolean): Asks {
  const { names } = entry;
  if (!isFramed(entry)) {
    if (names.some((name) => /^(?:dense_)?rank$/.test(name))) return "peers";
    return names.some((name) => /^(?:percent_rank|cume_dist)$/.test(name)) ? "shares" : "places";
  }
  if (frame?.unit === "rows") return "places";
  if (!isSorted || (frame && ("offset" in frame.start || "offset" in frame.end))) return "nothing";
  if (frame && isWhole(frame)) return "places";
  return "frames";
}

/** Hive computes these from one frame to the next, and gets them wrong where a frame ends before the last one did. */
const differences: ReadonlySet<string> = new Set(["sum", "avg"]);

/** An offset of 0 is the current row, and with it those of the same key. */
const nearest = (bound: FrameBound): FrameBound =>
  "offset" in bound && Number(bound.offset) === 0 ? { kind: "current row" } : bound;

/** Rows whose key is NULL may have a frame of their own. */
function overRange(
  range: RangeFrame,
  { direction }: OrderKey,
  entry: AggregateFunction | WindowFunction,
  over: (keys: Fragment | undefined, frame: Fragment | undefined) => Fragment,
  { compute, count }: OverWindow,
): SqlExpression {
  const { key, frame, upTo, nullFrame } = range;
  const framed = (text: Fragment) => over(sql`${key} ${direction}`, text);
  const plain = compute(framed(frame));
  const value = count && upTo ? certain(plain, key, count, framed(frame), framed(upTo)) : plain;
  if (!nullFrame) return value;
  if (entry.names.some((name) => differences.has(name)) && range.runsBack) {
    const some = sql`bool_or(${key} IS NULL)${over(undefined, undefined)}`;
    const failure = `error('HiveQL: ${entry.names[0] ?? ""} over a RANGE with NULL keys before others')`;
    return typed(sql`CASE WHEN ${some} THEN ${failure} ELSE ${value} END`, value.type);
  }
  return typed(sql`CASE WHEN ${key} IS NULL THEN ${compute(framed(nullFrame))} ELSE ${value} END`, value.type);
}

/** A window's own parts over those of the one that it names. */
export function resolveWindow(
  window: WindowSpecification,
  environment: Environment,
  seen = new Set<string>(),
): WindowSpecification {
  if (window.base === undefined) return window;
  const base = environment.windows.get(window.base);
  if (!base || seen.has(window.base))
    throw semantic(window.position, `window ${window.base}`, "is not defined in WINDOW");
  seen.add(window.base);
  const { partitionBy, orderBy, frame, position } = resolveWindow(base, environment, seen);
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

const isWhole = ({ start, end }: WindowFrame) =>
  start.kind === "unbounded preceding" && end.kind === "unbounded following";

function checkFrame(frame: WindowFrame, order: readonly OrderKey[], position: Position) {
  for (const bound of [frame.start, frame.end]) {
    if (!("offset" in bound)) continue;
    if (!/^\d{1,9}$/.test(bound.offset))
      throw semantic(position, "window frame", `the offset ${bound.offset} is no whole number`);
    if (frame.unit === "range" && order.length !== 1)
      throw semantic(position, "window frame", "RANGE with an offset needs one ORDER BY key");
  }
  if (placeOf(frame.start) > placeOf(frame.end)) throw semantic(position, "window frame", "begins after it ends");
}

/** Where a bound lies beside the current row; unbounded sides are no beginning or end of the other side. */
function placeOf(bound: FrameBound): number {
  if ("offset" in bound) return Number(bound.offset) * (bound.kind === "preceding" ? -1 : 1);
  if (bound.kind === "current row") return 0;
  return bound.kind === "unbounded preceding" ? -Infinity : Infinity;
}

function frameText({ unit, start, end }: WindowFrame): Fragment {
  return sql`${unit.toUpperCase()} BETWEEN ${boundText(start)} AND ${boundText(end)}`;
}

function boundText(bound: FrameBound): string {
  return "offset" in bound ? `${bound.offset} ${bound.kind.toUpperCase()}` : bound.kind.toUpperCase();
}
