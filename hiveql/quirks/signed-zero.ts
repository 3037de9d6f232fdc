/** −0.0 and 0.0 of doubles and floats. */
import { isNegativeZero, normalizeZero } from "../emit/zeros";
import { containsMatch, type ValueTest } from "../emit/nested-values";
import { readsColumns, relationsOf } from "../tree/facts";
import { sql } from "../tree/fragment";
import type { Typed } from "../tree/nodes";
import { inherit } from "../tree/typed";
import { type HiveType, isApproximate, isNested } from "../tree/types";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "signed-zero",
  hive: "4.0.1",
  title: "−0.0 and 0.0 of doubles and floats",
  why: "They compare as equal, but as keys of groups, joins and windows and in IN lists Hive 4.0.1 treats them as two values with vectorized execution and as one value without it.",
  example: "`SELECT x, count(*) FROM t GROUP BY x` with both zeros answers two groups or one, depending on the mode.",
  refuses:
    "The translation fails the query for −0.0 in a key or compared with a list, and rewrites zeros computed from literals to 0.0, as Hive's constant folding does.",
};

const failure =
  "error('HiveQL: -0.0 is a key or is compared with a list, where Hive treats it and 0.0 as two values with vectorized execution and as one without: add 0.0D to the value to turn -0.0 into 0.0')";

/** Returns a key of groups, joins, windows or set operators that fails the query when it is or contains −0.0. */
export function keyWithoutNegativeZero(value: Typed): Typed {
  if (value.constant !== undefined) return value;
  const test = containsMatch(value, value.type, (part, type) =>
    isApproximate(type) ? sql`coalesce(${isNegativeZero(part)}, FALSE)` : undefined,
  );
  return test ? inherit(value, sql`CASE WHEN ${test} THEN ${failure} ELSE ${value} END`) : value;
}

/** Returns a condition that compares a value with a list of literals, and fails the query when the value is −0.0. */
export const conditionWithoutNegativeZero = (condition: Typed, value: Typed): Typed =>
  inherit(condition, sql`(CASE WHEN ${isNegativeZero(value)} THEN ${failure} ELSE ${condition} END)`);

/** Returns true when Hive compares a double or float with a list of literals in which −0.0 and 0.0 may differ. */
export const mixesZeros = ({ type }: Typed, literals: readonly Typed[]): boolean =>
  isApproximate(type) &&
  literals.some(({ constant }) => constant === 0) &&
  literals.some(({ constant }) => constant !== 0);

/** Replaces −0.0 by 0.0 in values computed from literals: Hive's constant folding has no −0.0. */
export const normalizeFoldedZero = (value: Typed): Typed =>
  isApproximate(value.type) && value.constant === undefined && !readsColumns(value) ? normalizeZero(value) : value;

/**
 * Returns both sides of an equality. When they are join keys, they fail for −0.0, and for NULL in arrays and structs,
 * which matches nothing in a join.
 */
export function joinKeys(left: Typed, right: Typed): readonly [Typed, Typed] {
  const mayFail = (types: readonly HiveType[]) => types.every(isApproximate) || types.every(isNested);
  if (!mayFail([left.type, right.type])) return [left, right];
  const [first, second] = [relationsOf(left), relationsOf(right)];
  if (first.length === 0 || second.length === 0 || first.some((name) => second.includes(name))) return [left, right];
  return [joinKey(left), joinKey(right)];
}

/** Returns a join key that fails the query for values that Hive compares differently in joins. */
export const joinKey = (value: Typed): Typed => failOnNestedNull(keyWithoutNegativeZero(value));

function failOnNestedNull(value: Typed): Typed {
  if (!isNested(value.type)) return value;
  const isNull: ValueTest = (part) => (part === value ? undefined : sql`(${part} IS NULL)`);
  const test = containsMatch(value, value.type, isNull);
  const nullFailure =
    "error('HiveQL: NULL in an array or struct used as a join key, where it matches nothing in Hive: compare the members instead')";
  return test
    ? inherit(value, sql`CASE WHEN ${value} IS NOT NULL AND ${test} THEN ${nullFailure} ELSE ${value} END`)
    : value;
}
