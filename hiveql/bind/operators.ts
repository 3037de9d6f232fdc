/** Operators: arithmetic, comparison, logic, patterns. */
import { containsLiteral, readsColumns } from "../tree/facts";
import { type Expression, type Position, semantic, unsupported } from "../syntax";
import { foldedCharReason, isFoldedChar, paddedCharReason, refuseComputedCharComparison } from "../quirks/char-padding";
import { comparisonType, concatenatedType } from "../tree/coercion";
import { arithmetic, bitwise, integerDivision, negate } from "./arithmetic";
import { cast } from "../tree/cast";
import { dateArithmetic } from "./intervals";
import { expression, type Scope } from "./scope";
import { condition } from "./condition";
import { hiddenDigitsReason, hidesDigits } from "../rules/folded-decimals";
import type { Typed } from "../tree/nodes";
import { literal, nullTest, operation } from "../tree/typed";
import { numberLiteral } from "./literals";
import { orToIn, conjunctionPoints } from "../rules/or-to-in";
import { withTestedOperands } from "../rules/null-tests";
import { coercedPair, comparedAs } from "./literal-coercion";
import { literalPattern } from "../tree/patterns";
import { checkTypeSafety, isJoinKey } from "./type-safety";
import {
  isDateOrTime,
  isApproximate,
  type HiveType,
  isInteger,
  isInterval,
  isNested,
  isNumber,
  isText,
  isVoid,
  typeName,
  types,
} from "../tree/types";
import { holdsDecimals } from "../quirks/decimal-comparison";
import { joinKeys } from "../quirks/signed-zero";

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

