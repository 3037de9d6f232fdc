/**
 * −0.0 and 0.0 of doubles and floats. They compare as equal, but as keys of groups and joins and in IN lists Hive 4.0.1
 * treats them as two values with vectorized execution and as one value without it.
 * Example: `SELECT x, count(*) FROM t GROUP BY x` with both zeros answers two groups or one, depending on the mode.
 * The translation adds a check that fails the query when a group, key or list contains both, and rewrites zeros
 * computed from literals to 0.0.
 */
import { readsColumns, relationsOf } from "../tree/facts";
import { join, sql } from "../tree/fragment";
import type { Part, Typed } from "../tree/nodes";
import { same } from "../tree/same";
import { inherit, typed, variable } from "../tree/typed";
import { containsMatch, type ValueTest } from "../emit/nested-values";
import { type HiveType, isApproximate, isNested } from "../tree/types";

/** SQL that fails the query because −0.0 and 0.0 meet. */
export const signedZeroError = (what: string) =>
  `error('HiveQL: -0.0 and 0.0 ${what}: Hive treats them as two values with vectorized execution and as one without; add 0.0D to the value to turn -0.0 into 0.0')`;

/** SQL that tests whether a double or float is −0.0. */
export const isNegativeZero = (value: Part) => sql`(${value} = 0 AND signbit(${value}))`;

/** SQL that tests whether a value is or contains −0.0; undefined when the type has no −0.0. */
const holdsNegativeZero = (value: Typed) =>
  containsMatch(value, value.type, (part, of) =>
    isApproximate(of) ? sql`coalesce(${isNegativeZero(part)}, FALSE)` : undefined,
  );

/** Returns true for double and float, and for types that contain them. */
export const mayHoldSignedZero = (type: HiveType): boolean => holdsNegativeZero(variable("x", type)) !== undefined;

/** Returns SQL that fails the query when an array, map or struct contains −0.0. */
export function failOnNestedNegativeZero(value: Typed, place: string): Typed {
  return isNested(value.type) ? failOnNegativeZero(value, place) : value;
}

/** Replaces −0.0 by 0.0, which is what Hive computes from literals and how DuckDB sorts. */
export function normalizeZero(value: Typed): Typed {
  if (!isApproximate(value.type)) return value;
  return inherit(value, sql`(${value} + CAST(0 AS ${value.type.kind === "float" ? "FLOAT" : "DOUBLE"}))`);
}

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
export const joinKey = (value: Typed): Typed => failOnNestedNull(failOnNegativeZero(value, "in keys of a join"));

function failOnNestedNull(value: Typed): Typed {
  if (!isNested(value.type)) return value;
  const isNull: ValueTest = (part) => (part === value ? undefined : sql`(${part} IS NULL)`);
  const test = containsMatch(value, value.type, isNull);
  const failure =
    "error('HiveQL: NULL in an array or struct used as a join key, where it matches nothing in Hive: compare the members instead')";
  return test
    ? inherit(value, sql`CASE WHEN ${value} IS NOT NULL AND ${test} THEN ${failure} ELSE ${value} END`)
    : value;
}

/** Returns SQL that fails the query when a value is or contains −0.0. */
export function failOnNegativeZero(value: Typed, place: string): Typed {
  const test = holdsNegativeZero(value);
  if (!test) return value;
  return inherit(value, sql`CASE WHEN ${test} THEN ${signedZeroError(place)} ELSE ${value} END`);
}

/** A HAVING condition that fails the query when a group contains both zeros; undefined when no key can. */
export function oneZeroPerGroup(keys: readonly Typed[]): Part | undefined {
  const mixed = keys.filter((key) => key.constant === undefined).flatMap(bothZerosInGroup);
  if (mixed.length === 0) return undefined;
  return sql`CASE WHEN ${join(mixed, " OR ")} THEN ${signedZeroError("in one group")} ELSE TRUE END`;
}

