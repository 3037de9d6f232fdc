/**
 * OR of conditions such as `a = 1 AND b = 2` over the same columns: Hive's optimizer makes IN of structs of them. A
 * struct with NULL in it is FALSE there, where the conditions are NULL; a float that is −0.0 is none of the literals,
 * and a double is or is not, as Hive runs vectorized or not.
 */
import { type Fragment, join, type Point, sql, typed, type SqlExpression } from "../emit/fragment";
import { constantOf, type KnownConstants } from "./constant-propagation";
import { isNegativeZero, onlyPositive, refusal } from "../quirks/zeros";

/**
 * Conditions that OR joins, as Hive computes them.
 * @param onlyTruth whether it makes no difference if the result is FALSE or NULL: Hive then pulls out what all have.
 * @param pins values that Hive knows in all rows, and compares with literals beforehand.
 */
export function orToIn(operands: readonly SqlExpression[], onlyTruth: boolean, pins: KnownConstants = new Map()): readonly SqlExpression[] {
  const common = onlyTruth ? commonPoints(operands) : new Set<string>();
  const rests = operands.map(({ points = [] }) =>
    points.some((point) => isFalse(point, pins))
      ? []
      : points.filter((point) => !common.has(textOf(point)) && !constantOf(point.value, pins)),
  );
  const groups = Map.groupBy(rests, keyOf);
  const several = new Map([...groups].map(([key, group]) => [key, new Set(group.flat().map(textOf)).size > 1]));
  return operands.map((operand, index) => {
    const rest = rests[index] ?? [];
    const key = keyOf(rest);
    if (rest.length === 0 || (groups.get(key)?.length ?? 0) < 2) return operand;
    if (rest.some(({ value }) => value.sql !== rest[0]?.value.sql)) return asStruct(operand, rest, onlyTruth);
    const zero = rest.find(isZero);
    return operand.zeroTest || !several.get(key) || !zero ? operand : onlyPositive(operand, zero.value);
  });
}

/** Whether a value is pinned to another constant than it is compared with. */
function isFalse({ value, literal }: Point, pins: KnownConstants): boolean {
  const constant = constantOf(value, pins);
  const bare = ({ sql: text }: SqlExpression) => text.replaceAll(/^(?:CAST\()+|(?: AS [\w(), ]+\))+$/g, "");
  return constant !== undefined && bare(constant) !== bare(literal);
}

/** Conditions that AND joins: equalities, where all of them are. */
export function joinedPoints(operands: readonly SqlExpression[]): Pick<SqlExpression, "points"> {
  const points = operands.flatMap((operand) => operand.points ?? []);
  return operands.every((operand) => operand.points) ? { points } : {};
}

/** A condition of equalities as an item of IN. */
function asStruct(condition: SqlExpression, points: readonly Point[], onlyTruth: boolean): SqlExpression {
  const zeros = points.filter(isZero);
  if (zeros.length === 0) return onlyTruth ? condition : typed(sql`coalesce(${condition}, FALSE)`, condition.type);
  const negatives = (kind: string) =>
    zeros.filter(({ value }) => value.type.kind === kind).map(({ value }) => isNegativeZero(value));
  const when = (tests: readonly Fragment[], then: string) =>
    tests.length === 0 ? sql`` : sql` WHEN ${join(tests, " OR ")} THEN ${then}`;
  const failure = refusal("in a list of IN");
  return typed(
    sql`CASE WHEN ${condition} THEN CASE${when(negatives("float"), "FALSE")}${when(negatives("double"), failure)} ELSE TRUE END ELSE FALSE END`,
    condition.type,
  );
}

const isZero = ({ value, literal }: Point) =>
  (value.type.kind === "double" || value.type.kind === "float") && literal.constant === 0;

const textOf = ({ value, literal }: Point) => `${value.sql} = ${literal.sql}`;

const keyOf = (points: readonly Point[]) => [...new Set(points.map(({ value }) => value.sql))].toSorted().join("\n");

function commonPoints(operands: readonly SqlExpression[]): ReadonlySet<string> {
  const texts = operands.map(({ points }) => new Set(points?.map(textOf)));
  const [first = new Set<string>(), ...others] = texts;
  return new Set([...first].filter((text) => others.every((other) => other.has(text))));
}
