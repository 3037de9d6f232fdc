/** Parse tree → {@link Expression}, with one function per level of precedence. */
import { type Position, semantic, unsupported } from "./errors";
import * as grammar from "./grammar";
import { identifierName, stringValue } from "./unquote";
import { childrenOf } from "./parse";
import { positionOf, tokenPosition } from "./positions";
import { chain, readBitwiseOr, soleAtom } from "./read-arithmetic";
import { readAtom } from "./read-atom";
import { readQueryBody } from "./read-query";
import type { BinaryOperator, Expression } from "./ast";

/** Returns the lower-case name of an identifier. */
export function nameOf(context: grammar.Id_Context | null): string {
  return identifierName(context?.getText() ?? "");
}

/** Returns the value of a string token. */
export function stringOf(token: grammar.TerminalNode | null): string {
  return stringValue(token?.getText() ?? "''");
}

export function readExpression(context: grammar.ExpressionContext): Expression {
  const only = soleAtom(context);
  if (only) return readAtom(only);
  const operands = context
    .precedenceAndExpression()
    .map((part) => logical("and", part, part.precedenceNotExpression().map(readNot)));
  return logical("or", context, operands);
}

/** Reads a list of expressions. The grammar allows DEFAULT in it, which is valid in INSERT only. */
export function readExpressions(
  context: grammar.ExpressionsContext | grammar.ExpressionsNotInParenthesisContext,
): Expression[] {
  if (context instanceof grammar.ExpressionsContext) {
    const list =
      context.expressionsNotInParenthesis() ?? context.expressionsInParenthesis()?.expressionsNotInParenthesis();
    return list ? readExpressions(list) : [];
  }
  return context.expressionOrDefault().map((item) => {
    const expression = item.expression();
    if (!expression) throw unsupported(positionOf(item), "DEFAULT");
    return readExpression(expression);
  });
}

/** Reads `a.b.c` in places where the grammar has a column name and not an expression. */
export function readColumnPath(context: grammar.ParserRuleContext): Expression {
  const names: grammar.Id_Context[] = [];
  collectNames(context, names);
  const [first, ...rest] = names;
  if (!first) throw unsupported(positionOf(context), "column name");
  return rest.reduce<Expression>(
    (base, id) => ({
      kind: "field",
      position: positionOf(id),
      base,
      name: nameOf(id),
      quoted: isQuoted(id),
    }),
    { kind: "name", position: positionOf(first), name: nameOf(first), quoted: isQuoted(first) },
  );
}

export const isQuoted = (id: grammar.Id_Context) => id.getText().startsWith("`");

function logical(
  operator: "and" | "or",
  context: grammar.ParserRuleContext,
  operands: readonly Expression[],
): Expression {
  const [only] = operands;
  return operands.length === 1 && only ? only : { kind: "logical", position: positionOf(context), operator, operands };
}

function readNot(context: grammar.PrecedenceNotExpressionContext): Expression {
  let expression = readEqual(context.precedenceEqualExpression());
  const condition = context.isCondition();
  if (condition) {
    const what = condition.KW_NULL()
      ? "null"
      : condition.KW_TRUE()
        ? "true"
        : condition.KW_FALSE()
          ? "false"
          : "unknown";
    expression = {
      kind: "is",
      position: expression.position,
      operand: expression,
      what,
      not: condition.KW_NOT() !== null,
    };
  }
  const [first, second] = context.KW_NOT();
  if (!first) return expression;
  const position = tokenPosition(first.symbol);
  if (second) throw semantic(position, "NOT NOT", "is not valid in HiveQL: write NOT (NOT …)");
  return { kind: "unary", position, operator: "not", operand: expression };
}

function readEqual(context: grammar.PrecedenceEqualExpressionContext): Expression {
  return chain(context, (child) => {
    if (child instanceof grammar.PrecedenceSimilarExpressionContext) return readSimilar(child);
    if (child instanceof grammar.PrecedenceDistinctOperatorContext) return "is distinct from";
    if (!(child instanceof grammar.PrecedenceEqualOperatorContext))
      throw unsupported(positionOf(context), "comparison");
    if (child.EQUAL()) return "=";
    return child.NOTEQUAL() ? "<>" : "<=>";
  });
}

