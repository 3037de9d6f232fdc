/** Divisors and comparisons that may be zero. */
import { sql, type Part } from "./fragment";
import type { Typed } from "../tree/nodes";
import { duckType, isApproximate } from "../tree/types";

/** Returns a divisor that is NULL when it is zero, so that the quotient is NULL. */
export const divisor = (value: Typed): Part =>
  isNonZero(value) ? value : sql`CASE ${value} WHEN 0 THEN NULL ELSE ${value} END`;

/** Returns true for a literal other than 0. */
export const isNonZero = ({ constant }: Typed) => typeof constant === "number" && constant !== 0;

/**
 * Returns a value that is compared for equality so that -0.0 equals 0.0. DuckDB asks the Bloom filters of Parquet objects
 * for the bits of a column's value, which differ. It asks none for a sum, and -0.0 leaves every value as it is.
 */
export const comparedWithZero = (value: Typed): Part =>
  isApproximate(value.type) && value.node.kind !== "literal"
    ? sql`(${value} + CAST('-0.0' AS ${duckType(value.type)}))`
    : value;
