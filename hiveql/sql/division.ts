/** Divisors. */
import { sql, type Part } from "./fragment";
import type { Typed } from "../tree/nodes";

/** Returns a divisor that is NULL when it is zero, so that the quotient is NULL. */
export const divisor = (value: Typed): Part =>
  isNonZero(value) ? value : sql`CASE ${value} WHEN 0 THEN NULL ELSE ${value} END`;

/** Returns true for a literal other than 0. */
export const isNonZero = ({ constant }: Typed) => typeof constant === "number" && constant !== 0;