function readSimilar(context: grammar.PrecedenceSimilarExpressionContext): Expression {
  const subquery = context.subQueryExpression();
  const position = positionOf(context);
  if (context.KW_EXISTS() && subquery)
    return { kind: "exists", position, query: readQueryBody(subquery.selectStatement()) };
  const main = context.precedenceBitwiseOrExpression();
  if (!main) throw unsupported(position, "expression");
  const operand = readBitwiseOr(main);
  const part = context.precedenceSimilarExpressionPart();
  return part ? readSimilarPart(operand, part) : operand;
}

function readSimilarPart(operand: Expression, context: grammar.PrecedenceSimilarExpressionPartContext): Expression {
  const position = positionOf(context);
  const operator = context.precedenceSimilarOperator();
  const right = context.precedenceBitwiseOrExpression();
  if (operator && right) {
    if (operator.KW_LIKE() || operator.KW_RLIKE() || operator.KW_REGEXP())
      return like(operand, operator, right, position, false);
    return {
      kind: "binary",
      position,
      operator: operator.getText() as BinaryOperator,
      left: operand,
      right: readBitwiseOr(right),
    };
  }
  const atom = context.precedenceSimilarExpressionAtom();
  if (atom) return readSimilarAtom(operand, atom, false);
  const not = context.precedenceSimilarExpressionPartNot();
  if (!not) throw unsupported(position, "expression");
  const pattern = not.precedenceBitwiseOrExpression();
  if (pattern) return like(operand, not, pattern, position, true);
  const negated = not.precedenceSimilarExpressionAtom();
  if (!negated) throw unsupported(position, "NOT");
  return readSimilarAtom(operand, negated, true);
}

function like(
  operand: Expression,
  operator: grammar.PrecedenceSimilarOperatorContext | grammar.PrecedenceSimilarExpressionPartNotContext,
  pattern: grammar.PrecedenceBitwiseOrExpressionContext,
  position: Position,
  not: boolean,
): Expression {
  const name = operator.KW_LIKE() ? "like" : operator.KW_RLIKE() ? "rlike" : "regexp";
  return {
    kind: "like",
    position,
    operator: name,
    operand,
    patterns: [readBitwiseOr(pattern)],
    not,
  };
}

function readSimilarAtom(
  operand: Expression,
  context: grammar.PrecedenceSimilarExpressionAtomContext,
  not: boolean,
): Expression {
  const position = positionOf(context);
  const list = context.precedenceSimilarExpressionIn();
  if (list) {
    const query = list.subQueryExpression();
    if (query) return { kind: "in query", position, operand, query: readQueryBody(query.selectStatement()), not };
    const items = list.expressionsInParenthesis();
    return {
      kind: "in",
      position,
      operand,
      items: items ? readExpressions(items.expressionsNotInParenthesis()) : [],
      not,
    };
  }
  if (context.KW_BETWEEN()) {
    const [low, high] = context.precedenceBitwiseOrExpression().map(readBitwiseOr);
    if (low && high) return { kind: "between", position, operand, low, high, not };
  }
  const patterns = context.expressionsInParenthesis();
  if (context.KW_LIKE() && patterns) {
    return {
      kind: "like",
      position,
      operator: "like",
      operand,
      patterns: readExpressions(patterns.expressionsNotInParenthesis()),
      quantifier: context.KW_ALL() ? "all" : "any",
      not,
    };
  }
  const query = context.subQueryExpression();
  const operator = context.subQuerySelectorOperator();
  if (!query || !operator) throw unsupported(position, "predicate");
  return {
    kind: "quantified",
    position,
    operand,
    operator: comparison(operator.getText()),
    quantifier: context.KW_ALL() ? "all" : "any",
    query: readQueryBody(query.selectStatement()),
    not,
  };
}

function collectNames(context: grammar.ParserRuleContext, names: grammar.Id_Context[]) {
  for (const child of childrenOf(context)) {
    if (child instanceof grammar.Id_Context) names.push(child);
    else if (child instanceof grammar.ParserRuleContext) collectNames(child, names);
  }
}

const comparison = (text: string) => (text === "==" ? "=" : text === "!=" ? "<>" : text) as BinaryOperator;
