/** printf: formatting of one value with one directive, as Java's Formatter does. */
import { print, rescaled } from "../java/decimals";
import { printedDigits } from "../java/exact-numbers";

/** Formats a text: precision truncates it, and spaces pad it to the width. */
export const printText = (text: string, flags: string, width: number, precision: number): string =>
  padded(precision >= 0 ? text.slice(0, precision) : text, flags, width);

/** Formats an integer. */
export const printInteger = (value: bigint, flags: string, width: number): string =>
  signed((value < 0n ? -value : value).toString(), value < 0n, flags, width);

/** Formats a floating point number; rounds its printed digits half up, as Java does. */
export function printFloatingPoint(value: number, flags: string, width: number, precision: number): string {
  const spaces = flags.replace("0", "");
  if (Number.isNaN(value)) return padded("NaN", spaces, width);
  const isNegative = value < 0 || Object.is(value, -0);
  if (!Number.isFinite(value)) return signed("Infinity", isNegative, spaces.replace(",", ""), width);
  return signed(fixed(Math.abs(value), precision < 0 ? 6 : precision), isNegative, flags, width);
}

const fixed = (value: number, places: number) => print(rescaled(printedDigits(value), places), places);

/** Separates the thousands of a number without sign. */
export function withCommas(digits: string): string {
  const [whole = "", ...rest] = digits.split(/(?=\.)/);
  return whole.replaceAll(/\B(?=(\d{3})+$)/g, ",") + rest.join("");
}

/** Adds the sign, thousands separators and zero padding that the flags ask for. */
function signed(digits: string, isNegative: boolean, flags: string, width: number): string {
  const grouped = flags.includes(",") ? withCommas(digits) : digits;
  const sign = isNegative ? "-" : flags.includes("+") ? "+" : "";
  const room = flags.includes("0") ? width - sign.length : 0;
  return padded(sign + grouped.padStart(room, "0"), flags, width);
}

function padded(text: string, flags: string, width: number): string {
  return flags.includes("-") ? text.padEnd(width) : text.padStart(width);
}
