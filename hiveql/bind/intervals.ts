/** Dates and times plus and minus intervals and each other. */
import { type Position, semantic } from "../syntax";
import { cast } from "../emit/conversions";
import { macro, readsColumns, sql, typed, type SqlExpression } from "../emit/fragment";
import { isDateOrTime, isInterval, isText, typeName, types } from "./types";

/** Computes with dates and intervals; undefined where neither operand is one. */
export function dateArithmetic(operator: "+" | "-", left: SqlExpression, right: SqlExpression, position: Position): SqlExpression | undefined {
  if (isInterval(left.type) && isInterval(right.type)) {
    if (left.type.kind !== right.type.kind) throw semantic(position, operator, "cannot mix months and days");
    return typed(sql`(${left} ${operator} ${right})`, left.type);
  }
  if (isInterval(right.type)) return shifted(operator, left, right, position);
  if (isInterval(left.type) && operator === "+") return shifted(operator, right, left, position);
  if (operator === "-" && (isDateOrTime(left.type) || isDateOrTime(right.type)))
    return difference(left, right, position);
  return undefined;
}

function shifted(operator: "+" | "-", moment: SqlExpression, span: SqlExpression, position: Position): SqlExpression {
  const value = isText(moment.type) ? cast(moment, types.timestamp) : moment;
  if (!value || !isDateOrTime(value.type))
    throw semantic(position, operator, `an interval cannot be added to ${typeName(moment.type)}`);
  if (span.type.kind === "interval_year_month") {
    const months = operator === "-" ? sql`-${span}` : span;
    const isDate = value.type.kind === "date";
    const result = macro(isDate ? "hive_add_months_date" : "hive_add_months_timestamp", value, months);
    const last = readsColumns(value) ? "'290000-12-31'" : "'9999-12-31 23:59:59.999999'";
    return typed(
      sql`CAST(${macro("hive_within", result, value, `TIMESTAMP ${last}`)} AS ${isDate ? "DATE" : "TIMESTAMP"})`,
      value.type,
    );
  }
  const result = sql`(CAST(${value} AS TIMESTAMP) ${operator} to_microseconds(${span}))`;
  return typed(readsColumns(value) ? result : macro("hive_four_digits", result), types.timestamp);
}

/** Hive gives the time between two moments as a day-time interval. */
function difference(left: SqlExpression, right: SqlExpression, position: Position): SqlExpression {
  const first = cast(left, types.timestamp);
  const second = cast(right, types.timestamp);
  if (!first || !second)
    throw semantic(position, "-", `cannot take ${typeName(right.type)} from ${typeName(left.type)}`);
  return typed(sql`(epoch_us(${first}) - epoch_us(${second}))`, types.dayTime);
}
