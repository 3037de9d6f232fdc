/** Addition and subtraction of dates, timestamps and intervals; an int is a number of days. */
import { type Position, semantic } from "../syntax";
import { cast } from "../tree/cast";
import type { Typed } from "../tree/nodes";
import { operation } from "../tree/typed";
import { isDateOrTime, isInterval, isText, typeName, types } from "../tree/types";

/** Binds `+` and `-` over dates, timestamps and intervals; undefined when neither operand has such a type. */
export function dateArithmetic(operator: "+" | "-", left: Typed, right: Typed, position: Position): Typed | undefined {
  if (isInterval(left.type) && isInterval(right.type)) {
    if (left.type.kind !== right.type.kind)
      throw semantic(position, operator, "cannot combine a year-month interval with a day-time interval");
    return operation({ kind: "arithmetic", operator, operands: [left, right], to: types.double }, left.type);
  }
  if (left.type.kind === "date" && right.type.kind === "int")
    return operation({ kind: "shift", operator, operands: [left, right], to: types.date }, types.date);
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
  const to = span.type.kind === "interval_year_month" ? value.type : types.timestamp;
  return operation({ kind: "shift", operator, operands: [value, span], to }, to);
}

/** Binds the difference of two dates or timestamps, which is a day-time interval. */
function difference(left: Typed, right: Typed, position: Position): Typed {
  const first = cast(left, types.timestamp);
  const second = cast(right, types.timestamp);
  if (!first || !second)
    throw semantic(position, "-", `cannot subtract ${typeName(right.type)} from ${typeName(left.type)}`);
  return operation({ kind: "duration", operands: [first, second] }, types.dayTime);
}
