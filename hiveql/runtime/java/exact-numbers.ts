/** Exact decimal values of numbers, and Java's rounding of them. */

import { absolute, type Exact, parse, print, rescaled } from "./decimals";
import { javaDigits } from "./digits";

const bits = new DataView(new ArrayBuffer(8));

/** Returns the exact decimal value of a finite double. */
export function exactDigits(value: number): Exact {
  bits.setFloat64(0, value);
  const word = bits.getBigUint64(0);
  const exponent = Number((word >> 52n) & 0x7ffn);
  const fraction = word & 0xf_ffff_ffff_ffffn;
  const mantissa = (exponent === 0 ? fraction : fraction | (1n << 52n)) * (value < 0 ? -1n : 1n);
  const power = Math.max(exponent, 1) - 1075;
  if (power >= 0) return { digits: mantissa << BigInt(power), scale: 0 };
  return { digits: mantissa * 5n ** BigInt(-power), scale: -power };
}

/** Returns the value of the digits that Java prints, as `BigDecimal.valueOf` does. */
export function printedDigits(value: number): Exact {
  const { digits: printed, exponent } = javaDigits(Math.abs(value));
  const digits = BigInt(printed) * (value < 0 ? -1n : 1n);
  const scale = printed.length - exponent;
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** Returns the digits of a number rounded to a scale, half to even. */
export function roundHalfEven(value: Exact, scale: number): bigint {
  const result = rescaled(value, scale);
  const isHalf =
    scale < value.scale &&
    (2n * absolute(value.digits)) % (2n * 10n ** BigInt(value.scale - scale)) === 10n ** BigInt(value.scale - scale);
  return isHalf && result % 2n !== 0n ? result + (result < 0n ? 1n : -1n) : result;
}

/** Rounds a double to a decimal place; like Java it rounds the printed digits. */
export function roundDouble(value: number, places: number, toEven: boolean): number {
  if (!Number.isFinite(value)) return value;
  return Number(`${(toEven ? roundHalfEven : rescaled)(printedDigits(value), places)}e${-places}`);
}

/** Cuts the printed digits of a double behind a decimal place, so that 3.3 with two places stays 3.3. */
export function truncateDouble(value: number, places: number): number {
  if (!Number.isFinite(value)) return value;
  const { digits, scale } = printedDigits(value);
  const kept = places < scale ? digits / 10n ** BigInt(scale - places) : digits * 10n ** BigInt(places - scale);
  return Number(`${kept}e${-places}`);
}

/** Rounds a decimal, given as text, half to even. */
export function roundDecimalEven(text: string, places: number): string {
  const digits = roundHalfEven(parse(text), places);
  return places > 0 ? print(digits, places) : (digits * 10n ** BigInt(-places)).toString();
}
