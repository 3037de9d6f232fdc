/** BETWEEN and IN with values of different kinds. */
import { type Position, unsupported } from "../syntax";
import { comparisonType } from "../tree/coercion";
import { readsColumns } from "../tree/facts";
import type { Typed } from "../tree/nodes";
import { isDateOrTime, isNumber, isText, isVoid } from "../tree/types";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "mixed-comparisons",
  hive: "4.0.1",
  title: "BETWEEN and IN with values of different kinds",
  why: "Hive 4.0.1 has rules of its own for the types in which it compares the value with a text bound and a number or date bound, and a text with a list of dates and timestamps.",
  example: "`s BETWEEN 1 AND '20'` of a string `s`.",
  refuses:
    "The translation refuses bounds of which one is a text and the other a number or a date, numbers beside dates, a text in a list that has columns of dates beside values of other types, and a decimal computed from literals in a list with texts.",
};

/** @throws HiveQLError when the bounds are compared in types of different kinds: text, number or date. */
export function refuseMixedBounds(operand: Typed, low: Typed, high: Typed, position: Position): void {
  const kinds = [operand, low, high].map(({ type }) => type);
  const [first, second] = [low, high].map(({ type }) => comparisonType(operand.type, type));
  if (isVoid(low.type) || isVoid(high.type)) return;
  const differ = first && second && [isText, isNumber, isDateOrTime].some((isKind) => isKind(first) !== isKind(second));
  if (differ || (kinds.some(isNumber) && kinds.some(isDateOrTime)))
    throw unsupported(
      position,
      "BETWEEN",
      "has bounds of different kinds (text, number or date), for which Hive has its own rules: write two comparisons",
    );
}

/**
 * @throws HiveQLError when a text is compared with columns of dates or timestamps and with values of other types, or a
 *   computed decimal that reads no column with texts.
 */
export function refuseMixedItems(operand: Typed, items: readonly Typed[], position: Position): void {
  const isComputed = operand.constant === undefined && operand.foldedDigits === undefined && !readsColumns(operand);
  if (operand.type.kind === "decimal" && isComputed && items.some(({ type }) => isText(type)))
    throw unsupported(
      position,
      "IN",
      "compares a decimal computed from literals with texts, which Hive compares as numbers or as texts: cast it to double",
    );
  const hasTimes = items.some((item) => isDateOrTime(item.type) && readsColumns(item));
  if (isText(operand.type) && hasTimes && items.some(({ type }) => type.kind !== items[0]?.type.kind))
    throw unsupported(
      position,
      "IN",
      "compares a text with dates and with values of other types, for which Hive has its own rules: write comparisons with OR",
    );
}
