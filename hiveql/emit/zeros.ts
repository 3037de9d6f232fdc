/** SQL of −0.0 and 0.0. */
import { sql } from "../tree/fragment";
import type { Part, Typed } from "../tree/nodes";
import { inherit } from "../tree/typed";
import { isApproximate } from "../tree/types";

/** SQL that tests whether a double or float is −0.0. */
export const isNegativeZero = (value: Part) => sql`(${value} = 0 AND signbit(${value}))`;

/** Replaces −0.0 by 0.0 in a double or float. */
export function normalizeZero(value: Typed): Typed {
  if (!isApproximate(value.type)) return value;
  return inherit(value, sql`(${value} + CAST(0 AS ${value.type.kind === "float" ? "FLOAT" : "DOUBLE"}))`);
}
