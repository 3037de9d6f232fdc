/** NaN of doubles and floats as a key. */
import { sql } from "../tree/fragment";
import type { Typed } from "../tree/nodes";
import { inherit } from "../tree/typed";
import { isApproximate } from "../tree/types";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "nan-keys",
  hive: "4.0.1",
  title: "NaN of doubles and floats as a key",
  why: "Hive 4.0.1 gives rows whose sort key is NaN a RANGE frame of their own with vectorized execution only, and counts each NaN among several DISTINCT columns as another value.",
  example: "`count(DISTINCT x, 1)` of two NaN answers 2, and `count(DISTINCT x)` answers 1.",
  refuses: "The translation fails the query for NaN in these places.",
};

const failure =
  "error('HiveQL: NaN in ORDER BY of a window frame or in count(DISTINCT) of several columns, where Hive gives different results with and without vectorized execution: filter NaN out')";

/** Returns a key that fails the query for NaN. */
export const keyWithoutNaN = (value: Typed): Typed =>
  isApproximate(value.type) && value.constant === undefined
    ? inherit(value, sql`CASE WHEN isnan(${value}) THEN ${failure} ELSE ${value} END`)
    : value;