export function binary(node: Node<"binary">, left: Typed, right: Typed, scope: Scope): Typed {
  const comparison = comparisons[node.operator];
  if (comparison) {
    if (!isJoinKey(node, left, right, scope.joinKeys))
      checkTypeSafety(left, right, node.operator, node.position, scope.context.settings);
    if (/^(?:=|<>|<=>|is distinct from)$/.test(node.operator))
      for (const [column, other] of [
        [left, right],
        [right, left],
      ] as const)
        refuseComputedCharComparison(column, [other], node.position, node.operator);
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

/** Translates a comparison; operands are converted to the type in which Hive compares. */
export function compare(operator: string, left: Typed, right: Typed, position: Position, written = operator): Typed {
  if ([left, right].some(hidesDigits)) throw unsupported(position, written, hiddenDigitsReason);
  const type = comparisonType(left.type, right.type) ?? textOfDates(left.type, right.type);
  checkBooleans(left, right, position, written);
  const compared = (one: Typed, other: Typed) =>
    operation({ kind: "comparison", operator, operands: [one, other] }, types.boolean);
  if (type?.kind === "decimal" && !holdsDecimals(type, left.type, right.type)) return compared(left, right);
  const asKeys = operator === "=" || operator === comparisons["<=>"] ? joinKeys(left, right) : [left, right];
  const [first, second] = asKeys.map((side) => type && comparedAs(side as Typed, type));
  const isNaNLiteral = (side: Typed) =>
    !readsColumns(side) && containsLiteral(side, ({ value }) => String(value).toLowerCase() === "nan");
  if (type && isApproximate(type) && isNaNLiteral(left) !== isNaNLiteral(right) && [left, right].some(readsColumns))
    throw unsupported(
      position,
      written,
      "compares with NaN, for which Hive's filters return no row: compute the condition without the literal",
    );
  if (!type || !first || !second)
    throw semantic(
      position,
      written,
      `cannot compare ${typeName(left.type)} with ${typeName(right.type)}: cast one of them`,
    );
  if (type.kind === "map") throw semantic(position, written, "cannot compare maps");
  if (isNested(type) && operator !== "=" && operator !== "<>")
    throw unsupported(position, `${written} of complex values`);
  const result = compared(first, second);
  if (operator === comparisons["<=>"] || operator === comparisons["is distinct from"]) return result;
  return {
    ...withTestedOperands(result, [nullTestOperand(left, first), nullTestOperand(right, second)], false),
    ...literalEqualityOf(operator, [left, first], [right, second]),
  };
}

/** Returns string for a date and an integer: Hive compares their texts. */
const textOfDates = (left: HiveType, right: HiveType): HiveType | undefined =>
  (left.kind === "date" && isInteger(right)) || (isInteger(left) && right.kind === "date") ? types.string : undefined;

/**
 * Returns the equality of a column and a literal, or nothing for other comparisons. Each side is given as written and
 * as converted for the comparison.
 */
export function literalEqualityOf(
  operator: string,
  one: readonly [Typed, Typed],
  other: readonly [Typed, Typed],
): Pick<Typed, "literalEqualities"> {
  const [[column], [constant, converted]] = readsColumns(one[0])
    ? [one.toReversed(), other]
    : [other.toReversed(), one];
  const isPoint = operator === "=" && column && readsColumns(column) && !readsColumns(constant);
  if (!isPoint || constant.constant === null || converted.type.kind === "boolean") return {};
  return { literalEqualities: [{ value: column, literal: { ...converted, ...constantOf(constant) } }] };
}

const constantOf = ({ constant }: Typed) => (constant === undefined ? {} : { constant });

/** Refuses comparisons of TRUE or FALSE with a number or text, and of a boolean with a decimal. */
export function checkBooleans(left: Typed, right: Typed, position: Position, written: string) {
  if (left.type.kind === right.type.kind || isVoid(left.type) || isVoid(right.type)) return;
  const [flag, other] = left.type.kind === "boolean" ? [left, right] : [right, left];
  if (flag.type.kind === "boolean" && (flag.constant !== undefined || other.type.kind === "decimal"))
    throw unsupported(
      position,
      written,
      "compares a boolean with another type, for which Hive has its own rules: cast both sides to one type",
    );
}

function concatenate(left: Typed, right: Typed, position: Position): Typed {
  if ([left, right].some(isFoldedChar)) throw unsupported(position, "||", foldedCharReason);
  const first = cast(left, types.string);
  const second = cast(right, types.string);
  if (!first || !second)
    throw unsupported(
      position,
      "||",
      `cannot concatenate ${typeName(left.type)} and ${typeName(right.type)}: cast both to string`,
    );
  const type = concatenatedType([left.type, right.type]);
  if (type.kind === "char") throw unsupported(position, "||", paddedCharReason);
  return operation({ kind: "concatenation", operands: [first, second] }, type);
}

export function unary(node: Node<"unary">, scope: Scope): Typed {
  if (node.operator === "not") return translateNot(node.operand, { ...scope, clause: "NOT" });
  if (node.operator === "-" && node.operand.kind === "number")
    return numberLiteral(node.operand.text, node.position, true);
  const operand = expression(node.operand, scope);
  if (node.operator === "~") return bitwise("~", operand, operand, node.position);
  return negate(node.operator, operand, node.position);
}

/** Translates NOT. Hive's optimizer pushes it down to the innermost conditions. */
function translateNot(operand: Expression, scope: Scope): Typed {
  switch (operand.kind) {
    case "logical": {
      const operands = operand.operands.map((inner): Expression => ({
        kind: "unary",
        position: inner.position,
        operator: "not",
        operand: inner,
      }));
      return condition({ ...operand, operator: operand.operator === "and" ? "or" : "and", operands }, scope);
    }
    case "between":
    case "in":
      return condition({ ...operand, not: !operand.not }, scope);
    case "binary":
      if (operand.operator === "<>") return condition({ ...operand, operator: "=" }, scope);
      return negated(condition(operand, scope));
    case "unary":
      if (operand.operator === "not") return condition(operand.operand, scope);
      return negated(condition(operand, scope));
    default:
      return negated(condition(operand, scope));
  }
}

/** Returns NOT of a condition. */
const negated = (value: Typed): Typed =>
  withTestedOperands(operation({ kind: "not", operands: [value] }, types.boolean), [value], false);

/**
 * Translates AND and OR.
 * @param onlyTruth true when FALSE and NULL are equivalent, as in WHERE.
 */
export function logical(node: Node<"logical">, scope: Scope, onlyTruth = false): Typed {
  const within = { ...scope, clause: node.operator.toUpperCase() };
  const operands = flattenOperands(node).map((operand) =>
    onlyTruth ? filterCondition(operand, within) : condition(operand, within),
  );
  if (node.operator === "or") {
    const joined = orToIn(operands, onlyTruth, scope.knownConstants?.());
    return operation({ kind: "or", operands: joined }, types.boolean);
  }
  return { ...operation({ kind: "and", operands }, types.boolean), ...conjunctionPoints(operands) };
}

function flattenOperands(node: Node<"logical">): readonly Expression[] {
  return node.operands.flatMap((operand) =>
    operand.kind === "logical" && operand.operator === node.operator ? flattenOperands(operand) : [operand],
  );
}

/** Returns the operand that IS NULL tests for a comparison. Hive's optimizer looks through the CAST of a number. */
const nullTestOperand = (operand: Typed, converted: Typed) => (isNumber(operand.type) ? operand : converted);

function isNull(value: Typed, node: Node<"is">): Typed {
  const test = nullTest(value, node.position);
  return node.not ? operation({ kind: "not", operands: [test] }, types.boolean) : test;
}

export function isPredicate(node: Node<"is">, scope: Scope): Typed {
  if (node.what === "null") return isNull(expression(node.operand, scope), node);
  const operand = condition(node.operand, { ...scope, clause: "IS" });
  if (node.what === "unknown") return isNull(operand, node);
  return operation({ kind: "is", operands: [operand], value: node.what === "true", not: node.not }, types.boolean);
}

/** Translates BETWEEN. */
export function between(node: Node<"between">, operand: Typed, low: Typed, high: Typed): Typed {
  if (mixesBounds(operand, low, high))
    throw unsupported(
      node.position,
      "BETWEEN",
      "has bounds of different kinds (text, number or date), for which Hive has its own rules: write two comparisons",
    );
  const bounds = [
    compare(">=", operand, low, node.position, "BETWEEN"),
    compare("<=", operand, high, node.position, "BETWEEN"),
  ];
  const kind = node.not ? "or" : "and";
  return operation({ kind, operands: node.not ? bounds.map(negated) : bounds, isBetween: true }, types.boolean);
}

/** Returns true when the bounds are compared in types of different kinds: text, number or date. */
function mixesBounds(operand: Typed, low: Typed, high: Typed): boolean {
  const [first, second] = [low, high].map(({ type }) => comparisonType(operand.type, type));
  if (!first || !second || isVoid(low.type) || isVoid(high.type)) return false;
  return [isText, isNumber, isDateOrTime].some((isKind) => isKind(first) !== isKind(second));
}

export function like(node: Node<"like">, scope: Scope): Typed {
  const operand = expression(node.operand, scope);
  const operands = node.patterns.map((pattern) => bindPattern(node, operand, expression(pattern, scope)));
  const found = operation({ kind: node.quantifier === "all" ? "and" : "or", operands }, types.boolean);
  return node.not ? operation({ kind: "not", operands: [found] }, types.boolean) : found;
}

function bindPattern(node: Node<"like">, operand: Typed, pattern: Typed): Typed {
  const construct = node.operator.toUpperCase();
  const subject = isText(operand.type) ? operand : cast(operand, types.string);
  if (!subject) throw semantic(node.position, construct, `needs a string, not ${typeName(operand.type)}`);
  const { kind } = operand.type;
  if (
    node.operator === "like"
      ? kind === "binary" || kind === "boolean" || isInterval(operand.type)
      : !isText(operand.type)
  )
    throw semantic(node.position, construct, `needs a string, not ${typeName(operand.type)}: cast it`);
  if (pattern.constant === null) return literal("CAST(NULL AS BOOLEAN)", types.boolean);
  if (node.operator === "like") return operation({ kind: "like", operands: [subject, pattern] }, types.boolean);
  const wanted = isText(pattern.type) ? cast(pattern, types.string) : undefined;
  if (!wanted) throw semantic(node.position, construct, `needs a string as its pattern, not ${typeName(pattern.type)}`);
  if (isFoldedChar(pattern))
    throw unsupported(
      node.position,
      construct,
      "has a char literal as its pattern, which Hive pads with spaces: cast it to string",
    );
  const re2 = literalPattern(wanted, node.position, construct, true)?.re2?.pattern;
  const operands = [subject, wanted] as const;
  return operation({ kind: "matches", operands, ...(re2 === undefined ? {} : { re2 }) }, types.boolean);
}

/** Translates a condition of WHERE, ON, HAVING or QUALIFY, for which FALSE and NULL are equivalent. */
export function filterCondition(node: Expression, scope: Scope): Typed {
  if (scope.grouping) return condition(node, scope);
  return node.kind === "logical" ? logical(node, scope, true) : condition(node, scope);
}
