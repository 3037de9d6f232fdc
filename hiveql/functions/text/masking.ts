/** Masking functions. */
import { sql } from "../../tree/fragment";
import { decimal, duckType, type HiveType, isText, typeName } from "../../tree/types";
import { type CallSite, scalar, type ScalarFunction, type ArgumentValues } from "../define";

export const maskingFunctions: readonly ScalarFunction[] = [
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
