/** Conversion between number bases as Hive's `conv` computes it, with 64 bits. */

/** The maximum number of digits of the input, without sign. */
const places = 64;

/**
 * Converts a number to another base and ignores text after the number. NULL for an invalid base.
 * @throws Error for numbers of 2^63 or more, and for negative numbers that Hive takes as such: its own division is one
 *   too small for some of them.
 */
export function conv(text: string, from: number, to: number): string | null {
  const base = Math.abs(to);
  if (from < 2 || from > 36 || base < 2 || base > 36 || text === "") return null;
  const isNegative = text.startsWith("-");
  const unsigned = isNegative ? text.slice(1) : text;
  if (Buffer.byteLength(unsigned) > places)
    throw new Error(`HiveQL: conv accepts at most ${places} digits: filter longer texts out`);
  let value = 0n;
  for (const letter of unsigned) {
    const digit = Number.parseInt(letter, 36);
    if (Number.isNaN(digit) || digit >= from) break;
    value = value * BigInt(from) + BigInt(digit);
  }
  if (value >= 2n ** 63n || (isNegative && to > 0 && value > 0n))
    throw new Error(`HiveQL: conv of '${text}', which is not from 0 to 2^63 - 1: filter such numbers out`);
  const written = value.toString(base).toUpperCase();
  return isNegative && to < 0 ? `-${written}` : written;
}
