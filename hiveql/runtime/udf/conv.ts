/**
 * Conversion between number bases as Hive's `conv` computes it: with 64 bits and Hive's own unsigned division, whose
 * quotient is one too small for some numbers of 2^63 or more.
 */

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const greatest = 2n ** 63n - 1n;
/** The maximum number of digits of the input, without sign, and of the result. */
const places = 64;

/** Converts a number to another base and ignores text after the number. NULL for an invalid base. */
export function conv(text: string, from: number, to: number): string | null {
  const base = Math.abs(to);
  if (from < 2 || from > 36 || base < 2 || base > 36 || text === "") return null;
  const negative = text.startsWith("-");
  const unsigned = negative ? text.slice(1) : text;
  if (Buffer.byteLength(unsigned) > places) throw new Error(`conv accepts at most ${places} digits`);
  let value = read(unsigned, from);
  if (negative && to > 0) value = value < 0n ? -1n : -value;
  const flips = to < 0 && value < 0n;
  const written = write(flips ? long(-value) : value, BigInt(base));
  if (!(negative || flips) || to > 0) return written;
  if (written.length === places) throw new Error(`conv cannot write a sign before ${places} digits`);
  return `-${written}`;
}

const long = (value: bigint) => BigInt.asIntN(64, value);

/** Reads the digits at the beginning of a text; -1 when Hive detects an overflow. */
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
    if (text.length === places) throw new Error(`conv cannot write more than ${places} digits`);
    const quotient = divide(rest, base);
    const digit = Number(BigInt.asIntN(8, rest - quotient * base));
    text = (digit < base && digit > 0 ? (digits[digit] ?? "\0") : digit === 0 ? "0" : "\0") + text;
    rest = quotient;
  }
  return text === "" ? "0" : text;
}

/** Hive's unsigned division; it is exact for numbers below 2^63. */
function divide(value: bigint, by: bigint): bigint {
  if (value >= 0n) return value / by;
  return long(value / by + 2n * (greatest / by) + 2n / by + ((value % by) + 2n * (greatest % by) + (2n % by)) / by);
}
