/** Mathematical functions. */
import { arithmetic } from "../tree/arithmetic";
import { divisor } from "../sql/zero";
import { isInferredDate } from "../tree/facts";
import { arithmeticType, commonType, comparisonType } from "../tree/coercion";
import { join, macro, raw, sql } from "../sql/fragment";
import type { Part } from "../sql/fragment";
import type { Typed } from "../tree/nodes";
import {
  duckType,
  type HiveType,
  isApproximate,
  isInteger,
  isNumber,
  isText,
  isVoid,
  typeName,
  types,
} from "../tree/types";
import { roundingFunctions } from "./rounding";
import { type CallSite, type Parameter, scalar, type ArgumentValues } from "./define";

/** Declares a function of one double. */
const doubleFunction = (names: string, body: (x: Typed) => Part, doc = "") =>
  scalar(names, {
    signature: `${names.split(" ")[0]}(double x)`,
    doc,
    takes: ["double"],
    returns: types.double,
    emit: ([x]) => body(x),
  });

const constant = (name: string, value: string) =>
  scalar(name, { signature: `${name}()`, takes: [], returns: types.double, emit: () => raw(value) });

const numberOrText: readonly Parameter[] = ["number"];

export const mathFunctions = [
  ...roundingFunctions,
  scalar("abs", {
    signature: "abs(number x)",
    doc: "returns int for tinyint and smallint; wraps on overflow",
    takes: ["primitive"],
    returns: ([x], call) => absoluteType(x.type, call),
    emit: ([x], call, type) => {
      if (type.kind === "int") return macro("hive_wrap_int", sql`abs(CAST(${x} AS BIGINT))`);
      if (type.kind === "bigint") return macro("hive_wrap_bigint", sql`abs(CAST(${x} AS HUGEINT))`);
      return sql`abs(${call.convert(x, type)})`;
    },
  }),
  scalar("sign", {
    signature: "sign(number x)",
    doc: "returns int for decimals and double for other types; returns -1 for NaN",
    takes: numberOrText,
    returns: ([x]) => (x.type.kind === "decimal" ? types.int : types.double),
    emit: ([x], _call, type) => {
      const sign = sql`CAST(sign(${x}) AS ${duckType(type)})`;
      return isApproximate(x.type) ? sql`CASE WHEN isnan(${x}) THEN -1.0 ELSE ${sign} END` : sign;
    },
  }),
  scalar("positive", {
    signature: "positive(number x)",
    takes: ["primitive"],
    returns: ([x], call) => {
      if (!isNumber(x.type) && !isText(x.type) && !isVoid(x.type)) throw call.invalid("expects a number");
      return x.type;
    },
    means: ([x]) => x,
  }),
  scalar("negative", {
    signature: "negative(number x)",
    doc: "wraps on overflow",
    takes: numberOrText,
    returns: ([x]) => x.type,
    emit: ([x]) =>
      isInteger(x.type) ? macro(`hive_wrap_${x.type.kind as "int"}`, sql`-CAST(${x} AS HUGEINT)`) : sql`(-${x})`,
  }),
  scalar("pmod", {
    signature: "pmod(number a, number b)",
    doc: "returns NULL if `b` is 0; takes no decimals",
    takes: ["number", "number"],
    returns: ([a, b], call) => {
      const type = arithmeticType(a.type, b.type);
      if (!type) throw call.invalid("expects numbers");
      return type;
    },
    emit: ([a, b], call, type) => {
      const first = call.convert(a, type);
      const second = call.convert(b, type);
      if (type.kind === "decimal") throw call.refused("has decimal arguments: write (a % b + b) % b");
      const by = divisor(typeof b.constant === "number" ? { ...second, constant: b.constant } : second);
      const remainder = sql`(${first} % ${by})`;
      // Java adds tinyints and smallints as ints; int and bigint wrap.
      const wide = type.kind === "bigint" ? "bigint" : "int";
      const sum = isInteger(type)
        ? macro(`hive_wrap_${wide}`, sql`CAST(${remainder} AS HUGEINT) + ${second}`)
        : sql`(${remainder} + ${second})`;
      return sql`CAST(${sum} % ${by} AS ${duckType(type)})`;
    },
  }),
  scalar("mod", {
    signature: "mod(number a, number b)",
    doc: "the same as `a % b`",
    takes: ["number", "number"],
    returns: ([a, b], call) => arithmetic("%", a, b, call.position).type,
    means: ([a, b], call) => arithmetic("%", a, b, call.position),
  }),
  scalar("pow power", {
    signature: "pow(double a, double b)",
    takes: ["double", "double"],
    returns: types.double,
    emit: ([a, b]) => sql`hive_pow(${a}, ${b})`,
  }),
  doubleFunction("sqrt", (x) => sql`CASE WHEN ${x} >= 0 THEN sqrt(${x}) END`, "returns NULL for negative numbers"),
  scalar("cbrt", {
    signature: "cbrt(double x)",
    takes: ["primitive"],
    returns: types.double,
    emit: ([x], call) => {
      if (!isNumber(x.type) && !isVoid(x.type)) throw call.invalid(`expects a number, got ${typeName(x.type)}`);
      return sql`hive_cbrt(${call.convert(x, types.double)})`;
    },
  }),
  ...["ln", "log2", "log10"].map((name) =>
    doubleFunction(
      name,
      (x) => sql`CASE WHEN ${x} > 0 THEN hive_${name}(${x}) END`,
      "returns NULL unless `x` is positive",
    ),
  ),
  scalar("log", {
    signature: "log([double base,] double x)",
    doc: "returns NULL unless `x` is positive and the base is greater than 1",
    takes: ["number", "number"],
    optional: 1,
    returns: types.double,
    emit: (given, call) => {
      const values = given.map((value) => call.convert(value, types.double));
      return values.length < 2
        ? sql`CASE WHEN ${values[0] as Typed} > 0 THEN hive_ln(${values[0] as Typed}) END`
        : sql`CASE WHEN ${values[0] as Typed} > 1 AND ${values[1] as Typed} > 0 THEN hive_ln(${values[1] as Typed}) / hive_ln(${values[0] as Typed}) END`;
    },
  }),
  ...["exp", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh"].map((name) =>
    doubleFunction(name, (x) => sql`hive_${name}(${x})`),
  ),
  ...["asin", "acos"].map((name) =>
    doubleFunction(
      name,
      (x) => sql`CASE WHEN isnan(${x}) THEN ${x} WHEN abs(${x}) <= 1 THEN hive_${name}(${x}) END`,
      "returns NULL outside −1 … 1",
    ),
  ),
  doubleFunction("degrees", (x) => sql`degrees(${x})`),
  doubleFunction("radians", (x) => sql`radians(${x})`),
  constant("pi", "pi()"),
  constant("e", "exp(CAST(1 AS DOUBLE))"),
  scalar("factorial", {
    signature: "factorial(int n)",
    doc: "returns NULL outside 0 … 20",
    takes: ["int"],
    returns: types.bigint,
    emit: ([n]) => sql`CASE WHEN ${n} BETWEEN 0 AND 20 THEN CAST(factorial(${n}) AS BIGINT) END`,
  }),
  ...(["greatest", "least"] as const).map((name) =>
    scalar(name, {
      signature: `${name}(T v1, T v2, …)`,
      doc: "returns NULL if any argument is NULL; does not mix strings with other types",
      takes: ["primitive", "primitive"],
      variadic: true,
      returns: comparedType,
      emit: (values, call, type) => {
        const all = values.map((value) => call.convert(value, type));
        const known = join(
          all.map((value) => sql`${value} IS NOT NULL`),
          " AND ",
        );
        if (type.kind !== "float") return sql`CASE WHEN ${known} THEN ${name}(${join(all)}) END`;
        // DuckDB loses the sign of a zero among floats.
        const doubles = all.map((value) => sql`CAST(${value} AS DOUBLE)`);
        return sql`CASE WHEN ${known} THEN CAST(${name}(${join(doubles)}) AS FLOAT) END`;
      },
    }),
  ),
  ...(["shiftleft", "shiftright", "shiftrightunsigned"] as const).map((name) =>
    scalar(name, {
      signature: `${name}(tinyint | smallint | int | bigint x, int bits)`,
      doc: "uses the number of bits modulo 32, or 64 for bigint; returns bigint for bigint and int for other types",
      takes: ["primitive", "int"],
      returns: ([x], call) => {
        if (!isInteger(x.type) && !isVoid(x.type)) throw call.invalid(`expects an integer, got ${typeName(x.type)}`);
        return x.type.kind === "bigint" || isVoid(x.type) ? types.bigint : types.int;
      },
      emit: ([x, bits], call, type) =>
        macro(`hive_${name}_${type.kind as "int" | "bigint"}`, call.convert(x, type), bits),
    }),
  ),
];

