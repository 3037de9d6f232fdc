/** Conditional functions, NULL tests and lookups in a list of values. */
import { join, raw, sql } from "../sql/fragment";
import type { Typed } from "../tree/nodes";
import { isInferredDate } from "../tree/facts";
import { nullTest, operation } from "../tree/typed";
import {
  type HiveType,
  isDateOrTime,
  isNested,
  isNumber,
  isText,
  isVoid,
  sameType,
  typeName,
  types,
} from "../tree/types";
import { type CallSite, scalar } from "./define";

/** Returns the common type of the arguments; arrays, maps and structs must all have the same type. */
function typeOfAll(values: readonly Typed[], call: CallSite): HiveType {
  const complex = values.filter(({ type }) => isNested(type));
  const unlike = complex.find(({ type }) => !sameType(type, complex[0]?.type ?? type));
  if (unlike)
    throw call.invalid(
      `has arguments of different types ${typeName((complex[0] as Typed).type)} and ${typeName(unlike.type)}`,
    );
  return call.common(values);
}

/** Returns the group of a type; nullif compares types of the same group. */
const comparisonGroup = (type: HiveType) => {
  if (isNumber(type)) return "number";
  if (isText(type)) return "text";
  return isDateOrTime(type) ? "date" : type.kind;
};

export const conditionalFunctions = [
  scalar("if", {
    signature: "if(boolean test, T then, T otherwise)",
    takes: ["boolean", "any", "any"],
    returns: (values, call) => typeOfAll(values.slice(1), call),
    emit: ([test, then, otherwise], call, type) =>
      sql`CASE WHEN ${test} THEN ${call.convert(then, type)} ELSE ${call.convert(otherwise, type)} END`,
  }),
  scalar("coalesce", {
    signature: "coalesce(T v1, T v2, …)",
    takes: ["any"],
    variadic: true,
    returns: typeOfAll,
    means: (values, call, type) => {
      const operands = values.map((value) => call.convert(value, type));
      return operation({ kind: "coalesce", operands }, type);
    },
  }),
  scalar("nvl", {
    signature: "nvl(T value, T default)",
    takes: ["any", "any"],
    returns: typeOfAll,
    emit: (values, call, type) => sql`coalesce(${join(values.map((value) => call.convert(value, type)))})`,
  }),
  scalar("nullif", {
    signature: "nullif(T a, T b)",
    doc: "converts `b` to the type of `a`; both must be numbers, texts, dates or times, or booleans",
    takes: ["primitive", "primitive"],
    returns: ([value, other], call) => {
      const right = other.type;
      const left = isText(right) && isInferredDate(value) ? types.string : value.type;
      if (left.kind === "string" && isInferredDate(other)) return left;
      if (!isVoid(right) && (isVoid(left) || comparisonGroup(left) !== comparisonGroup(right)))
        throw call.invalid(`cannot compare ${typeName(left)} with ${typeName(right)}: cast one of them`);
      return left;
    },
    emit: ([value, other], call, type) => {
      const [left, right] = [call.convert(value, type), call.convert(other, type)];
      return sql`CASE WHEN ${left} = ${right} THEN NULL ELSE ${left} END`;
    },
  }),
  scalar("isnull", {
    signature: "isnull(any)",
    takes: ["any"],
    returns: types.boolean,
    means: ([value], call) => nullTest(value, call.position),
  }),
  scalar("isnotnull", {
    signature: "isnotnull(any)",
    takes: ["any"],
    returns: types.boolean,
    emit: ([value], call) => sql`(NOT ${nullTest(value, call.position)})`,
  }),
  ...(["istrue", "isnottrue", "isfalse", "isnotfalse"] as const).map((name) =>
    scalar(name, {
      signature: `${name}(boolean)`,
      takes: ["boolean"],
      returns: types.boolean,
      emit: ([value]) =>
        sql`(${value} IS ${name.includes("not") ? "" : "NOT "}DISTINCT FROM ${name.endsWith("true") ? "TRUE" : "FALSE"})`,
    }),
  ),
  scalar("field", {
    signature: "field(T value, T v1, T v2, …)",
    doc: "returns the position of the first equal value of the same type, and 0 if there is none; NULL equals nothing",
    takes: ["primitive", "primitive"],
    variadic: true,
    returns: types.int,
    emit: ([value, ...others], call) => {
      if (value.type.kind === "char") throw call.refused("has a char argument: cast it to string");
      const branches = others
        .map((other, index) => ({ other, place: index + 1 }))
        .filter(({ other }) => other.type.kind === value.type.kind && !isVoid(value.type))
        .map(({ other, place }) => sql` WHEN ${value} = ${other} THEN ${place}`);
      if (branches.length === 0) return raw("CAST(0 AS INTEGER)");
      return sql`CAST(CASE${branches.reduce((left, right) => sql`${left}${right}`)} ELSE 0 END AS INTEGER)`;
    },
  }),
];
