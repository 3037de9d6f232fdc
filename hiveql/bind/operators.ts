/** Operators: arithmetic, logic, patterns. */
import { type Expression, type Position, semantic, unsupported } from "../syntax";
import { concatenatedType } from "../tree/coercion";
import { arithmetic, bitwise, integerDivision, negate } from "../tree/arithmetic";
import { cast } from "../tree/cast";
import { dateArithmetic } from "./intervals";
import { expression, type Scope } from "./scope";
import { condition } from "./condition";
import type { Typed } from "../tree/nodes";
import { nullOf, nullTest, operation } from "../tree/typed";
import { numberLiteral } from "./literals";
import { coercedPair } from "./literal-coercion";
import { literalPattern } from "../tree/patterns";
import { checkTypeSafety, isJoinKey } from "./type-safety";
import { isInterval, isText, typeName, types } from "../tree/types";

import { compare, isComparison } from "./comparison";

type Node<Kind extends Expression["kind"]> = Extract<Expression, { kind: Kind }>;

/** Binds an operator between two operands. */
export function binary(node: Node<"binary">, left: Typed, right: Typed, scope: Scope): Typed {
  const { operator } = node;
  if (isComparison(operator)) {
    if (!isJoinKey(node, left, right, scope.joinKeys))
      checkTypeSafety(left, right, node.operator, node.position, scope.context.settings);
    const [first, second] = coercedPair(node.left, left, node.right, right);
    return compare(operator, first, second, node.position);
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

function concatenate(left: Typed, right: Typed, position: Position): Typed {
  const first = cast(left, types.string);
  const second = cast(right, types.string);
  if (!first || !second)
    throw unsupported(
      position,
      "||",
      `cannot concatenate ${typeName(left.type)} and ${typeName(right.type)}: cast both to string`,
    );
  return operation({ kind: "concatenation", operands: [first, second] }, concatenatedType([left.type, right.type]));
}

/** Binds NOT, a sign or `~`. */
export function unary(node: Node<"unary">, scope: Scope): Typed {
  if (node.operator === "not") return bindNot(node.operand, { ...scope, clause: "NOT" });
  if (node.operator === "-" && node.operand.kind === "number")
    return numberLiteral(node.operand.text, node.position, true);
  const operand = expression(node.operand, scope);
  if (node.operator === "~") return bitwise("~", operand, operand, node.position);
  return negate(node.operator, operand, node.position);
}

/** Binds NOT, which is pushed down to the innermost conditions. */
function bindNot(operand: Expression, scope: Scope): Typed {
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
const negated = (value: Typed): Typed => operation({ kind: "not", operands: [value] }, types.boolean);

/** Binds AND and OR. */
export function logical(node: Node<"logical">, scope: Scope): Typed {
  const within = { ...scope, clause: node.operator.toUpperCase() };
  const operands = flattenOperands(node).map((operand) => condition(operand, within));
  return operation({ kind: node.operator, operands }, types.boolean);
}

function flattenOperands(node: Node<"logical">): readonly Expression[] {
  return node.operands.flatMap((operand) =>
    operand.kind === "logical" && operand.operator === node.operator ? flattenOperands(operand) : [operand],
  );
}

function isNull(value: Typed, node: Node<"is">): Typed {
  const test = nullTest(value, node.position);
  return node.not ? operation({ kind: "not", operands: [test] }, types.boolean) : test;
}

/** Binds IS NULL, IS TRUE, IS FALSE and IS UNKNOWN. */
export function isPredicate(node: Node<"is">, scope: Scope): Typed {
  if (node.what === "null") return isNull(expression(node.operand, scope), node);
  const operand = condition(node.operand, { ...scope, clause: "IS" });
  if (node.what === "unknown") return isNull(operand, node);
  return operation({ kind: "is", operands: [operand], value: node.what === "true", not: node.not }, types.boolean);
}

/** Binds BETWEEN. */
export function between(node: Node<"between">, operand: Typed, low: Typed, high: Typed): Typed {
  const bounds = [
    compare(">=", operand, low, node.position, "BETWEEN"),
    compare("<=", operand, high, node.position, "BETWEEN"),
  ];
  const kind = node.not ? "or" : "and";
  return operation({ kind, operands: node.not ? bounds.map(negated) : bounds }, types.boolean);
}

/** Binds LIKE, RLIKE and REGEXP, also with ANY and ALL. */
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
  if (pattern.constant === null) return nullOf(types.boolean);
  if (node.operator === "like") return operation({ kind: "like", operands: [subject, pattern] }, types.boolean);
  const wanted = isText(pattern.type) ? cast(pattern, types.string) : undefined;
  if (!wanted) throw semantic(node.position, construct, `needs a string as its pattern, not ${typeName(pattern.type)}`);
  const re2 = literalPattern(wanted, node.position, construct)?.re2?.test;
  const operands = [subject, wanted] as const;
  return operation({ kind: "matches", operands, ...(re2 === undefined ? {} : { re2 }) }, types.boolean);
}
