/**
 * Numbers of one base in another, as Hive's `conv` computes them: with 64 bits, and by a division of its own, whose
 * quotient is one too small for some numbers that take all of them.
 */

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const greatest = 2n ** 63n - 1n;
/** Most characters that Hive takes, the sign aside, and most that it gives. */
const places = 64;

/** A number of one base in another; what follows the number is left out. NULL for a base that there is not. */
export function conv(text: string, from: number, to: number): string | null {
  const base = Math.abs(to);
  if (from < 2 || from > 36 || base < 2 || base > 36 || text === "") return null;
  const negative = text.startsWith("-");
  const unsigned = negative ? text.slice(1) : text;
  if (Buffer.byteLength(unsigned) > places) throw new Error(`conv takes at most ${places} digits`);
  let value = read(unsigned, from);
  if (negative && to > 0) value = value < 0n ? -1n : -value;
  const flips = to < 0 && value < 0n;
  const written = write(flips ? long(-value) : value, BigInt(base));
  if (!(negative || flips) || to > 0) return written;
  if (written.length === places) throw new Error(`conv has no place for the sign before ${places} digits`);
  return `-${written}`;
}

const long = (value: bigint) => BigInt.asIntN(64, value);

/** The digits at a text's beginning; -1 where they overflow, as far as Hive sees it. */
function read(text: string, radix: number): bigint {
  const base = BigInt(radix);
  const bound = divide(-1n - base, base);
  let value = 0n;
  for (const letter of text) {
    const digit = Number.parseInt(letter, 36);
    if (Number.isNaN(digit) || digit >= radix) break;
    if (value >= bound && divide(-1n - BigInt(digit), base) < value) return -1n;
    value = long(value * base + BigInt(digit));
  }
  return value;
}

function write(value: bigint, base: bigint): string {
  let text = "";
  for (let rest = value; rest !== 0n;) {
    if (text.length === places) throw new Error(`conv has no place for more than ${places} digits`);
    const quotient = divide(rest, base);
    const digit = Number(BigInt.asIntN(8, rest - quotient * base));
    text = (digit < base && digit > 0 ? (digits[digit] ?? "\0") : digit === 0 ? "0" : "\0") + text;
    rest = quotient;
  }
  return text === "" ? "0" : text;
}

/** Hive's division of an unsigned number; it is exact where the number is less than 2^63. */
function divide(value: bigint, by: bigint): bigint {
  if (value >= 0n) return value / by;
  return long(value / by + 2n * (greatest / by) + 2n / by + ((value % by) + 2n * (greatest % by) + (2n % by)) / by);
}
