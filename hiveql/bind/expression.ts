/** Expressions: each kind of the syntax → SQL with its Hive type. */
import { type Expression, semantic, unsupported } from "../syntax";
import { translateCall } from "./calls";
import { barePadding, mixesChars, refuseMade } from "../quirks/bare-chars";
import { commonType } from "./coercion";
import { castByFormat } from "./cast-format";
import { cast, isImpossibleDate } from "../emit/conversions";
import { checkWeight, type Environment } from "./scope";
import { cutShort, hasOpenScale, isCutShort, openScale } from "../rules/folded-decimals";
import { type Fragment, readsColumns, sql, typed, type SqlExpression } from "../emit/fragment";
import { isPlain } from "./grouping";
import { inList } from "./in-list";
import { boolean, dateOrTimestamp, interval, nothing, number, text } from "./literals";
import { translateIndex, translateName } from "./names";
import { coercedPair } from "./literal-coercion";
import { between, binary, compare, like, logical, unary, is } from "./operators";
import { asWritten } from "../rules/plan";
import { asShortDecimal, unlessWrapped } from "../quirks/short-decimals";
import { existsQuery, inQuery, quantifiedQuery, scalarQuery } from "./subqueries";
import { castOf } from "../rules/text-casts";
import {
  type HiveType,
  isInteger,
  isNested,
  isNumber,
  isVoid,
  parseType,
  sameType,
  structOf,
  typeName,
  types,
} from "./types";
import { folded } from "../quirks/zeros";

/**
 * Translates an expression where it stands.
 * @throws HiveQLError for what Hive refuses and for what the engine does not support.
 */
export function expression(node: Expression, environment: Environment): SqlExpression {
  const known = environment.memo.get(node);
  if (known) return known;
  const value = checkWeight(groupKey(node, environment) ?? computed(node, environment), node.position);
  environment.memo.set(node, value);
  return value;
}

/** Translates a condition: Hive takes a boolean, and NULL. */
export function condition(node: Expression, environment: Environment): SqlExpression {
  const value = expression(node, environment);
  if (value.type.kind === "boolean") return value;
  const asBoolean =
    isNumber(value.type) || value.type.kind === "void" || value.type.kind === "string"
      ? castOf(value, types.boolean)
      : undefined;
  if (!asBoolean)
    throw semantic(node.position, environment.place, `needs a boolean, and this is ${typeName(value.type)}`);
  return asBoolean;
}

/** Translates a condition of which nobody sees whether it is FALSE or NULL: of WHERE, ON, HAVING or QUALIFY. */
export function filterCondition(node: Expression, environment: Environment): SqlExpression {
  if (environment.grouping) return condition(node, environment);
  if (node.kind === "between" && !node.not) {
    const sub = (inner: Expression) => expression(inner, environment);
    return between(node, sub(node.operand), sub(node.low), sub(node.high), environment.shared.plan, true);
  }
  return node.kind === "logical" ? logical(node, environment, true) : condition(node, environment);
}

/** A value as another type; `node` is where a failure is reported. */
export function converted(
  value: SqlExpression,
  type: HiveType,
  node: Pick<Expression, "position">,
  what = "conversion",
): SqlExpression {
  const result = cast(value, type);
  if (result) return result;
  if (isImpossibleDate(value)) throw impossibleDate(value, node);
  throw semantic(node.position, what, `${typeName(value.type)} cannot become ${typeName(type)}`);
}

function impossibleDate({ constant }: SqlExpression, node: Pick<Expression, "position">) {
  return unsupported(
    node.position,
    `'${String(constant)}'`,
    "is a date that no calendar has, and versions of Hive disagree on it",
  );
}

/** Over grouped rows an expression that is a key of GROUP BY is that key, however it is written. */
function groupKey(node: Expression, { grouping }: Environment): SqlExpression | undefined {
  if (!grouping || grouping.keys.length === 0 || !isPlain(node)) return undefined;
  let base: SqlExpression;
  try {
    base = expression(node, grouping.base);
  } catch {
    return undefined;
  }
  return base.constant === undefined ? grouping.key(base) : undefined;
}

/** Hive folds each function of literals as it meets it, and CASTs together with what stands around them. */
function computed(node: Expression, environment: Environment): SqlExpression {
  const value = translate(node, environment);
  return asWritten(node.kind === "cast" ? value : folded(value), environment.shared.plan);
}

