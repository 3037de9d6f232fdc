/**
 * The two zeros of doubles and floats. They are equal, but as keys of groups and joins, and in lists of IN, Hive takes
 * them for two where it runs vectorized, and for one where it does not.
 */
import { type Fragment, join, readsColumns, relationsOf, sql, typed, type SqlExpression } from "../emit/fragment";
import { holdsSome, type Test } from "../emit/nested-values";
import { type HiveType, isApproximate, isNested } from "../bind/types";

/** SQL that fails the query. */
export const refusal = (what: string) =>
  `error('HiveQL: -0.0 and 0.0 ${what}, where Hive takes them for two values or one as it runs vectorized or not: add 0.0D to make them one')`;

/** Whether a double or float is −0.0. */
export const isNegativeZero = (value: Fragment) => sql`(${value} = 0 AND signbit(${value}))`;

/** Whether −0.0 is a value, or stands in an array, map or struct; undefined where the type has none. */
const holdsNegativeZero = ({ type, ...value }: SqlExpression) =>
  holdsSome(value, type, (part, of) => (isApproximate(of) ? sql`coalesce(${isNegativeZero(part)}, FALSE)` : undefined));

/** Whether values of a type are doubles or floats, or hold them. */
export const mayHoldZeros = (type: HiveType): boolean => holdsNegativeZero({ ...sql`x`, type }) !== undefined;

/** A value that fails the query where it is an array, map or struct that holds −0.0. */
export function withoutNestedZero(value: SqlExpression, place: string): SqlExpression {
  return isNested(value.type) ? withoutNegativeZero(value, place) : value;
}

/** A value with 0.0 in the place of −0.0, as Hive has what it computes from literals alone, and as DuckDB sorts it. */
export function withOneZero(value: SqlExpression): SqlExpression {
  if (!isApproximate(value.type)) return value;
  return { ...value, ...sql`(${value} + CAST(0 AS ${value.type.kind === "float" ? "FLOAT" : "DOUBLE"}))` };
}

/** What is computed from literals alone: Hive's folding knows 0.0 only. */
export const folded = (value: SqlExpression): SqlExpression =>
  isApproximate(value.type) && value.constant === undefined && !readsColumns(value) ? withOneZero(value) : value;

/**
 * Both sides of an equality where they are keys of a join: these fail for −0.0, and for NULL in arrays and structs, which
 * equals nothing there.
 */
export function joinKeys(left: SqlExpression, right: SqlExpression): readonly [SqlExpression, SqlExpression] {
  const mayFail = (types: readonly HiveType[]) => types.every(isApproximate) || types.every(isNested);
  if (!mayFail([left.type, right.type])) return [left, right];
  const [first, second] = [relationsOf(left), relationsOf(right)];
  if (first.length === 0 || second.length === 0 || first.some((name) => second.includes(name))) return [left, right];
  return [joinKey(left), joinKey(right)];
}

/** A key that rows are joined by, failing for what Hive compares there otherwise than elsewhere. */
export const joinKey = (value: SqlExpression): SqlExpression => withoutNestedNull(withoutNegativeZero(value, "in keys of a join"));

function withoutNestedNull(value: SqlExpression): SqlExpression {
  if (!isNested(value.type)) return value;
  const isNull: Test = (part) => (part === value ? undefined : sql`(${part} IS NULL)`);
  const test = holdsSome(value, value.type, isNull);
  const failure =
    "error('HiveQL: NULL in an array or struct that rows are joined by, which equals nothing there: compare its members')";
  return test
    ? { ...value, ...sql`CASE WHEN ${value} IS NOT NULL AND ${test} THEN ${failure} ELSE ${value} END` }
    : value;
}

/** A value that fails the query where it is or holds −0.0. */
export function withoutNegativeZero(value: SqlExpression, place: string): SqlExpression {
  const test = holdsNegativeZero(value);
  if (!test) return value;
  return { ...value, ...sql`CASE WHEN ${test} THEN ${refusal(place)} ELSE ${value} END` };
}

/** What HAVING must ask of groups by these keys, so that none holds both zeros; undefined where none can. */
export function oneZeroEach(keys: readonly SqlExpression[]): Fragment | undefined {
  const mixed = keys.filter((key) => key.constant === undefined).flatMap(mixesZeros);
  if (mixed.length === 0) return undefined;
  return sql`CASE WHEN ${join(mixed, " OR ")} THEN ${refusal("in one group")} ELSE TRUE END`;
}

