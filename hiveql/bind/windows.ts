/** OVER: partitions, order and frames, with Hive's defaults. */
import { type Call, type FrameBound, type Position, semantic, type WindowSpecification } from "../syntax";
import { expression, type Scope } from "./scope";
import type { SortKey, Typed, Window } from "../tree/nodes";
import type { Frame } from "../tree/windows";
import type { AggregateFunction, WindowFunction } from "../functions/define";
import { orderKeys } from "./order";
import { rangeKey } from "./range-frames";
import { isVoid } from "../tree/types";

type Entry = AggregateFunction | WindowFunction;

/** Returns the window of a function; `compute` binds the function over it. */
export function overWindow(node: Call, entry: Entry, scope: Scope, compute: (window: Window) => Typed): Typed {
  const written = resolveWindow(node.window as WindowSpecification, scope);
  const partitionBy = written.partitionBy.map((key) => expression(key, scope));
  const orderBy = orderKeys(written.orderBy, scope);
  checkWindow(node, entry, written.frame, orderBy);
  const frame = isFramed(entry) ? written.frame && withCurrentRow(written.frame) : undefined;
  const [first] = orderBy;
  if (frame?.unit === "range" && first && ("offset" in frame.start || "offset" in frame.end))
    return compute({
      partitionBy,
      orderBy: [rangeKey(first, frame, scope.context.settings.nullsLast, node.position)],
      frame,
    });
  const isPlain = !frame || (orderBy.length === 0 && frame.unit === "range");
  return compute({ partitionBy, orderBy, ...(isPlain ? {} : { frame }) });
}

/** Replaces offsets of 0 by CURRENT ROW, which for RANGE includes the rows with the same key. */
function withCurrentRow({ unit, start, end }: Frame): Frame {
  const bound = (each: FrameBound): FrameBound =>
    "offset" in each && Number(each.offset) === 0 ? { kind: "current row" } : each;
  return { unit, start: bound(start), end: bound(end) };
}

/** @throws HiveQLError for windows that Hive refuses or confuses. */
function checkWindow(node: Call, entry: Entry, frame: Frame | undefined, order: readonly SortKey[]) {
  if (isFramed(entry) && frame) checkFrame(frame, order, node.position);
  const computesRange = isFramed(entry) && !(frame && (frame.unit === "rows" || coversPartition(frame)));
  if (computesRange && order.some(({ value }) => isVoid(value.type)))
    throw semantic(
      node.position,
      "ORDER BY in OVER",
      "sorts by an untyped NULL, so that the frame cannot be computed: remove the key or cast NULL to a type",
    );
  if (!isFramed(entry) && frame && !coversPartition(frame))
    throw semantic(
      node.position,
      `function ${node.name}`,
      "does not support a frame other than UNBOUNDED PRECEDING to UNBOUNDED FOLLOWING: remove the frame",
    );
}

/** Returns a window with the clauses that it inherits from the named window it extends. */
function resolveWindow(window: WindowSpecification, scope: Scope, seen = new Set<string>()): WindowSpecification {
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

const isFramed = (entry: Entry) => entry.kind === "aggregate" || entry.framed === true;

const coversPartition = ({ start, end }: Frame) =>
  start.kind === "unbounded preceding" && end.kind === "unbounded following";

function checkFrame(frame: Frame, order: readonly SortKey[], position: Position) {
  for (const bound of [frame.start, frame.end]) {
    if (!("offset" in bound)) continue;
    if (!/^\d{1,9}$/.test(bound.offset))
      throw semantic(
        position,
        "window frame",
        `has the offset ${bound.offset}, which is not an integer of at most 9 digits: multiply the key and the offset`,
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