function translate(node: Expression, environment: Environment): SqlExpression {
  const sub = (inner: Expression) => expression(inner, environment);
  switch (node.kind) {
    case "string":
      return text(node.value);
    case "number":
      return number(node.text, node.position);
    case "boolean":
      return boolean(node.value);
    case "null":
      return nothing;
    case "date":
    case "timestamp":
      return dateOrTimestamp(node.kind, node.value, node.position);
    case "interval":
      return interval(node, (value) => wholeNumber(value, environment));
    case "name":
    case "field":
      return translateName(node, environment);
    case "index":
      return translateIndex(node, sub(node.base), sub(node.index));
    case "call":
      return translateCall(node, environment);
    case "cast":
      return translateCast(node, sub(node.operand), environment.sources.length > 0);
    case "case":
      return translateCase(node, environment);
    case "unary":
      return unary(node, environment);
    case "binary":
      return binary(node, sub(node.left), sub(node.right), environment.shared.settings);
    case "logical":
      return logical(node, environment);
    case "is":
      return is(node, environment);
    case "like":
      return like(node, environment);
    case "between":
      return between(node, sub(node.operand), sub(node.low), sub(node.high), environment.shared.plan);
    case "in":
      return inList(node, sub, environment.shared.plan, environment.pins?.());
    case "in query":
      return inQuery(node, environment);
    case "quantified":
      return quantifiedQuery(node, environment);
    case "exists":
      return existsQuery(node, environment);
    case "scalar query":
      return scalarQuery(node, environment);
    case "row":
      return row(node.items.map(sub));
  }
}

function wholeNumber(node: Expression, environment: Environment): Fragment {
  return converted(expression(node, environment), types.bigint, node, "interval");
}

/** `(a, b)`, as IN takes it. */
function row(items: readonly SqlExpression[]): SqlExpression {
  const fields = items.map((item, index) => ({ name: `col${index + 1}`, type: item.type }));
  const parts = items
    .map((item, index) => sql`col${index + 1} := ${item}`)
    .reduce((left, right) => sql`${left}, ${right}`);
  return typed(sql`struct_pack(${parts})`, structOf(fields));
}

function translateCast(node: Extract<Expression, { kind: "cast" }>, given: SqlExpression, isOverRows: boolean): SqlExpression {
  const operand = given.wide ?? given;
  const type = parseType(node.type);
  if (!type) throw unsupported(node.position, `type ${node.type}`);
  if (node.format !== undefined) return castByFormat(node, operand, type, node.format);
  const result = castOf(operand, type);
  if (!result && isImpossibleDate(operand)) throw impossibleDate(operand, node);
  if (!result) throw unsupported(node.position, `cast of ${typeName(operand.type)} to ${typeName(type)}`);
  if (isOverRows && isInteger(type)) return unlessWrapped(operand, result);
  return isMadeBy(result, operand) ? { ...result, isMade: true } : result;
}

/** Whether a char is made of what columns hold. */
const isMadeBy = (result: SqlExpression, operand: SqlExpression) =>
  result.type.kind === "char" && readsColumns(result) && !sameType(result.type, operand.type);

function translateCase(node: Extract<Expression, { kind: "case" }>, environment: Environment): SqlExpression {
  const results = [...node.branches.map((branch) => branch.then), ...(node.otherwise ? [node.otherwise] : [])];
  const values = results.map((result) => expression(result, environment));
  if (environment.sources.length > 0 && values.some(isCutShort)) throw unsupported(node.position, "CASE", cutShort);
  const type = commonOf(values, node);
  const chosen = (value: SqlExpression, each: Expression) => converted(asShortDecimal(value, type), type, each);
  const operand = node.operand;
  // Hive's optimizer sees no CAST around what CASE compares.
  const compared = (each: Expression): SqlExpression => {
    const { textOf: _textOf, ...value } = expression(each, environment);
    return value;
  };
  const branches = node.branches.map((branch, index) => {
    if (operand) refuseMade(expression(operand, environment), [compared(branch.when)], branch.when.position, "CASE");
    const test = operand
      ? compare(
          "=",
          ...coercedPair(operand, compared(operand), branch.when, compared(branch.when)),
          branch.when.position,
        )
      : condition(branch.when, { ...environment, place: "WHEN" });
    return sql` WHEN ${test} THEN ${chosen(values[index] as SqlExpression, branch.then)}`;
  });
  const otherwise = node.otherwise ? sql` ELSE ${chosen(values.at(-1) as SqlExpression, node.otherwise)}` : sql``;
  const result = {
    ...typed(sql`CASE${branches.reduce((left, right) => sql`${left}${right}`)}${otherwise} END`, type),
    ...barePadding(values, type),
  };
  return values.some((value) => value.vanishes) ? { ...result, vanishes: true } : result;
}

function commonOf(values: readonly SqlExpression[], node: Expression): HiveType {
  if (mixesChars(values))
    throw unsupported(node.position, "CASE", "gives chars of several lengths, literals among them");
  if (hasOpenScale(values)) throw unsupported(node.position, "CASE", openScale);
  let type: HiveType = types.void;
  for (const value of values) {
    const next = commonType(type, value.type);
    if (!next || (isNested(next) && !isVoid(type) && !isVoid(value.type) && !sameType(type, value.type)))
      throw semantic(
        node.position,
        "CASE",
        `gives ${typeName(type)} in one branch and ${typeName(value.type)} in another`,
      );
    type = next;
  }
  return type;
}