/** Whether equal keys of one group differ in their zeros; nothing where they cannot. */
function mixesZeros(key: SqlExpression): readonly Fragment[] {
  if (isApproximate(key.type))
    return [sql`(${key} = 0 AND bool_or(signbit(${key})) AND NOT bool_and(signbit(${key})))`];
  const test = holdsNegativeZero(key);
  if (!test) return [];
  const text = sql`CASE WHEN ${test} THEN CAST(${key} AS VARCHAR) ELSE '' END`;
  return [sql`(min(${text}) <> max(${text}))`];
}

/** An aggregate of distinct values, failing where both zeros are among them, or −0.0 in an array or struct. */
export function ofDistinct(aggregate: Fragment, values: readonly SqlExpression[], over: Fragment): Fragment {
  const mixed = values.flatMap((value) => {
    const test = holdsNegativeZero(value);
    if (!test) return [];
    const others = isApproximate(value.type) ? sql` AND bool_or(${value} = 0 AND NOT signbit(${value}))${over}` : sql``;
    return [sql`(bool_or(${test})${over}${others})`];
  });
  if (mixed.length === 0) return aggregate;
  return sql`CASE WHEN ${join(mixed, " OR ")} THEN ${refusal("behind DISTINCT")} ELSE ${aggregate} END`;
}

/** An aggregate of distinct rows, failing where several NaN are in one column, of which Hive takes each for another. */
export function ofFewNaNs(aggregate: Fragment, values: readonly SqlExpression[], over: Fragment): Fragment {
  const several = values
    .filter(({ type, constant }) => isApproximate(type) && constant === undefined)
    .map((value) => sql`count(CASE WHEN isnan(${value}) THEN 1 END)${over} > 1`);
  if (several.length === 0) return aggregate;
  const failure = "error('HiveQL: count of DISTINCT rows with several NaN, which Hive takes for different values')";
  return sql`CASE WHEN ${join(several, " OR ")} THEN ${failure} ELSE ${aggregate} END`;
}

/** A condition without −0.0, where what it tests is 0.0 among other literals. */
export const onlyPositive = (condition: SqlExpression, value: SqlExpression): SqlExpression =>
  typed(sql`(CASE WHEN ${isNegativeZero(value)} THEN FALSE ELSE ${condition} END)`, condition.type);

/** Conditions that OR joins: Hive makes IN of equalities with several literals, of which none is −0.0. */
export function joinedByOr(operands: readonly SqlExpression[]): readonly SqlExpression[] {
  return operands.map((operand) => {
    const { zeroTest } = operand;
    if (!zeroTest?.takesNegative || !zeroTest.literals.includes(0)) return operand;
    const literals = operands
      .flatMap((other) => (other.zeroTest?.value.sql === zeroTest.value.sql ? [other.zeroTest.literals] : []))
      .flat();
    return new Set(literals).size > 1 ? onlyPositive(operand, zeroTest.value) : operand;
  });
}

/** IN with a list of literals: −0.0 is none of several. */
export function inLiterals(condition: SqlExpression, value: SqlExpression, items: readonly SqlExpression[]): SqlExpression {
  if (!isApproximate(value.type)) return condition;
  const literals = items.flatMap(({ constant }) => (typeof constant === "number" ? [constant] : []));
  const isSeveral = new Set(literals).size > 1 && literals.includes(0);
  const others = items.filter(({ constant }) => constant !== 0);
  const hasNull = others.some(({ constant }) => constant === null);
  if (!isSeveral)
    return literals.length === items.length
      ? { ...condition, zeroTest: { value, literals, takesNegative: true } }
      : condition;
  if (items.some(({ constant }) => constant === undefined))
    return typed(
      sql`(CASE WHEN ${isNegativeZero(value)} THEN ${refusal("in a list of IN")} ELSE ${condition} END)`,
      condition.type,
    );
  const found = hasNull
    ? typed(sql`(CASE WHEN ${isNegativeZero(value)} THEN NULL ELSE ${condition} END)`, condition.type)
    : onlyPositive(condition, value);
  return { ...found, zeroTest: { value, literals, takesNegative: false } };
}
