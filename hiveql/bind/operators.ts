/** Operators: arithmetic, comparison, logic, patterns. */
import { type Expression, type Position, semantic, unsupported } from "../syntax";
import { isOrdering, negated, rangeOf, withRanges } from "../rules/between";
import { refuseMade } from "../quirks/bare-chars";
import { comparisonType, concatenatedType } from "./coercion";
import { arithmetic, bitwise, integerDivision, negate } from "./arithmetic";
import { cast } from "../emit/conversions";
import { dateArithmetic } from "./intervals";
import type { Environment } from "./scope";
import { condition, expression, filterCondition } from "./expression";
import { cutShort, isCutShort } from "../rules/folded-decimals";
import { foldedTogether, join, readsColumns, sql, typed, type SqlExpression } from "../emit/fragment";
import { number } from "./literals";
import { orToIn, joinedPoints } from "../rules/or-to-in";
import { isNull, strict } from "../rules/null-tests";
import { coercedPair } from "./literal-coercion";
import { containsPattern, isFoldedChar, likePattern } from "../emit/patterns";
import { asWritten, type Plan } from "../rules/plan";
import type { Settings } from "./settings";
import { castOf } from "../rules/text-casts";
import { checkTypeSafety } from "./type-safety";
import { isDateOrTime, isApproximate, isInterval, isNested, isNumber, isText, isVoid, typeName, types } from "./types";
import { compareParts, holds } from "../quirks/wide-decimals";
import { inLiterals, joinedByOr, joinKeys } from "../quirks/zeros";

type Node<Kind extends Expression["kind"]> = Extract<Expression, { kind: Kind }>;

const comparisons: Readonly<Record<string, string>> = {
  "=": "=",
  "<>": "<>",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
  "<=>": "IS NOT DISTINCT FROM",
  "is distinct from": "IS DISTINCT FROM",
};

export function binary(node: Node<"binary">, left: SqlExpression, right: SqlExpression, settings: Settings): SqlExpression {
  const comparison = comparisons[node.operator];
  if (comparison) {
    checkTypeSafety(left, right, node.operator, node.position, settings);
    if (/^(?:=|<>|<=>|is distinct from)$/.test(node.operator))
      for (const [column, literal] of [
        [left, right],
        [right, left],
      ] as const)
        refuseMade(column, [literal], node.position, node.operator);
    const [first, second] = coercedPair(node.left, left, node.right, right);
    return compare(comparison, first, second, node.position, node.operator);
  }
  switch (node.operator) {
    case "||":
      return concatenate(left, right, node.position);
    case "&":
    case "|":
    case "^":
      return bitwise(node.operator, left, right, node.position);
    case "div":
      return integerDivision(left, right, node.position);
    case "+":
    case "-":
      return (
        dateArithmetic(node.operator, left, right, node.position) ??
        arithmetic(node.operator, left, right, node.position)
      );
    case "*":
    case "/":
    case "%":
      return arithmetic(node.operator, left, right, node.position);
    default:
      throw unsupported(node.position, `operator ${node.operator}`);
  }
}

/** Compares in the type that Hive compares in. */
export function compare(operator: string, one: SqlExpression, other: SqlExpression, position: Position, written = operator): SqlExpression {
  if ([one, other].some(isCutShort) && [one, other].some(readsColumns)) throw unsupported(position, written, cutShort);
  const [left, right] = foldedTogether([one, other]) as [SqlExpression, SqlExpression];
  const type = comparisonType(left.type, right.type);
  checkBooleans(left, right, position, written);
  if (type?.kind === "decimal" && !holds(type, left.type, right.type))
    return typed(compareParts(operator, left, right), types.boolean);
  const asKeys = operator === "=" || operator === comparisons["<=>"] ? joinKeys(left, right) : [left, right];
  const [first, second] = asKeys.map((side) => type && castOf(side as SqlExpression, type));
  const isNaNLiteral = (side: SqlExpression) => !readsColumns(side) && /'nan'/i.test(side.sql);
  if (type && isApproximate(type) && isNaNLiteral(left) !== isNaNLiteral(right) && [left, right].some(readsColumns))
    throw unsupported(position, written, "compares with NaN, which Hive's filters find in no row");
  if (!type || !first || !second)
    throw semantic(position, written, `cannot compare ${typeName(left.type)} with ${typeName(right.type)}`);
  if (type.kind === "map") throw semantic(position, written, "cannot compare maps");
  if (isNested(type) && operator !== "=" && operator !== "<>")
    throw unsupported(position, `${written} of complex values`);
  const result = typed(sql`(${first} ${operator} ${second})`, types.boolean);
  if (operator === comparisons["<=>"] || operator === comparisons["is distinct from"]) return result;
  const value = isOrdering(operator) ? { ...result, comparison: { operator, left: first, right: second } } : result;
  const asStrict = {
    ...strict(value, [asked(left, first), asked(right, second)], false),
    ...pointOf(operator, [left, first], [right, second]),
  };
  if (operator !== "=" || (left.constant === undefined) === (right.constant === undefined)) return asStrict;
  return left.constant === undefined ? inLiterals(asStrict, left, [right]) : inLiterals(asStrict, right, [left]);
}

