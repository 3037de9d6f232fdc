/** CAST … FORMAT between text and dates or timestamps. */
import { type Expression, semantic } from "../syntax";
import { cast } from "../tree/cast";
import type { Typed } from "../tree/nodes";
import { literal, operation } from "../tree/typed";
import { InvalidFormat, readSqlPattern } from "../runtime/date-format/pattern";
import { duckType, type HiveType, isDateOrTime, isText, isVoid, typeName, types } from "../tree/types";

type Cast = Extract<Expression, { kind: "cast" }>;

/**
 * Translates a cast with a SQL:2016 datetime pattern.
 * @throws HiveQLError for types and patterns that Hive refuses.
 */
export function castByFormat(node: Cast, operand: Typed, type: HiveType, format: string): Typed {
  const construct = "CAST … FORMAT";
  const reads = type.kind === "date" || type.kind === "timestamp";
  const fits = reads ? isText(operand.type) : isText(type) && isDateOrTime(operand.type);
  if (!(isText(type) || reads) || !(fits || isVoid(operand.type)))
    throw semantic(node.position, construct, `cannot convert ${typeName(operand.type)} to ${typeName(type)}`);
  checkPattern(node, format, reads);
  if (isVoid(operand.type)) return literal(`CAST(NULL AS ${duckType(type)})`, type);
  const to = reads ? type : types.string;
  const result = operation({ kind: "formatted cast", operands: [operand], pattern: format, to }, to);
  return cast(result, type) ?? result;
}

function checkPattern(node: Cast, format: string, reads: boolean): void {
  try {
    readSqlPattern(format, reads);
  } catch (error) {
    if (!(error instanceof InvalidFormat)) throw error;
    throw semantic(node.position, `FORMAT '${format}'`, error.message);
  }
}
