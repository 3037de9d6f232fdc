/**
 * Parse tree → {@link Expression}: literals, names, calls, and unary operators, which bind tighter than binary ones.
 */
import { type Position, semantic, unsupported } from "./errors";
import * as grammar from "./grammar";
import { childrenOf } from "./parse";
import { positionOf, tokenPosition } from "./positions";
import { isQuoted, nameOf, readColumnPath, readExpression, readExpressions, stringOf } from "./read-expression";
import { readOrderItems, readWindow } from "./read-window";
import { readQueryBody } from "./read-query";
import type { Call, Expression, IntervalUnit } from "./ast";

/** Reads an atom with its prefix operators, `[index]` and `.field`. */
export function readAtom(context: grammar.PrecedenceUnaryPrefixExpressionContext): Expression {
  let expression = readPrimary(context.atomExpression());
  const prefixes: grammar.Token[] = [];
  for (const child of childrenOf(context)) {
    if (child instanceof grammar.ExpressionContext) {
      expression = {
        kind: "index",
        position: positionOf(child),
        base: expression,
        index: readExpression(child),
      };
    } else if (child instanceof grammar.Id_Context) {
      expression = {
        kind: "field",
        position: positionOf(child),
        base: expression,
        name: nameOf(child),
        quoted: isQuoted(child),
      };
    } else if (child instanceof grammar.TerminalNode && /^[-+~]$/.test(child.getText())) prefixes.push(child.symbol);
  }
  const [first, second] = prefixes;
  if (!first) return expression;
  const operator = first.text as "-" | "+" | "~";
  if (second) {
    const written = `${operator} ${second.text ?? ""}`;
    throw semantic(tokenPosition(first), written, `is not valid in HiveQL: write ${operator}(${second.text ?? ""}…)`);
  }
  return { kind: "unary", position: tokenPosition(first), operator, operand: expression };
}

/** Reads a function call with its OVER or WITHIN GROUP clause. */
export function readCall(context: grammar.Function_Context): Call {
  const position = positionOf(context);
  const argumentsRead = context.selectExpression().map(readArgument);
  if (context.KW_TRIM() && context.KW_FROM()) return readTrim(context, argumentsRead, position);
  const window = context.window_specification();
  const nulls = context.null_treatment();
  const order = context.orderByClause();
  const name = (context.functionNameForInvoke()?.getText() ?? "trim").toLowerCase().replaceAll("`", "");
  return {
    kind: "call",
    position,
    name,
    arguments: argumentsRead,
    star: context.STAR() !== null,
    distinct: context.KW_DISTINCT() !== null,
    ...(window ? { window: readWindow(window) } : {}),
    ...(nulls ? { nulls: nulls.KW_IGNORE() ? ("ignore" as const) : ("respect" as const) } : {}),
    ...(order ? { withinGroup: readOrderItems(order.columnRefOrder()) } : {}),
  };
}

function readArgument(context: grammar.SelectExpressionContext): Expression {
  const expression = context.expression();
  if (!expression) throw unsupported(positionOf(context), "* as an argument", "names no columns: write the columns");
  return readExpression(expression);
}

/** Reads `TRIM(LEADING x FROM s)` as `ltrim(s, x)`. */
function readTrim(context: grammar.Function_Context, found: readonly Expression[], position: Position): Call {
  const name = context.KW_LEADING() ? "ltrim" : context.KW_TRAILING() ? "rtrim" : "trim";
  return callOf(name, found.toReversed(), position);
}

function readPrimary(context: grammar.AtomExpressionContext): Expression {
  const position = positionOf(context);
  const constant = context.constant();
  if (constant) return readConstant(constant);
  const name = context.id_();
  if (name) return { kind: "name", position, name: nameOf(name), quoted: isQuoted(name) };
  const call = context.function_();
  if (call) return readCall(call);
  const list = context.expressionsInParenthesis();
  if (list) return readParenthesized(readExpressions(list.expressionsNotInParenthesis()), position);
  const cast = context.castExpression();
  if (cast) return readCast(cast);
  const choice = context.caseExpression() ?? context.whenExpression();
  if (choice) return readCase(choice);
  const query = context.subQueryExpression();
  if (query) return { kind: "scalar query", position, query: readQueryBody(query.selectStatement()) };
  const interval = context.intervalExpression();
  if (interval) return readInterval(interval, position);
  const extract = context.extractExpression();
  if (extract)
    return callOf(`extract ${unitOf(extract.timeQualifiers())}`, [readExpression(extract.expression())], position);
  const floor = context.floorExpression();
  if (!floor) throw unsupported(position, "expression");
  const unit = floor.timeQualifiers();
  return callOf(unit ? `floor to ${unitOf(unit)}` : "floor", [readExpression(floor.expression())], position);
}

