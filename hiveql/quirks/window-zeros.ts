/**
 * −0.0 beside 0.0 in windows, and NaN in their frames. Hive sorts rows by PARTITION BY and ORDER BY together, −0.0 before
 * 0.0, and then takes rows of equal keys for one partition. Of two rows beside each other that differ in their zeros alone,
 * it takes the second for a peer of the first where it does not run vectorized.
 */
import { type Fragment, join, raw, sql, type SqlExpression } from "../emit/fragment";
import { bothZeros, type OrderKey, orderOfValues } from "../emit/order";
import { isApproximate } from "../bind/types";
import { isNegativeZero, refusal, withoutNestedZero, withOneZero } from "./zeros";

/** What a function asks of the order of its window's rows. */
export type Asks =
  /** Which row stands before which. */
  | "places"
  /** Which rows are equal in ORDER BY, too. */
  | "peers"
  /** The same for a frame, of which NaN is or is not a part. */
  | "frames"
  /** Which part of the rows is less: Hive tells by values in either mode. */
  | "shares"
  | "nothing";

/** The sorting of a window. */
export interface Sorting {
  readonly partition: readonly Fragment[];
  /** After ORDER BY; absent where the window is not sorted. */
  readonly order?: Fragment;
  /** `WHEN … THEN …` that fails for rows where Hive's modes disagree, or its answer is by chance. */
  readonly failures: readonly Fragment[];
}

/** How rows stand in a window. */
export function windowSorting(keys: readonly SqlExpression[], order: readonly OrderKey[], asks: Asks): Sorting {
  const partition = keys.map((key) => withOneZero(withoutNestedZero(key, "in PARTITION BY")));
  const by = partition.length > 0 ? sql`PARTITION BY ${join(partition)}` : raw("");
  const zeros = keys.filter(isReal);
  const isByValue = asks === "nothing" || (asks === "shares" && endsInZeros(order));
  const sorted = isByValue ? orderOfValues(order) : join([...zeros.map(negativesFirst), ...bothZeros(order)]);
  const tests: Fragment[] = [];
  if (keys.slice(0, -1).some(isReal) || asks === "shares") tests.push(...zeros.map((key) => meet(key, by)));
  const over = sql` OVER (${by} ORDER BY ${sorted})`;
  if (asks !== "places" && !isByValue && order.length > 0) tests.push(...straddle(zeros, order, over));
  return {
    partition,
    ...(sorted.sql === "" ? {} : { order: sorted }),
    failures: [
      ...tests.map((test) => sql` WHEN ${test} THEN ${refusal("in keys of OVER")}`),
      ...(asks === "frames" ? ofNaN(order) : []),
    ],
  };
}

/** Fails where Hive's modes disagree. */
export const whereCertain = (value: SqlExpression, { failures }: Sorting): SqlExpression =>
  failures.length > 0 ? { ...value, ...sql`CASE${join(failures, "")} ELSE ${value} END` } : value;

const isReal = ({ type, constant }: SqlExpression) => isApproximate(type) && constant === undefined;

const negativesFirst = (key: SqlExpression) => sql`${isNegativeZero(key)} DESC`;

/** Whether the last key alone may be a zero, so that equal rows stand beside each other in any case. */
const endsInZeros = (order: readonly OrderKey[]) => !order.slice(0, -1).some(({ value }) => isReal(value));

/** 1 for −0.0 and 2 for 0.0. */
const zeroKind = (value: Fragment) =>
  sql`CASE WHEN ${value} = 0 THEN CASE WHEN signbit(${value}) THEN 1 ELSE 2 END END`;

/** Whether both zeros are among the values of a partition. */
const meet = (value: Fragment, by: Fragment) => sql`coalesce(bit_or(${zeroKind(value)}) OVER (${by}), 0) = 3`;

/** Fails for NaN, which is in its own frame or not, as Hive runs vectorized or not. */
const ofNaN = (order: readonly OrderKey[]): readonly Fragment[] =>
  order
    .filter(({ value }) => isReal(value))
    .map(
      ({ value }) =>
        sql` WHEN isnan(${value}) THEN error('HiveQL: NaN in ORDER BY of a frame, which Hive counts into the frame or not as it runs vectorized or not: leave it out')`,
    );

/** Whether a row and the one before it are equal but for a zero. */
function straddle(keys: readonly SqlExpression[], order: readonly OrderKey[], over: Fragment): readonly Fragment[] {
  const values = order.map(({ value }) => value).filter(({ constant }) => constant === undefined);
  const equal = values.map((value) => sql` AND lag(${value})${over} IS NOT DISTINCT FROM ${value}`);
  return [...keys, ...values.filter(isReal)].map(
    (value) => sql`coalesce(${zeroKind(value)} + lag(${zeroKind(value)})${over} = 3, FALSE)${join(equal, "")}`,
  );
}
