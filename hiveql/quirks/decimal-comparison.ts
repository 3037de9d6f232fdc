/** Comparison of decimals whose common type would exceed 38 digits. */
import { asDecimal } from "../tree/coercion";
import type { HiveType } from "../tree/types";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "decimal-comparison",
  hive: "4.0.1",
  title: "Comparison of decimals whose common type would exceed 38 digits",
  why: "Hive 4.0.1 compares them exactly, without rounding.",
  example: "`cast('1.00' AS decimal(36,2)) < cast('1.000001' AS decimal(38,6))` answers true.",
  refuses:
    "The translation compares them as decimals of 38 digits with the larger scale, and fails the query for a value that does not fit.",
};

/** Returns true when a decimal type holds every value of the others. */
export function holdsDecimals(type: HiveType, ...others: readonly HiveType[]): boolean {
  const room = asDecimal(type);
  return others.every((other) => {
    const needed = asDecimal(other);
    if (!room || !needed) return true;
    return needed.scale <= room.scale && needed.precision - needed.scale <= room.precision - room.scale;
  });
}