/** SQL that tests whether equal keys of one group differ in the sign of a zero; empty when they cannot. */
function bothZerosInGroup(key: Typed): readonly Part[] {
  if (isApproximate(key.type))
    return [sql`(${key} = 0 AND bool_or(signbit(${key})) AND NOT bool_and(signbit(${key})))`];
  const test = holdsNegativeZero(key);
  if (!test) return [];
  const text = sql`CASE WHEN ${test} THEN CAST(${key} AS VARCHAR) ELSE '' END`;
  return [sql`(min(${text}) <> max(${text}))`];
}

/** Returns a DISTINCT aggregate that fails for both zeros among its values, and for −0.0 in an array or struct. */
export function failOnMixedZeros(aggregate: Part, values: readonly Typed[], over: Part): Part {
  const mixed = values.flatMap((value) => {
    const test = holdsNegativeZero(value);
    if (!test) return [];
    const others = isApproximate(value.type) ? sql` AND bool_or(${value} = 0 AND NOT signbit(${value}))${over}` : sql``;
    return [sql`(bool_or(${test})${over}${others})`];
  });
  if (mixed.length === 0) return aggregate;
  return sql`CASE WHEN ${join(mixed, " OR ")} THEN ${signedZeroError("as values of DISTINCT")} ELSE ${aggregate} END`;
}

/** Returns an aggregate of distinct rows that fails for several NaN in one column: Hive counts each NaN separately. */
export function failOnSeveralNaNs(aggregate: Part, values: readonly Typed[], over: Part): Part {
  const several = values
    .filter(({ type, constant }) => isApproximate(type) && constant === undefined)
    .map((value) => sql`count(CASE WHEN isnan(${value}) THEN 1 END)${over} > 1`);
  if (several.length === 0) return aggregate;
  const failure =
    "error('HiveQL: count(DISTINCT) of several columns with several NaN values, which Hive counts as different: filter NaN out')";
  return sql`CASE WHEN ${join(several, " OR ")} THEN ${failure} ELSE ${aggregate} END`;
}

/** Makes a condition false for −0.0. */
export const exceptNegativeZero = (condition: Typed, value: Typed): Typed =>
  typed(sql`(CASE WHEN ${isNegativeZero(value)} THEN FALSE ELSE ${condition} END)`, condition.type);

/** Adapts the operands of OR: Hive turns equalities with several literals into IN, which does not match −0.0. */
export function zeroTestsInOr(operands: readonly Typed[]): readonly Typed[] {
  return operands.map((operand) => {
    const { zeroTest } = operand;
    if (!zeroTest?.matchesNegativeZero || !zeroTest.literals.includes(0)) return operand;
    const literals = operands
      .flatMap((other) =>
        other.zeroTest && same(other.zeroTest.value, zeroTest.value) ? [other.zeroTest.literals] : [],
      )
      .flat();
    return new Set(literals).size > 1 ? exceptNegativeZero(operand, zeroTest.value) : operand;
  });
}

/** Adapts IN: a list of several different literals that includes 0 does not match −0.0. */
export function zeroTestInList(condition: Typed, value: Typed, items: readonly Typed[]): Typed {
  if (!isApproximate(value.type)) return condition;
  const literals = items.flatMap(({ constant }) => (typeof constant === "number" ? [constant] : []));
  const excludesNegativeZero = new Set(literals).size > 1 && literals.includes(0);
  const others = items.filter(({ constant }) => constant !== 0);
  const hasNull = others.some(({ constant }) => constant === null);
  if (!excludesNegativeZero)
    return literals.length === items.length
      ? { ...condition, zeroTest: { value, literals, matchesNegativeZero: true } }
      : condition;
  if (items.some(({ constant }) => constant === undefined))
    return typed(
      sql`(CASE WHEN ${isNegativeZero(value)} THEN ${signedZeroError("in a comparison with an IN list")} ELSE ${condition} END)`,
      condition.type,
    );
  const found = hasNull
    ? typed(sql`(CASE WHEN ${isNegativeZero(value)} THEN NULL ELSE ${condition} END)`, condition.type)
    : exceptNegativeZero(condition, value);
  return { ...found, zeroTest: { value, literals, matchesNegativeZero: false } };
}
