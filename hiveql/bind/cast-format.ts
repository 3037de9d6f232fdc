/** CAST … FORMAT between text and dates or timestamps. */
import { type Expression, semantic } from "../syntax";
import { cast } from "../tree/cast";
import { raw, sql } from "../tree/fragment";
import type { Typed } from "../tree/nodes";
import { typed } from "../tree/typed";
import { InvalidFormat, readSqlPattern } from "../runtime/date-format/pattern";
import { duckType, type HiveType, isDateOrTime, isText, isVoid, quoteLiteral, typeName, types } from "../tree/types";

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
  if (isVoid(operand.type)) return typed(raw(`CAST(NULL AS ${duckType(type)})`), type);
  const pattern = quoteLiteral(format);
  if (type.kind === "date") return typed(sql`(DATE '1970-01-01' + hive_read_day(${operand}, ${pattern}))`, type);
  if (type.kind === "timestamp") return typed(sql`make_timestamp(hive_read_moment(${operand}, ${pattern}))`, type);
  const text = typed(sql`hive_write_moment(epoch_us(CAST(${operand} AS TIMESTAMP)), ${pattern})`, types.string);
  return cast(text, type) ?? text;
}

function checkPattern(node: Cast, format: string, reads: boolean): void {
  try {
    readSqlPattern(format, reads);
  } catch (error) {
    if (!(error instanceof InvalidFormat)) throw error;
    throw semantic(node.position, `FORMAT '${format}'`, error.message);
  }
}
