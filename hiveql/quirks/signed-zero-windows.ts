/**
 * −0.0 and 0.0 in windows, and NaN in frames. Hive 4.0.1 sorts rows by PARTITION BY and ORDER BY together, −0.0 before
 * 0.0. Two adjacent rows that differ only in the sign of a zero are peers without vectorized execution, and are not
 * peers with it.
 * Example: `rank() OVER (ORDER BY x)` of −0.0 and 0.0 answers 1 and 1, or 1 and 2.
 * The translation sorts in the same way and fails the query for rows where the two modes give different answers.
 */
import { join, raw, sql } from "../tree/fragment";
import type { Part, SortKey, Typed } from "../tree/nodes";
import { sortKeysByZeroSign, orderIgnoringZeroSign } from "../emit/order";
import { inherit } from "../tree/typed";
import { isApproximate } from "../tree/types";
import { isNegativeZero, signedZeroError, failOnNestedNegativeZero, normalizeZero } from "./signed-zero";

/** The dependence of a window function on the order of rows. */
export type OrderSensitivity =
  /** It depends on the position of each row, as row_number does. */
  | "places"
  /** It depends on which rows are peers too, as rank does. */
  | "peers"
  /** It depends on a RANGE frame, which contains NaN or not. */
  | "frames"
  /** It depends on the share of smaller rows, which Hive computes by value in either mode. */
  | "shares"
  | "nothing";

/** The PARTITION BY and ORDER BY of a window. */
export interface WindowSorting {
  readonly partition: readonly Part[];
  /** The list after ORDER BY; absent when the window is not sorted. */
  readonly order?: Part;
  /** `WHEN … THEN …` branches that fail for rows where Hive's modes disagree or its answer is arbitrary. */
  readonly failures: readonly Part[];
}

/** Builds the PARTITION BY and ORDER BY of a window. */
export function windowSorting(
  keys: readonly Typed[],
  order: readonly SortKey[],
  sensitivity: OrderSensitivity,
): WindowSorting {
  const partition = keys.map((key) => normalizeZero(failOnNestedNegativeZero(key, "in PARTITION BY")));
  const by = partition.length > 0 ? sql`PARTITION BY ${join(partition)}` : raw("");
  const zeros = keys.filter(isFloatingColumn);
  const isByValue = sensitivity === "nothing" || (sensitivity === "shares" && endsInZeros(order));
  const sorted = isByValue
    ? orderIgnoringZeroSign(order)
    : join([...zeros.map(negativesFirst), ...sortKeysByZeroSign(order)]);
  const tests: Part[] = [];
  if (keys.slice(0, -1).some(isFloatingColumn) || sensitivity === "shares")
    tests.push(...zeros.map((key) => hasBothZeros(key, by)));
  const over = sql` OVER (${by} ORDER BY ${sorted})`;
  if (sensitivity !== "places" && !isByValue && order.length > 0) tests.push(...zeroBoundaryTests(zeros, order, over));
  return {
    partition,
    ...(order.length === 0 && (isByValue || zeros.length === 0) ? {} : { order: sorted }),
    failures: [
      ...tests.map((test) => sql` WHEN ${test} THEN ${signedZeroError("in PARTITION BY or ORDER BY of OVER")}`),
      ...(sensitivity === "frames" ? nanBranches(order) : []),
    ],
  };
}

/** Adds the failing branches to a value. */
export const failWhenUncertain = (value: Typed, { failures }: WindowSorting): Typed =>
  failures.length > 0 ? inherit(value, sql`CASE${join(failures, "")} ELSE ${value} END`) : value;

const isFloatingColumn = ({ type, constant }: Typed) => isApproximate(type) && constant === undefined;

const negativesFirst = (key: Typed) => sql`${isNegativeZero(key)} DESC`;

/** Returns true when only the last key can be a zero, so that equal rows are adjacent in either mode. */
const endsInZeros = (order: readonly SortKey[]) => !order.slice(0, -1).some(({ value }) => isFloatingColumn(value));

/** SQL that is 1 for −0.0, 2 for 0.0 and NULL otherwise. */
const zeroKind = (value: Part) => sql`CASE WHEN ${value} = 0 THEN CASE WHEN signbit(${value}) THEN 1 ELSE 2 END END`;

/** SQL that tests whether a partition contains both zeros. */
const hasBothZeros = (value: Part, by: Part) => sql`coalesce(bit_or(${zeroKind(value)}) OVER (${by}), 0) = 3`;

/** Branches that fail for NaN, which is part of its own frame in one mode only. */
const nanBranches = (order: readonly SortKey[]): readonly Part[] =>
  order
    .filter(({ value }) => isFloatingColumn(value))
    .map(
      ({ value }) =>
        sql` WHEN isnan(${value}) THEN error('HiveQL: NaN in ORDER BY of a window frame, where Hive gives different results with and without vectorized execution: filter NaN out')`,
    );

/** SQL tests for a row that differs from the previous row only in the sign of a zero. */
function zeroBoundaryTests(keys: readonly Typed[], order: readonly SortKey[], over: Part): readonly Part[] {
  const values = order.map(({ value }) => value).filter(({ constant }) => constant === undefined);
  const equal = values.map((value) => sql` AND lag(${value})${over} IS NOT DISTINCT FROM ${value}`);
  return [...keys, ...values.filter(isFloatingColumn)].map(
    (value) => sql`coalesce(${zeroKind(value)} + lag(${zeroKind(value)})${over} = 3, FALSE)${join(equal, "")}`,
  );
}
