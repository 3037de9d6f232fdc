/** BETWEEN and IN with values of different kinds. */
import { type Position, unsupported } from "../syntax";
import { readsColumns } from "../tree/facts";
import type { Typed } from "../tree/nodes";
import { isDateOrTime, isNumber, isText, isVoid } from "../tree/types";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "mixed-comparisons",
  hive: "4.0.1",
  title: "BETWEEN and IN with values of different kinds",
  why: "Hive 4.0.1 has rules of its own for the types in which it compares a number with a date, and a text with a list of dates and timestamps.",
  example: "`joined BETWEEN 1 AND 20240101` of a date `joined`.",
  refuses:
    "The translation refuses numbers beside dates in BETWEEN, a text in a list that has columns of dates beside values of other types, and a decimal computed from literals in a list with texts.",
};

/** @throws HiveQLError when one of the three values is a number and another one a date. */
export function refuseMixedBounds(operand: Typed, low: Typed, high: Typed, position: Position): void {
  const kinds = [operand, low, high].map(({ type }) => type);
  if (isVoid(low.type) || isVoid(high.type) || !kinds.some(isNumber) || !kinds.some(isDateOrTime)) return;
  throw unsupported(
    position,
    "BETWEEN",
    "has a number and a date, for which Hive has its own rules: write the bounds as values of one type",
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
