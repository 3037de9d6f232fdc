/** Binds expressions to SQL with their Hive types. */
import { caseCondition } from "./condition";
import { implicitCast, impossibleDate } from "../tree/implicit-cast";
import { expression, type Scope } from "./scope";
import { type Expression, isName, type Position, semantic, subexpressions, typeInHive, unsupported } from "../syntax";
import { bindCall } from "./calls";
import { parseType } from "../tree/parse-type";
import { commonType, commonTypeOf } from "../tree/coercion";
import { cast, isImpossibleDate } from "../tree/cast";
import type { Node, Typed } from "../tree/nodes";
import { operation } from "../tree/typed";
import { blaming } from "../tree/facts";
import { canBeGroupKey } from "../functions/kinds-of-calls";
import { inList } from "./in-list";
import {
  booleanLiteral,
  dateOrTimestampLiteral,
  intervalLiteral,
  nullLiteral,
  numberLiteral,
  textLiteral,
} from "./literals";
import { resolves, bindIndex, bindName } from "./names";
import { coercedPair } from "./literal-coercion";
import { compare } from "./comparison";
import { between, binary, like, logical, unary, isPredicate } from "./operators";
import { existsQuery, inQuery, quantifiedQuery, scalarQuery } from "./subqueries";
import { type HiveType, isNested, isNumber, isVoid, sameType, structOf, typeName, types } from "../tree/types";

/** Binds an expression; the same node in the same scope is bound once. */
export function bindExpression(node: Expression, scope: Scope): Typed {
  const known = scope.memo.get(node);
  if (known) return known;
  try {
    const value = { ...(groupKey(node, scope) ?? computed(node, scope)), position: node.position };
    scope.memo.set(node, value);
    return value;
  } catch (error) {
    throw blaming(error, boundOperands(node, scope));
  }
}

/** Returns the operands of an expression that are bound. */
function boundOperands(node: Expression, { memo, grouping }: Scope): readonly Typed[] {
  const found = subexpressions(node).map((each) => memo.get(each) ?? grouping?.base.memo.get(each));
  return found.filter((each) => each !== undefined);
}

/**
 * Returns the group key that an expression equals over grouped rows, even if it is written differently. In ORDER BY, a
 * name is that of the select list if it has one: `SELECT upper(k) AS k … GROUP BY k ORDER BY k` sorts by `upper(k)`.
 */
function groupKey(node: Expression, { grouping, aliases }: Scope): Typed | undefined {
  if (!grouping || grouping.keys.length === 0 || !canBeGroupKey(node)) return undefined;
  if (node.kind === "name" && aliases?.precedeColumns && aliases.values.has(node.name)) return undefined;
  if (!resolves(node, grouping.base)) return undefined;
  const base = expression(node, grouping.base);
  if (base.constant !== undefined) return undefined;
  return isName(node) ? grouping.namedKey(base) : grouping.key(base);
}

/** Binds an expression. @throws HiveQLError also for one that makes a char. */
function computed(node: Expression, scope: Scope): Typed {
  const value = bindNode(node, scope);
  if (value.type.kind === "char" && charMakers.has(value.node.kind))
    throw unsupported(
      node.position,
      "expression of type char",
      "makes a char, which Hive pads with spaces or not depending on how it runs the statement: write string, or cast the operands to string",
    );
  return value;
}

const charMakers: ReadonlySet<Node["kind"]> = new Set(["call", "case", "cast", "coalesce", "concatenation"]);

function bindNode(node: Expression, scope: Scope): Typed {
  const sub = (inner: Expression) => expression(inner, scope);
  switch (node.kind) {
    case "string":
      return textLiteral(node.value);
    case "number":
      return numberLiteral(node.text, node.position);
    case "boolean":
      return booleanLiteral(node.value);
    case "null":
      return nullLiteral;
    case "date":
    case "timestamp":
      return dateOrTimestampLiteral(node.kind, node.value, node.position);
    case "interval":
      return intervalLiteral(node, (value) => wholeNumber(value, scope));
    case "name":
    case "field":
      return bindName(node, scope);
    case "index":
      return bindIndex(node, sub(node.base), sub(node.index));
    case "call":
      return bindCall(node, scope);
    case "cast":
      return bindCast(node, scope);
    case "case":
      return bindCase(node, scope);
    case "unary":
      return unary(node, scope);
    case "binary":
      return binary(node, sub(node.left), sub(node.right), scope);
    case "logical":
      return logical(node, scope);
    case "is":
      return isPredicate(node, scope);
    case "like":
      return like(node, scope);
    case "between":
      return between(node, sub(node.operand), sub(node.low), sub(node.high));
    case "in":
      return inList(node, sub);
    case "in query":
      return inQuery(node, scope);
    case "quantified":
      return quantifiedQuery(node, scope);
    case "exists":
      return existsQuery(node, scope);
    case "scalar query":
      return scalarQuery(node, scope);
    case "row":
      return row(node.items.map(sub));
  }
}

