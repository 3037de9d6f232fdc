/** Functions that hide what a value says and keep its form. */
import { macro, sql, type Fragment, type SqlExpression } from "../emit/fragment";
import { decimal, duckType, type HiveType, isInteger, isText, quoteString, typeName } from "../bind/types";
import { type CallSite, type Parameter, scalar, type ScalarFunction, type Values } from "./define";

/** What stands for upper and lower case letters, digits and all else, and for digits of numbers and parts of dates. */
const characters = ["X", "x", "n"] as const;
const kept = -1;

const masking: readonly Parameter[] = ["constant", "constant", "constant", "constant", "constant", "constant"];
const parts = "upper, lower, digit, other, number, day, month, year";

/** Which characters and digits are hidden: all, or some at one end. */
const masked = (name: string, doc: string): ScalarFunction => {
  const counts = name !== "mask";
  return scalar(name, {
    signature: `${name}(string | integer | date value[, ${counts ? "int n, " : ""}${parts}])`,
    doc,
    takes: ["primitive", ...(counts ? ["constant" as const] : []), ...masking, "constant", "constant"],
    optional: counts ? 9 : 8,
    returns: maskedType,
    emit: (values, call, type) => {
      const [value] = values;
      const count = counts ? Math.max(numeral(values[1], 4, call), 0) : 0;
      const options = values.slice(counts ? 2 : 1);
      // Hive reads them all, whichever the type needs.
      for (const [index, option] of options.entries()) if (index >= 4) numeral(option, 0, call);
      if (isText(type)) {
        const codes = [...characters, kept].map((character, index) => codeOf(options[index], character, call));
        return sql`hive_mask_text(${value}, ${quoteString(name)}, CAST(${count} AS INTEGER), ${quoteString(codes.join(" "))})`;
      }
      if (type.kind === "date") return maskedDate(value, options, call);
      const bits = { tinyint: 8, smallint: 16, int: 32, bigint: 64 }[type.kind as "int"] as number | undefined;
      if (bits === undefined) return sql`CAST(NULL AS ${duckType(type)})`;
      const wanted = numeral(options[4], 1, call);
      const digit = wanted < 0 || wanted > 9 ? 1 : wanted;
      return sql`CAST(hive_mask_number(CAST(${value} AS BIGINT), ${quoteString(name)}, CAST(${count} AS INTEGER), CAST(${digit} AS INTEGER), CAST(${bits} AS INTEGER)) AS ${duckType(type)})`;
    },
  });
};

export const maskingFunctions: readonly ScalarFunction[] = [
  masked("mask", "masks letters as X and x, digits as n, digits of numbers as 1, dates as 0000-01-01"),
  masked("mask_first_n", "masks the first 4 where n is not given"),
  masked("mask_last_n", "masks the last 4 where n is not given"),
  masked("mask_show_first_n", "masks all but the first 4 where n is not given"),
  masked("mask_show_last_n", "masks all but the last 4 where n is not given"),
  scalar("mask_hash", {
    signature: "mask_hash(primitive value)",
    doc: "is SHA-256 in hexadecimal for strings, and NULL for all else",
    takes: ["primitive"],
    returns: maskedType,
    emit: ([value], _call, type) => (isText(type) ? sql`sha256(${value})` : sql`CAST(NULL AS ${duckType(type)})`),
  }),
];

/** Hive names the kind of type and leaves its parameters at what they are where none are given. */
function maskedType(values: Values, call: CallSite): HiveType {
  const { type } = values[0];
  if (type.kind === "char") throw call.refused(`of ${typeName(type)} is not supported by the embedded engine`);
  if (type.kind === "void") throw call.refused("of a NULL without a type is not supported by the embedded engine");
  if (type.kind === "varchar") return { kind: "varchar", length: 65_535 };
  return type.kind === "decimal" ? decimal(38, 18) : type;
}

function maskedDate(value: SqlExpression, options: readonly SqlExpression[], call: CallSite): Fragment {
  const [day, month, year] = [5, 6, 7].map((index) => numeral(options[index], index === 5 ? 1 : 0, call)) as [
    number,
    number,
    number,
  ];
  if (year < kept || year > 9999) throw call.refused(`with the year ${year} is not supported by the embedded engine`);
  const shown = (part: string, wanted: number, least: number, most: number, otherwise: number) => {
    if (wanted === kept) return sql`${part}(${value})`;
    return sql`${wanted < least || wanted > most ? otherwise : wanted}`;
  };
  // Months are told from 0 on and written from 1 on.
  const written = month === kept ? sql`month(${value})` : sql`${(month < 0 || month > 11 ? 0 : month) + 1}`;
  return macro("hive_masked_date", value, shown("year", year, 0, 9999, 0), written, shown("day", day, 1, 31, 1));
}

/** A character as its code: of a string the first one, of a whole number the one with that code. */
function codeOf(option: SqlExpression | undefined, otherwise: string | number, call: CallSite): number {
  const standard = typeof otherwise === "string" ? otherwise.charCodeAt(0) : otherwise;
  const constant = option?.constant ?? "";
  if (option === undefined || constant === "") return standard;
  if (typeof constant === "string" && isText(option.type)) return constant.charCodeAt(0);
  if (typeof constant === "number" && ["smallint", "int", "bigint"].includes(option.type.kind) && inPlane(constant))
    return constant;
  throw call.refused("takes characters as strings or codes in the embedded engine");
}

const inPlane = (code: number) => code === kept || (code >= 0 && code < 0xd800);

function numeral(option: SqlExpression | undefined, otherwise: number, call: CallSite): number {
  const constant = option?.constant ?? "";
  if (option === undefined || constant === "") return otherwise;
  const isWhole =
    typeof constant === "string" && isText(option.type) ? /^[+-]?\d{1,9}$/.test(constant) : isInteger(option.type);
  if (!isWhole) throw call.invalid("takes whole numbers as its last arguments");
  return Number(constant);
}
