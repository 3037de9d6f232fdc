/** Masking functions. */
import { macro, sql } from "../../sql/fragment";
import type { Typed } from "../../tree/nodes";
import { decimal, duckType, type HiveType, isText, quoteLiteral, typeName } from "../../tree/types";
import { type CallSite, scalar, type ScalarFunction, type ArgumentValues } from "../define";

/** Default replacements of upper case letters, lower case letters, digits and others, which are kept. */
const characters = ["X", "x", "n", ""] as const;

export const maskingFunctions: readonly ScalarFunction[] = [
  scalar("mask", {
    signature: "mask(string | integer | date value[, upper, lower, digit, other])",
    doc: "replaces upper case letters by X, lower case letters by x, digits by n, digits of integers by 1 and dates by 0000-01-01",
    takes: ["primitive", "constant", "constant", "constant", "constant"],
    optional: 4,
    returns: maskedType,
    emit: ([value, ...options], call, type) => {
      const codes = characters.map((character, index) => replacementOf(options[index], character, call));
      if (isText(type)) return sql`hive_mask_text(${value}, ${quoteLiteral(codes.join(" "))})`;
      if (type.kind === "date") return macro("hive_masked_date", value);
      const bits = { tinyint: 8, smallint: 16, int: 32, bigint: 64 }[type.kind as "int"] as number | undefined;
      return bits === undefined
        ? sql`CAST(NULL AS ${duckType(type)})`
        : sql`CAST(hive_mask_number(CAST(${value} AS BIGINT), CAST(${bits} AS INTEGER)) AS ${duckType(type)})`;
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

/** Returns the code of a replacement character; -1 keeps the original. */
function replacementOf(option: Typed | undefined, otherwise: string, call: CallSite): number {
  const character = option === undefined || option.constant === "" ? otherwise : option.constant;
  if (typeof character !== "string") throw call.refused("has a replacement character that is no string literal");
  return character === "" ? -1 : character.charCodeAt(0);
}
