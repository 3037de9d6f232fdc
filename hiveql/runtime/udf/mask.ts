/** Masking of texts and integers. */

/**
 * Masks a text by UTF-16 units.
 * @param codes character codes of the replacements of upper case, lower case, digits and others; -1 keeps the original.
 */
export function maskText(text: string, codes: string): string {
  const [upper = -1, lower = -1, digit = -1, other = -1] = codes.split(" ").map(Number);
  let result = "";
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charAt(index);
    const code = /\p{Lu}/u.test(unit) ? upper : /\p{Ll}/u.test(unit) ? lower : /\p{Nd}/u.test(unit) ? digit : other;
    result += code === -1 ? unit : String.fromCharCode(code);
  }
  return result;
}

/** Replaces the digits of an integer by 1; the result wraps to the number of bits. */
export function maskNumber(value: bigint, bits: number): bigint {
  const { length } = (value < 0n ? -value : value).toString();
  const result = BigInt("1".repeat(length));
  return BigInt.asIntN(bits, value < 0n ? -result : result);
}
