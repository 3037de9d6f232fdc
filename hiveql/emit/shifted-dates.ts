/** Dates that are computed by adding days. */
import { readsColumns } from "../tree/facts";
import { macro } from "../tree/fragment";
import type { Fragment, Typed } from "../tree/nodes";

/** Checks the result of operands without columns, in which Hive 4.0.1 drops the first digit of years after 10000. */
export const shiftedByDays = (result: Fragment, ...operands: readonly Typed[]): Fragment =>
  operands.some(readsColumns) ? result : macro("hive_near_date", result);
