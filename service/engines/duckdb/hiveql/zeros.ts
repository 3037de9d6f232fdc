/**
 * The two zeros of doubles and floats. They are equal, but as keys of groups and joins, and in lists of IN, Hive takes
 * them for two where it runs vectorized, and for one where it does not.
 */
import { type Fragment, join, readsColumns, relationsOf, sql, typed, type Typed } from "./fragment";
import { withoutNull } from "./nestedNulls";
import { isApproximate, isNested } from "./types";

const refusal = (what: string) =>
  `error('HiveQL: -0.0 and 0.0 ${what}, where Hive takes them for two values or one as it runs vectorized or not: add 0.0D to make them one')`;

const isNegativeZero = (value: Fragment) => sql`${value} = 0 AND signbit(${value})`;

/** A value with 0.0 in the place of −0.0, as Hive has what it computes from literals alone, and as DuckDB sorts it. */
export function withOneZero(value: Typed): Typed {
  if (!isApproximate(value.type)) return value;
  return { ...value, ...sql`(${value} + CAST(0 AS ${value.type.kind === "float" ? "FLOAT" : "DOUBLE"}))` };
}

/** What is computed from literals alone: Hive's folding knows 0.0 only. */
export const folded = (value: Typed): Typed =>
  isApproximate(value.type) && value.constant === undefined && !readsColumns(value) ? withOneZero(value) : value;

/** Both sides of an equality, failing for −0.0 and NULL within them where they are keys of a join. */
export function joinKeys(left: Typed, right: Typed): readonly [Typed, Typed] {
  const areNumbers = isApproximate(left.type) && isApproximate(right.type);
  if (!areNumbers && !isNested(left.type)) return [left, right];
  const [first, second] = [relationsOf(left), relationsOf(right)];
  if (first.length === 0 || second.length === 0 || first.some((name) => second.includes(name))) return [left, right];
  if (!areNumbers) return [withoutNull(left), withoutNull(right)];
  return [withoutNegativeZero(left, "in keys of a join"), withoutNegativeZero(right, "in keys of a join")];
}

/** A value that fails the query where it is −0.0. */
export function withoutNegativeZero(value: Typed, place: string): Typed {
  if (!isApproximate(value.type)) return value;
  return { ...value, ...sql`CASE WHEN ${isNegativeZero(value)} THEN ${refusal(place)} ELSE ${value} END` };
}

/** What HAVING must ask of groups by these keys, so that none holds both zeros; undefined where none can. */
export function oneZeroEach(keys: readonly Typed[]): Fragment | undefined {
  const asked = keys.filter((key) => isApproximate(key.type) && key.constant === undefined);
  if (asked.length === 0) return undefined;
  const mixed = asked.map((key) => sql`(${key} = 0 AND bool_or(signbit(${key})) AND NOT bool_and(signbit(${key})))`);
  return sql`CASE WHEN ${join(mixed, " OR ")} THEN ${refusal("in one group")} ELSE TRUE END`;
}

/** An aggregate of distinct values, failing where both zeros are among them. */
export function ofDistinct(aggregate: Fragment, values: readonly Typed[], over: Fragment): Fragment {
  const mixed = values
    .filter((value) => isApproximate(value.type))
    .map(
      (value) =>
        sql`(bool_or(${isNegativeZero(value)})${over} AND bool_or(${value} = 0 AND NOT signbit(${value}))${over})`,
    );
  if (mixed.length === 0) return aggregate;
  return sql`CASE WHEN ${join(mixed, " OR ")} THEN ${refusal("behind DISTINCT")} ELSE ${aggregate} END`;
}

/** A condition without −0.0, where what it tests is 0.0 among other literals. */
const onlyPositive = (condition: Typed, value: Typed): Typed =>
  typed(sql`(CASE WHEN ${isNegativeZero(value)} THEN FALSE ELSE ${condition} END)`, condition.type);

/** Conditions that OR joins: Hive makes IN of equalities with several literals, of which none is −0.0. */
export function joinedByOr(operands: readonly Typed[]): readonly Typed[] {
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
export function inLiterals(condition: Typed, value: Typed, items: readonly Typed[]): Typed {
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
