/** OVER: partitions, order and frames as Hive has them where they are not written. */
import {
  type Call,
  type FrameBound,
  type Position,
  semantic,
  unsupported,
  type WindowSpecification,
} from "../../../../provider/hiveql";
import type { Environment } from "./environment";
import { expression } from "./expression";
import { type Fragment, join, sql } from "./fragment";
import type { AggregateFunction, WindowFunction } from "./functions/define";
import { orderKeys, type OrderKey, orderList } from "./order";
import { isDateOrTime, isNumber } from "./types";

/** The bracket after OVER. */
export function windowClause(
  node: Call,
  entry: AggregateFunction | WindowFunction,
  environment: Environment,
): Fragment {
  const window = resolve(node.window as WindowSpecification, environment, new Set());
  const partition = window.partitionBy.map((key) => expression(key, environment));
  const order = orderKeys(window.orderBy, environment);
  const parts: Fragment[] = [];
  if (partition.length > 0) parts.push(sql`PARTITION BY ${join(partition)}`);
  if (order.length > 0) parts.push(sql`ORDER BY ${orderList(order)}`);
  const frame = frameOf(window, entry, order, node.position);
  if (frame) parts.push(frame);
  return sql`(${join(parts, " ")})`;
}

/** A window's own parts over those of the one that it names. */
function resolve(window: WindowSpecification, environment: Environment, seen: Set<string>): WindowSpecification {
  if (window.base === undefined) return window;
  const base = environment.windows.get(window.base);
  if (!base || seen.has(window.base))
    throw semantic(window.position, `window ${window.base}`, "is not defined in WINDOW");
  seen.add(window.base);
  const { partitionBy, orderBy, frame, position } = resolve(base, environment, seen);
  const inherited = window.frame ?? frame;
  return {
    position,
    partitionBy: window.partitionBy.length > 0 ? window.partitionBy : partitionBy,
    orderBy: window.orderBy.length > 0 ? window.orderBy : orderBy,
    ...(inherited ? { frame: inherited } : {}),
  };
}

function frameOf(
  { frame }: WindowSpecification,
  entry: AggregateFunction | WindowFunction,
  order: readonly OrderKey[],
  position: Position,
): Fragment | undefined {
  const framed = entry.kind === "aggregate" || entry.framed === true;
  if (!framed || !frame) return undefined;
  for (const bound of [frame.start, frame.end]) checkBound(bound, frame.unit, order, position);
  if (frame.start.kind === "unbounded following" || frame.end.kind === "unbounded preceding") {
    throw semantic(position, "window frame", "begins after it ends");
  }
  if (frame.unit === "range") checkRange(frame, position);
  if (order.length === 0 && frame.unit === "range") return undefined;
  return sql`${frame.unit.toUpperCase()} BETWEEN ${boundText(frame.start)} AND ${boundText(frame.end)}`;
}

function checkBound(bound: FrameBound, unit: "rows" | "range", order: readonly OrderKey[], position: Position) {
  if (!("offset" in bound)) return;
  if (!/^\d{1,9}$/.test(bound.offset))
    throw semantic(position, "window frame", `the offset ${bound.offset} is no whole number`);
  if (unit === "rows") return;
  const [key] = order;
  if (order.length !== 1 || !key)
    throw semantic(position, "window frame", "RANGE with an offset needs one ORDER BY key");
  if (isDateOrTime(key.value.type)) throw unsupported(position, "RANGE with an offset over dates");
  if (!isNumber(key.value.type))
    throw semantic(position, "window frame", "RANGE with an offset needs a number to order by");
}

/** Hive reads a RANGE that leaves the current row out in a way of its own where values are NULL or just on its edge. */
function checkRange({ start, end }: NonNullable<WindowSpecification["frame"]>, position: Position) {
  const leavesOut = start.kind === "following" || end.kind === "preceding";
  if (leavesOut) throw unsupported(position, "RANGE that leaves the current row out");
}

function boundText(bound: FrameBound): string {
  return "offset" in bound ? `${bound.offset} ${bound.kind.toUpperCase()}` : bound.kind.toUpperCase();
}
