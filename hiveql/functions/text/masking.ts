/** Masking functions. */
import { macro, sql } from "../../tree/fragment";
import type { Part, Typed } from "../../tree/nodes";
import { decimal, duckType, type HiveType, isInteger, isText, quoteLiteral, typeName } from "../../tree/types";
import { type CallSite, type Parameter, scalar, type ScalarFunction, type ArgumentValues } from "../define";

/** Default replacements of upper case letters, lower case letters and digits. */
const characters = ["X", "x", "n"] as const;
/** The option that keeps a character or a part of a date. */
const kept = -1;

const masking: readonly Parameter[] = ["constant", "constant", "constant", "constant", "constant", "constant"];
const parts = "upper, lower, digit, other, number, day, month, year";

export const maskingFunctions: readonly ScalarFunction[] = [
  scalar("mask", {
    signature: `mask(string | integer | date value[, ${parts}])`,
    doc: "replaces upper case letters by X, lower case letters by x, digits by n, digits of numbers by 1 and dates by 0000-01-01",
    takes: ["primitive", ...masking, "constant", "constant"],
    optional: 8,
    returns: maskedType,
    emit: (values, call, type) => {
      const [value, ...options] = values;
      // Hive reads all options, whatever the type needs.
      for (const [index, option] of options.entries()) if (index >= 4) integerOption(option, 0, call);
      if (isText(type)) {
        const codes = [...characters, kept].map((character, index) => codeOf(options[index], character, call));
        return sql`hive_mask_text(${value}, ${quoteLiteral(codes.join(" "))})`;
      }
      if (type.kind === "date") return maskedDate(value, options, call);
      const bits = { tinyint: 8, smallint: 16, int: 32, bigint: 64 }[type.kind as "int"] as number | undefined;
      if (bits === undefined) return sql`CAST(NULL AS ${duckType(type)})`;
      const wanted = integerOption(options[4], 1, call);
      const digit = wanted < 0 || wanted > 9 ? 1 : wanted;
      return sql`CAST(hive_mask_number(CAST(${value} AS BIGINT), CAST(${digit} AS INTEGER), CAST(${bits} AS INTEGER)) AS ${duckType(type)})`;
    },
  }),
  scalar("mask_hash", {
    signature: "mask_hash(primitive value)",
    doc: "returns the hexadecimal SHA-256 hash of strings, and NULL for other types",
    takes: ["primitive"],
    returns: maskedType,
    emit: ([value], _call, type) => (isText(type) ? sql`sha256(${value})` : sql`CAST(NULL AS ${duckType(type)})`),
  }),
];

/** Returns the result type: Hive drops the parameters of varchar and decimal and uses their defaults. */
function maskedType(values: ArgumentValues, call: CallSite): HiveType {
  const { type } = values[0];
  if (type.kind === "char") throw call.refused(`has an argument of type ${typeName(type)}: cast it to string`);
  if (type.kind === "void") throw call.refused("has an untyped NULL as argument: cast it to a type");
  if (type.kind === "varchar") return { kind: "varchar", length: 65_535 };
  return type.kind === "decimal" ? decimal(38, 18) : type;
}

function maskedDate(value: Typed, options: readonly Typed[], call: CallSite): Part {
  const [day, month, year] = [5, 6, 7].map((index) => integerOption(options[index], index === 5 ? 1 : 0, call)) as [
    number,
    number,
    number,
  ];
  if (year < kept || year > 9999) throw call.refused(`has the year ${year}, which is not between 0 and 9999`);
  const shown = (part: string, wanted: number, least: number, most: number, otherwise: number) => {
    if (wanted === kept) return sql`${part}(${value})`;
    return sql`${wanted < least || wanted > most ? otherwise : wanted}`;
  };
  // The option counts months from 0.
  const written = month === kept ? sql`month(${value})` : sql`${(month < 0 || month > 11 ? 0 : month) + 1}`;
  return macro("hive_masked_date", value, shown("year", year, 0, 9999, 0), written, shown("day", day, 1, 31, 1));
}

/** Returns the code of a replacement character, given as a string or as an integer code. */
function codeOf(option: Typed | undefined, otherwise: string | number, call: CallSite): number {
  const standard = typeof otherwise === "string" ? otherwise.charCodeAt(0) : otherwise;
  const constant = option?.constant ?? "";
  if (option === undefined || constant === "") return standard;
  if (typeof constant === "string" && isText(option.type)) return constant.charCodeAt(0);
  if (typeof constant === "number" && ["smallint", "int", "bigint"].includes(option.type.kind) && isValidCode(constant))
    return constant;
  throw call.refused("has a replacement character that is neither a string literal nor a character code");
}

const isValidCode = (code: number) => code === kept || (code >= 0 && code < 0xd800);

function integerOption(option: Typed | undefined, otherwise: number, call: CallSite): number {
  const constant = option?.constant ?? "";
  if (option === undefined || constant === "") return otherwise;
  const isWhole =
    typeof constant === "string" && isText(option.type) ? /^[+-]?\d{1,9}$/.test(constant) : isInteger(option.type);
  if (!isWhole) throw call.invalid("expects whole numbers as its last arguments");
  return Number(constant);
}