function wholeNumber(node: Expression, scope: Scope): Typed {
  return implicitCast(expression(node, scope), types.bigint, node, "interval");
}

/** Binds the row `(a, b)` of IN to a struct. */
function row(items: readonly Typed[]): Typed {
  const fields = items.map((item, index) => ({ name: `col${index + 1}`, type: item.type }));
  return operation({ kind: "row", operands: items }, structOf(fields));
}

function unknownType(name: string, position: Position) {
  if (/^(?:decimal|numeric)\b/i.test(name))
    return semantic(position, `type ${name}`, "has too many digits: write decimal(p,s) with s <= p <= 38");
  if (/^timestamp\s*with\s*local/i.test(name))
    return unsupported(
      position,
      "type timestamp with local time zone",
      "depends on a session's time zone: write timestamp, and convert with to_utc_timestamp",
    );
  const own = typeInHive(name);
  return unsupported(position, `type ${name}`, own === undefined ? undefined : `is not in HiveQL: write ${own}`);
}

/** Returns why Hive refuses a cast, with what to write instead. */
function castRemedy(from: HiveType, to: HiveType): string {
  if (isNumber(from) && to.kind === "timestamp")
    return "is prohibited in Hive 4: write CAST(from_unixtime(seconds) AS timestamp)";
  if (from.kind === "timestamp" && isNumber(to)) return "is prohibited in Hive 4: write unix_timestamp(time)";
  if (isNumber(from) && to.kind === "date") return "is not in Hive: write to_date(from_unixtime(seconds))";
  if (from.kind === "date" && isNumber(to))
    return "is not in Hive: write unix_timestamp(date), or datediff(date, '1970-01-01')";
  if (isNested(from)) return "is not in Hive: select its elements or fields, and cast those";
  return isNested(to)
    ? "is not in Hive: write array(…), map(…) or named_struct(…)"
    : "is not in Hive: cast to string first";
}

function bindCast(node: Extract<Expression, { kind: "cast" }>, scope: Scope): Typed {
  const type = parseType(node.type);
  if (!type) throw unknownType(node.type, node.position);
  if (node.hasFormat)
    throw unsupported(
      node.position,
      "CAST … FORMAT",
      "has a SQL:2016 pattern: write date_format or unix_timestamp with a Java pattern",
    );
  const operand = expression(node.operand, scope);
  const result = cast(operand, type);
  if (!result && isImpossibleDate(operand)) throw impossibleDate(operand, node);
  if (!result)
    throw unsupported(
      node.position,
      `cast of ${typeName(operand.type)} to ${typeName(type)}`,
      castRemedy(operand.type, type),
    );
  return result;
}

function bindCase(node: Extract<Expression, { kind: "case" }>, scope: Scope): Typed {
  const results = [...node.branches.map((branch) => branch.then), ...(node.otherwise ? [node.otherwise] : [])];
  const values = results.map((result) => expression(result, scope));
  const type = commonOf(values, node);
  const chosen = (value: Typed, each: Expression) => implicitCast(value, type, each);
  const operand = node.operand;
  const compared = (each: Expression): Typed => expression(each, scope);
  const branches = node.branches.flatMap((branch, index) => {
    const test = operand
      ? compare(
          "=",
          ...coercedPair(operand, compared(operand), branch.when, compared(branch.when)),
          branch.when.position,
        )
      : caseCondition(branch.when, { ...scope, clause: "WHEN" });
    return [test, chosen(values[index] as Typed, branch.then)];
  });
  const otherwise = node.otherwise ? [chosen(values.at(-1) as Typed, node.otherwise)] : [];
  return operation({ kind: "case", operands: [...branches, ...otherwise] }, type);
}

function commonOf(values: readonly Typed[], node: Expression): HiveType {
  return commonTypeOf(
    values.map(({ type }) => type),
    (left, right) =>
      semantic(
        node.position,
        "CASE",
        `returns ${typeName(left)} in one branch and ${typeName(right)} in another: cast one of them`,
      ),
    (left, right) => {
      const areAlike = isVoid(left) || isVoid(right) || sameType(left, right);
      return areAlike || !isNested(left) ? commonType(left, right) : undefined;
    },
  );
}
