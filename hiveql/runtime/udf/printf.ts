/** printf: formatting of one value with one directive, as Java's Formatter does. */
import { printedDigits, roundHalfUp } from "../java/exact-numbers";

/** Formats a text: precision truncates it, an upper-case conversion upper-cases it, and spaces pad it to the width. */
export function printText(text: string, flags: string, width: number, precision: number, conversion: string): string {
  const cut = precision >= 0 ? text.slice(0, precision) : text;
  return padded(conversion === conversion.toUpperCase() ? cut.toUpperCase() : cut, flags, width);
}

/** Formats an integer: in decimal, or as the hexadecimal or octal digits of its two's complement. */
export function printInteger(
  value: bigint,
  bits: number,
  flags: string,
  width: number,
  _precision: number,
  conversion: string,
): string {
  if (conversion === "d") return signed((value < 0n ? -value : value).toString(), value < 0n, flags, width);
  const digits = BigInt.asUintN(bits, value).toString(conversion === "o" ? 8 : 16);
  const shown = conversion === "X" ? digits.toUpperCase() : digits;
  return flags.includes("0") ? shown.padStart(width, "0") : padded(shown, flags, width);
}

/** Formats a floating point number; rounds its printed digits half up, as Java does. */
export function printFloatingPoint(
  value: number,
  flags: string,
  width: number,
  precision: number,
  conversion: string,
): string {
  const upper = conversion === "E";
  const spaces = flags.replace("0", "");
  if (Number.isNaN(value)) return padded(upper ? "NAN" : "NaN", spaces, width);
  const isNegative = value < 0 || Object.is(value, -0);
  if (!Number.isFinite(value))
    return signed(upper ? "INFINITY" : "Infinity", isNegative, spaces.replace(",", ""), width);
  const places = precision < 0 ? 6 : precision;
  if (conversion === "f") return signed(fixed(Math.abs(value), places), isNegative, flags, width);
  const text = scientific(Math.abs(value), places);
  return signed(upper ? text.toUpperCase() : text, isNegative, flags, width);
}

function fixed(value: number, places: number): string {
  const digits = roundHalfUp(printedDigits(value), places)
    .toString()
    .padStart(places + 1, "0");
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

function scientific(value: number, places: number): string {
  const [mantissa = "0", exponent = "0"] = value.toExponential().split("e");
  let power = Number(exponent);
  let shown = fixed(Number(mantissa), places);
  if (shown.startsWith("10")) {
    power += 1;
    shown = fixed(1, places);
  }
  return `${shown}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** Adds the sign, thousands separators and zero padding that the flags ask for. */
function signed(digits: string, isNegative: boolean, flags: string, width: number): string {
  const [whole = "", ...rest] = digits.split(/(?=\.)/);
  const grouped = flags.includes(",") ? whole.replaceAll(/\B(?=(\d{3})+$)/g, ",") + rest.join("") : digits;
  const inBrackets = isNegative && flags.includes("(");
  const before = inBrackets ? "(" : isNegative ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  const after = inBrackets ? ")" : "";
  const room = flags.includes("0") ? width - before.length - after.length : 0;
  return padded(before + grouped.padStart(room, "0") + after, flags, width);
}

function padded(text: string, flags: string, width: number): string {
  return flags.includes("-") ? text.padEnd(width) : text.padStart(width);
}
