/** Sort keys and windows. Their values are `Typed` (nodes.ts), which itself contains windows, so that it is a parameter. */
import type { FrameBound } from "../syntax";

/** A sort key. */
export interface SortKeyOf<Value> {
  readonly value: Value;
  readonly isDescending: boolean;
  readonly nulls: "first" | "last";
  /** The index of the selected column that the SQL sorts by, in a SELECT DISTINCT. */
  readonly position?: number;
}

/** The rows of a partition that a function sees. */
export interface Frame {
  readonly unit: "rows" | "range";
  readonly start: FrameBound;
  readonly end: FrameBound;
}

/** What OVER says. A RANGE frame with an offset has one sort key, a node of the kind `range key`. */
export interface WindowOf<Value> {
  readonly partitionBy: readonly Value[];
  readonly orderBy: readonly SortKeyOf<Value>[];
  readonly frame?: Frame;
}