function callOf(name: string, found: readonly Expression[], position: Position): Call {
  return { kind: "call", position, name, arguments: found, star: false, distinct: false };
}

function readParenthesized(items: readonly Expression[], position: Position): Expression {
  const [only] = items;
  return items.length === 1 && only ? only : { kind: "row", position, items };
}

function readCast(context: grammar.CastExpressionContext): Expression {
  const position = positionOf(context);
  const format = context.KW_FORMAT() ? { hasFormat: true as const } : {};
  const type = context.primitiveType().getText().toLowerCase().replaceAll(/\s+/g, "");
  return { kind: "cast", position, operand: readExpression(context.expression()), type, ...format };
}

function readCase(context: grammar.CaseExpressionContext | grammar.WhenExpressionContext): Expression {
  const expressions = context.expression().map(readExpression);
  const operand = context instanceof grammar.CaseExpressionContext ? expressions.shift() : undefined;
  const otherwise = context.KW_ELSE() ? expressions.pop() : undefined;
  const branches = context.KW_WHEN().map((token, index) => {
    const [when, then] = expressions.slice(2 * index, 2 * index + 2);
    if (!when || !then) throw unsupported(tokenPosition(token.symbol), "CASE");
    return { when, then };
  });
  return {
    kind: "case",
    position: positionOf(context),
    branches,
    ...(operand ? { operand } : {}),
    ...(otherwise ? { otherwise } : {}),
  };
}

function readConstant(context: grammar.ConstantContext): Expression {
  const position = positionOf(context);
  const qualifiers = context.intervalQualifiers();
  const value = context.intervalValue();
  if (qualifiers && value)
    return {
      kind: "interval",
      position,
      value: intervalText(value),
      unit: intervalUnit(qualifiers),
    };
  const path = context.columnNamePath();
  if (path) return readColumnPath(path);
  const strings = context.StringLiteral();
  if (context.KW_DATE()) return { kind: "date", position, value: stringOf(strings[0] ?? null) };
  if (context.KW_TIMESTAMP()) return { kind: "timestamp", position, value: stringOf(strings[0] ?? null) };
  if (context.KW_CURRENT_DATE()) return callOf("current_date", [], position);
  if (context.KW_CURRENT_TIMESTAMP()) return callOf("current_timestamp", [], position);
  if (context.KW_TRUE()) return { kind: "boolean", position, value: true };
  if (context.KW_FALSE()) return { kind: "boolean", position, value: false };
  if (context.KW_NULL()) return { kind: "null", position };
  if (context.KW_TIMESTAMPLOCALTZ())
    throw unsupported(position, "TIMESTAMPLOCALTZ literal", "has a type that is not supported: write a timestamp");
  if (context.CharSetName()) throw unsupported(position, "character set literal", "is in bytes: write the text");
  if (context.QUESTION())
    throw semantic(position, "parameter ?", "is not bound to a value: write the value into the statement");
  if (strings.length > 0) return { kind: "string", position, value: strings.map(stringOf).join("") };
  const number = context.Number() ?? context.IntegralLiteral() ?? context.NumberLiteral();
  if (number) return { kind: "number", position, text: number.getText() };
  throw unsupported(position, "literal");
}

function readInterval(context: grammar.IntervalExpressionContext, position: Position): Expression {
  const value = context.intervalValue();
  const expression = context.expression();
  const unit = intervalUnit(context.intervalQualifiers());
  if (value) return { kind: "interval", position, value: intervalText(value), unit };
  if (!expression) throw unsupported(position, "interval");
  return { kind: "interval", position, value: readExpression(expression), unit };
}

function intervalText(context: grammar.IntervalValueContext): string {
  const string = context.StringLiteral();
  return string ? stringOf(string) : (context.Number()?.getText() ?? "");
}

function intervalUnit(context: grammar.IntervalQualifiersContext): IntervalUnit | "year to month" | "day to second" {
  if (context.KW_TO()) return context.year() ? "year to month" : "day to second";
  return unitOf(context);
}

function unitOf(context: grammar.IntervalQualifiersContext | grammar.TimeQualifiersContext): IntervalUnit {
  return context.getText().toLowerCase().replace(/s$/, "") as IntervalUnit;
}
