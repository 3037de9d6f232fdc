/** Addition and subtraction of dates, timestamps and intervals. */
import { type Position, semantic } from "../syntax";
import { cast } from "../tree/cast";
import { readsColumns } from "../tree/facts";
import { macro, sql } from "../tree/fragment";
import type { Typed } from "../tree/nodes";
import { typed } from "../tree/typed";
import { isDateOrTime, isInterval, isText, typeName, types } from "../tree/types";

/** Translates `+` and `-` over dates, timestamps and intervals; undefined when neither operand has such a type. */
export function dateArithmetic(operator: "+" | "-", left: Typed, right: Typed, position: Position): Typed | undefined {
  if (isInterval(left.type) && isInterval(right.type)) {
    if (left.type.kind !== right.type.kind)
      throw semantic(position, operator, "cannot combine a year-month interval with a day-time interval");
    return typed(sql`(${left} ${operator} ${right})`, left.type);
  }
  if (isInterval(right.type)) return shifted(operator, left, right, position);
  if (isInterval(left.type) && operator === "+") return shifted(operator, right, left, position);
  if (operator === "-" && (isDateOrTime(left.type) || isDateOrTime(right.type)))
    return difference(left, right, position);
  return undefined;
}

function shifted(operator: "+" | "-", moment: Typed, span: Typed, position: Position): Typed {
  const value = isText(moment.type) ? cast(moment, types.timestamp) : moment;
  if (!value || !isDateOrTime(value.type))
    throw semantic(
      position,
      operator,
      `cannot add an interval to ${typeName(moment.type)}: cast it to date or timestamp`,
    );
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

/** Translates the difference of two dates or timestamps, which is a day-time interval. */
function difference(left: Typed, right: Typed, position: Position): Typed {
  const first = cast(left, types.timestamp);
  const second = cast(right, types.timestamp);
  if (!first || !second)
    throw semantic(position, "-", `cannot subtract ${typeName(right.type)} from ${typeName(left.type)}`);
  return typed(sql`(epoch_us(${first}) - epoch_us(${second}))`, types.dayTime);
}
