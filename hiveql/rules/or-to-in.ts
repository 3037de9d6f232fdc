/**
 * OR of equalities. The optimizer of Hive 4.0.1 rewrites `(a = 1 AND b = 2) OR (a = 3 AND b = 4)` to IN of structs.
 * A struct that contains NULL makes IN false, where SQL answers NULL. A float −0.0 matches no literal; a double −0.0
 * matches 0 only without vectorized execution.
 * Example: `(a = 1 AND b = 2) OR (a = 3 AND b = 4)` answers false, and not NULL, for `a` 1 and `b` NULL.
 * The translation emits the result of IN, and fails the query for a double −0.0.
 */
import { type Fragment, join, type LiteralEquality, sql, typed, type SqlExpression } from "../emit/fragment";
import { constantValue, type KnownConstants } from "./constant-propagation";
import { isNegativeZero, exceptNegativeZero, signedZeroError } from "../quirks/signed-zero";

/**
 * Returns the operands of OR as Hive computes them.
 * @param onlyTruth true when FALSE and NULL have the same effect: Hive then factors out common equalities.
 * @param constants values that are constant in all rows: Hive compares them with literals before it reads rows.
 */
export function orToIn(
  operands: readonly SqlExpression[],
  onlyTruth: boolean,
  constants: KnownConstants = new Map(),
): readonly SqlExpression[] {
  const common = onlyTruth ? commonPoints(operands) : new Set<string>();
  const rests = operands.map(({ literalEqualities = [] }) =>
    literalEqualities.some((point) => contradictsConstant(point, constants))
      ? []
      : literalEqualities.filter((point) => !common.has(textOf(point)) && !constantValue(point.value, constants)),
  );
  const groups = Map.groupBy(rests, keyOf);
  const several = new Map([...groups].map(([key, group]) => [key, new Set(group.flat().map(textOf)).size > 1]));
  return operands.map((operand, index) => {
    const rest = rests[index] ?? [];
    const key = keyOf(rest);
    if (rest.length === 0 || (groups.get(key)?.length ?? 0) < 2) return operand;
    if (rest.some(({ value }) => value.sql !== rest[0]?.value.sql)) return asStructItem(operand, rest, onlyTruth);
    const zero = rest.find(isZero);
    return operand.zeroTest || !several.get(key) || !zero ? operand : exceptNegativeZero(operand, zero.value);
  });
}

/** Returns true when a value has a known constant that differs from the literal. */
function contradictsConstant({ value, literal }: LiteralEquality, constants: KnownConstants): boolean {
  const constant = constantValue(value, constants);
  const withoutCasts = ({ sql: text }: SqlExpression) => text.replaceAll(/^(?:CAST\()+|(?: AS [\w(), ]+\))+$/g, "");
  return constant !== undefined && withoutCasts(constant) !== withoutCasts(literal);
}

/** Returns the equalities of the operands of AND, if all operands are equalities with literals. */
export function conjunctionPoints(operands: readonly SqlExpression[]): Pick<SqlExpression, "literalEqualities"> {
  const points = operands.flatMap((operand) => operand.literalEqualities ?? []);
  return operands.every((operand) => operand.literalEqualities) ? { literalEqualities: points } : {};
}

/** Returns an AND of equalities as an item of IN. */
function asStructItem(condition: SqlExpression, points: readonly LiteralEquality[], onlyTruth: boolean): SqlExpression {
  const zeros = points.filter(isZero);
  if (zeros.length === 0) return onlyTruth ? condition : typed(sql`coalesce(${condition}, FALSE)`, condition.type);
  const negatives = (kind: string) =>
    zeros.filter(({ value }) => value.type.kind === kind).map(({ value }) => isNegativeZero(value));
  const when = (tests: readonly Fragment[], then: string) =>
    tests.length === 0 ? sql`` : sql` WHEN ${join(tests, " OR ")} THEN ${then}`;
  const failure = signedZeroError("in a comparison with an IN list");
  return typed(
    sql`CASE WHEN ${condition} THEN CASE${when(negatives("float"), "FALSE")}${when(negatives("double"), failure)} ELSE TRUE END ELSE FALSE END`,
    condition.type,
  );
}

const isZero = ({ value, literal }: LiteralEquality) =>
  (value.type.kind === "double" || value.type.kind === "float") && literal.constant === 0;

const textOf = ({ value, literal }: LiteralEquality) => `${value.sql} = ${literal.sql}`;

const keyOf = (points: readonly LiteralEquality[]) =>
  [...new Set(points.map(({ value }) => value.sql))].toSorted().join("\n");

function commonPoints(operands: readonly SqlExpression[]): ReadonlySet<string> {
  const texts = operands.map(({ literalEqualities }) => new Set(literalEqualities?.map(textOf)));
  const [first = new Set<string>(), ...others] = texts;
  return new Set([...first].filter((text) => others.every((other) => other.has(text))));
}