/** `=` between a column and a literal; each side as it is written and as it is compared. */
export function pointOf(
  operator: string,
  one: readonly [SqlExpression, SqlExpression],
  other: readonly [SqlExpression, SqlExpression],
): Pick<SqlExpression, "points"> {
  const [[column], [constant, literal]] = readsColumns(one[0]) ? [one.toReversed(), other] : [other.toReversed(), one];
  const isPoint = operator === "=" && column && readsColumns(column) && !readsColumns(constant);
  if (!isPoint || constant.constant === null || literal.type.kind === "boolean") return {};
  return { points: [{ value: column, literal: { ...literal, ...constantOf(constant) } }] };
}

const constantOf = ({ constant }: SqlExpression) => (constant === undefined ? {} : { constant });

/** Refuses TRUE or FALSE beside a number or text, and any boolean beside a decimal. */
export function checkBooleans(left: SqlExpression, right: SqlExpression, position: Position, written: string) {
  if (left.type.kind === right.type.kind || isVoid(left.type) || isVoid(right.type)) return;
  const [flag, other] = left.type.kind === "boolean" ? [left, right] : [right, left];
  if (flag.type.kind === "boolean" && (flag.constant !== undefined || other.type.kind === "decimal"))
    throw unsupported(position, written, "compares a boolean with another type, which Hive does in a way of its own");
}

function concatenate(left: SqlExpression, right: SqlExpression, position: Position): SqlExpression {
  if ([left, right].some(isFoldedChar))
    throw unsupported(position, "||", "of a char that is a literal, which Hive fills with spaces in places");
  const first = cast(left, types.string);
  const second = cast(right, types.string);
  if (!first || !second)
    throw unsupported(
      position,
      "||",
      `of ${typeName(left.type)} and ${typeName(right.type)} is not supported by the embedded engine`,
    );
  const type = concatenatedType([left.type, right.type]);
  return { ...typed(sql`(${first} || ${second})`, type), ...(type.kind === "char" ? { isBare: true } : {}) };
}

export function unary(node: Node<"unary">, environment: Environment): SqlExpression {
  if (node.operator === "not") return not(node.operand, { ...environment, place: "NOT" });
  if (node.operator === "-" && node.operand.kind === "number") return number(node.operand.text, node.position, true);
  const operand = expression(node.operand, environment);
  if (node.operator === "~") return bitwise("~", operand, operand, node.position);
  return negate(node.operator, operand, node.position);
}

/** NOT, which Hive's optimizer moves to the innermost conditions. */
function not(operand: Expression, environment: Environment): SqlExpression {
  switch (operand.kind) {
    case "logical": {
      const operands = operand.operands.map((inner): Expression => ({
        kind: "unary",
        position: inner.position,
        operator: "not",
        operand: inner,
      }));
      return condition({ ...operand, operator: operand.operator === "and" ? "or" : "and", operands }, environment);
    }
    case "between":
    case "in":
      return condition({ ...operand, not: !operand.not }, environment);
    case "binary":
      if (operand.operator === "<>") return condition({ ...operand, operator: "=" }, environment);
      return negated(condition(operand, environment));
    case "unary":
      if (operand.operator === "not") return condition(operand.operand, environment);
      return negated(condition(operand, environment));
    default:
      return negated(condition(operand, environment));
  }
}

/**
 * AND and OR.
 * @param onlyTruth whether it makes no difference if the result is FALSE or NULL.
 */