function absoluteType(type: HiveType, call: CallSite): HiveType {
  if (type.kind === "float" || type.kind === "string") return types.double;
  if (!isNumber(type)) throw call.invalid(`expects a number or a string, got ${typeName(type)}: cast it to string`);
  return type.kind === "tinyint" || type.kind === "smallint" ? types.int : type;
}

function comparedType(values: ArgumentValues, call: CallSite): HiveType {
  let type: HiveType = types.void;
  // For more than two arguments Hive finds a common type or not, depending on their order.
  const booleans = values.filter((value) => value.type.kind === "boolean").length;
  if (values.length > 2 && booleans > 0 && booleans < values.length)
    throw call.refused("mixes booleans with other types");
  const others = values.filter((value) => !isInferredDate(value) && !isVoid(value.type));
  const areTexts = others.length > 0 && others.every((value) => isText(value.type));
  if (areTexts && values.some(isInferredDate)) return types.string;
  for (const value of values) {
    const areChars: boolean = type.kind === "char" && value.type.kind === "char";
    const next: HiveType | undefined = (areChars ? commonType : comparisonType)(type, value.type);
    if (!next) throw call.invalid("cannot compare its arguments");
    if (isText(type) !== isText(value.type) && !isVoid(type) && !isVoid(value.type)) {
      throw call.refused("mixes strings with other types: cast the arguments to one type");
    }
    type = next;
  }
  return type;
}
