/** OVER: partitions, order and frames, with Hive's defaults. */
import { type Call, type FrameBound, type Position, semantic, type WindowSpecification } from "../syntax";
import { meanOfNulls, nullKeys, sumOfNulls } from "../quirks/sliding-frames";
import { expression, type Scope } from "./scope";
import type { Node, SortKey, Typed, Window } from "../tree/nodes";
import type { Frame } from "../tree/windows";
import type { AggregateFunction, WindowFunction } from "../functions/define";
import { orderKeys } from "./order";
import { hasOddNullFrames, rangeKey } from "./range-frames";
import { keyWithoutNegativeZero } from "../quirks/signed-zero";
import { keyWithoutNaN } from "../quirks/nan-keys";
import { isVoid } from "../tree/types";

type Entry = AggregateFunction | WindowFunction;

/** The computation of a function over a window. */
interface OverWindow {
  readonly compute: (window: Window) => Typed;
  /** The argument of a function that Hive updates from one frame to the next; undefined for other functions. */
  readonly updated?: Typed | undefined;
}

/** Binds a function over a window. It is computed once for each OVER clause that the frames of its rows need. */
export function overWindow(node: Call, entry: Entry, scope: Scope, { compute, updated }: OverWindow): Typed {
  const written = resolveWindow(node.window as WindowSpecification, scope);
  const partitionBy = written.partitionBy.map((key) => keyWithoutNegativeZero(expression(key, scope)));
  const order = orderKeys(written.orderBy, scope);
  checkWindow(node, entry, written.frame, order);
  const frame = isFramed(entry) ? written.frame && withCurrentRow(written.frame) : undefined;
  const [first] = order;
  if (frame?.unit === "range" && first && ("offset" in frame.start || "offset" in frame.end)) {
    const { nullsLast } = scope.context.settings;
    return overRange(node, entry, { partitionBy, orderBy: [first], frame }, nullsLast, { compute, updated });
  }
  const hasRange = isFramed(entry) && frame?.unit !== "rows" && !(frame && coversPartition(frame));
  const orderBy = order.map((key) => {
    const value = keyWithoutNegativeZero(key.value);
    return { ...key, value: hasRange ? keyWithoutNaN(value) : value };
  });
  if (!frame || (orderBy.length === 0 && frame.unit === "range")) return compute({ partitionBy, orderBy });
  const window = { partitionBy, orderBy, frame };
  const value = compute(window);
  if (!updated || entry.kind !== "aggregate") return value;
  if (entry.isUpdatedOver === "rows") {
    if (!isSliding(frame) || value.type.kind !== "double") return value;
    return checked(value, { kind: "only nulls", counted: updated, window, before: upToEnd(window) }, meanOfNulls);
  }
  const leaves = frame.unit === "range" && frame.start.kind === "current row" && frame.end.kind !== "current row";
  if (!leaves) return value;
  return checked(
    value,
    { kind: "only nulls", counted: updated, window, before: { partitionBy, orderBy: [] } },
    sumOfNulls,
  );
}

/** Binds a function over a RANGE frame with offsets. */
function overRange(
  node: Call,
  entry: Entry,
  {
    partitionBy,
    orderBy: [first],
    frame,
  }: { readonly partitionBy: readonly Typed[]; readonly orderBy: readonly [SortKey]; readonly frame: Frame },
  nullsLast: boolean,
  { compute, updated }: OverWindow,
): Typed {
  const sortKey = rangeKey(first, frame, node.position);
  const key = sortKey.value;
  const window = { partitionBy, orderBy: [sortKey], frame };
  const plain = compute(window);
  const isChecked = updated && entry.kind === "aggregate" && entry.isUpdatedOver === "range";
  const value =
    isChecked && frame.start.kind !== "unbounded preceding"
      ? checked(plain, { kind: "only nulls", counted: updated, window, before: upToEnd(window), key }, sumOfNulls)
      : plain;
  if (!hasOddNullFrames(frame, first, nullsLast, node.position)) return value;
  const whole = { partitionBy, orderBy: [] };
  return checked(value, { kind: "null keys", key, window: whole }, nullKeys(entry.names[0] ?? ""));
}

type Check = Extract<Node, { kind: "checked window" }>["check"];

const checked = (value: Typed, check: Check, failure: string): Typed => ({
  node: { kind: "checked window", value, check, failure },
  type: value.type,
});

/** Returns a window whose frames have all rows up to the end of the given one's. */
const upToEnd = (window: Window & { readonly frame: Frame }): Window => ({
  ...window,
  frame: { ...window.frame, start: { kind: "unbounded preceding" } },
});

/** Returns true for a ROWS frame in which both bounds move from row to row. */
const isSliding = ({ unit, start, end }: Frame) =>
  unit === "rows" && start.kind !== "unbounded preceding" && end.kind !== "unbounded following";

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
