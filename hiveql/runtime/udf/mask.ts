/** Masking of texts and integers. */

/** Returns the range of masked positions, from 0 and without the end, of `length` characters or digits. */
function maskedRange(name: string, count: number, length: number): readonly [from: number, to: number] {
  const some = Math.min(count, length);
  switch (name) {
    case "mask_first_n":
      return [0, some];
    case "mask_last_n":
      return [length - some, length];
    case "mask_show_first_n":
      return [some, length];
    case "mask_show_last_n":
      return [0, length - some];
    default:
      return [0, length];
  }
}

/**
 * Masks a text by UTF-16 units.
 * @param codes character codes of the replacements of upper case, lower case, digits and others; -1 keeps the original.
 */
export function maskText(text: string, name: string, count: number, codes: string): string {
  const [upper = -1, lower = -1, digit = -1, other = -1] = codes.split(" ").map(Number);
  const [from, to] = maskedRange(name, count, text.length);
  let result = "";
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charAt(index);
    const code = /\p{Lu}/u.test(unit) ? upper : /\p{Ll}/u.test(unit) ? lower : /\p{Nd}/u.test(unit) ? digit : other;
    result += index < from || index >= to || code === -1 ? unit : String.fromCharCode(code);
  }
  return result;
}

/** Masks the digits of an integer; the result wraps to the number of bits. */
export function maskNumber(value: bigint, name: string, count: number, digit: number, bits: number): bigint {
  const digits = (value < 0n ? -value : value).toString();
  const [from, to] = maskedRange(name, count, digits.length);
  // The smallest integer has no positive counterpart, so Java's remainders of it are negative.
  const sign = value === -(2n ** BigInt(bits - 1)) ? -1n : 1n;
  let result = 0n;
  for (let index = 0; index < digits.length; index += 1) {
    const place = 10n ** BigInt(digits.length - 1 - index);
    const isHidden = index >= from && index < to;
    result += place * (isHidden ? BigInt(digit) : sign * BigInt(digits.charAt(index)));
  }
  return BigInt.asIntN(bits, value < 0n ? -result : result);
}