export function logical(node: Node<"logical">, environment: Environment, onlyTruth = false): SqlExpression {
  const place = node.operator.toUpperCase();
  const within = { ...environment, place };
  const operands = flat(node).map((operand) =>
    onlyTruth ? filterCondition(operand, within) : condition(operand, within),
  );
  if (node.operator === "or") {
    const joined = withRanges("or", orToIn(joinedByOr(operands), onlyTruth, environment.pins?.()));
    return typed(sql`(${join(joined, " OR ")})`, types.boolean);
  }
  const joined = onlyTruth ? operands : withRanges("and", operands);
  return { ...typed(sql`(${join(joined, " AND ")})`, types.boolean), ...joinedPoints(operands) };
}

function flat(node: Node<"logical">): readonly Expression[] {
  return node.operands.flatMap((operand) =>
    operand.kind === "logical" && operand.operator === node.operator ? flat(operand) : [operand],
  );
}

/** Numbers are compared without CAST, so that Hive's optimizer sees what they are made of. */
const asked = (operand: SqlExpression, converted: SqlExpression) => (isNumber(operand.type) ? operand : converted);

const nullTest = (value: SqlExpression, node: Node<"is">) =>
  typed(node.not ? sql`(NOT ${isNull(value, node.position)})` : isNull(value, node.position), types.boolean);

export function is(node: Node<"is">, environment: Environment): SqlExpression {
  if (node.what === "null") return nullTest(expression(node.operand, environment), node);
  const operand = condition(node.operand, { ...environment, place: "IS" });
  if (node.what === "unknown") return nullTest(operand, node);
  return typed(sql`(${operand} IS ${node.not ? "" : "NOT "}DISTINCT FROM ${node.what.toUpperCase()})`, types.boolean);
}

/** @param onlyTruth whether it makes no difference if the result is FALSE or NULL. */
export function between(
  node: Node<"between">,
  operand: SqlExpression,
  low: SqlExpression,
  high: SqlExpression,
  plan: Plan,
  onlyTruth = false,
): SqlExpression {
  if (mixesBounds(operand, low, high))
    throw unsupported(
      node.position,
      "BETWEEN",
      "compares with a text, number or date in one bound and another of these in the other, which Hive does in a type of its own: write two comparisons",
    );
  const above = asWritten(compare(">=", operand, low, node.position, "BETWEEN"), plan);
  const below = asWritten(compare("<=", operand, high, node.position, "BETWEEN"), plan);
  if (node.not) return typed(rangeOf("or", negated(above), negated(below)), types.boolean);
  return typed(onlyTruth ? sql`(${above} AND ${below})` : rangeOf("and", above, below), types.boolean);
}

/** Whether the bounds would be compared in types of different kinds. */
function mixesBounds(operand: SqlExpression, low: SqlExpression, high: SqlExpression): boolean {
  const [first, second] = [low, high].map(({ type }) => comparisonType(operand.type, type));
  if (!first || !second || isVoid(low.type) || isVoid(high.type)) return false;
  return [isText, isNumber, isDateOrTime].some((isKind) => isKind(first) !== isKind(second));
}

export function like(node: Node<"like">, environment: Environment): SqlExpression {
  const operand = expression(node.operand, environment);
  const matches = node.patterns.map((pattern) => match(node, operand, expression(pattern, environment)));
  const joined = matches.reduce((left, right) => sql`${left} ${node.quantifier === "all" ? "AND" : "OR"} ${right}`);
  return typed(sql`(${node.not ? "NOT " : ""}(${joined}))`, types.boolean);
}

function match(node: Node<"like">, operand: SqlExpression, pattern: SqlExpression) {
  const construct = node.operator.toUpperCase();
  const subject = isText(operand.type) ? operand : cast(operand, types.string);
  if (!subject) throw semantic(node.position, construct, `cannot match ${typeName(operand.type)}`);
  const { kind } = operand.type;
  if (
    node.operator === "like"
      ? kind === "binary" || kind === "boolean" || isInterval(operand.type)
      : !isText(operand.type)
  )
    throw semantic(node.position, construct, `matches strings and not ${typeName(operand.type)}`);
  if (pattern.constant === null) return sql`CAST(NULL AS BOOLEAN)`;
  if (node.operator === "like") return likePattern(subject, pattern);
  const wanted = isText(pattern.type) ? cast(pattern, types.string) : undefined;
  if (!wanted) throw semantic(node.position, construct, `takes a pattern of text and not of ${typeName(pattern.type)}`);
  if (isFoldedChar(pattern))
    throw unsupported(node.position, construct, "by a char that is a literal, which Hive fills with spaces");
  return containsPattern(subject, wanted, node.position, construct);
}
