/** Java hash codes of strings, floating point numbers and decimals. */
import { parse } from "./decimals";

/** Hashes a string as Hive does: over its UTF-8 bytes as signed numbers. */
export function hashText(text: string): number {
  let hash = 0;
  for (const byte of Buffer.from(text, "utf8")) hash = (Math.imul(hash, 31) + ((byte << 24) >> 24)) | 0;
  return hash;
}

const bits = new DataView(new ArrayBuffer(8));

/** Hashes a double: XOR of the two halves of its bits. */
export function hashDouble(value: number): number {
  bits.setFloat64(0, value);
  return bits.getInt32(0) ^ bits.getInt32(4);
}

/** Hashes a float: its bits. */
export function hashFloat(value: number): number {
  bits.setFloat32(0, value);
  return bits.getInt32(0);
}

/** Hashes a decimal as BigDecimal does, without trailing zeros: 31 × the hash of the digits plus the scale. */
export function hashDecimal(text: string): number {
  let { digits, scale } = parse(text);
  if (digits === 0n) return 0;
  while (digits % 10n === 0n && scale > 0) {
    digits /= 10n;
    scale -= 1;
  }
  const negative = digits < 0n;
  let hash = 0;
  for (const word of words(negative ? -digits : digits)) hash = (Math.imul(hash, 31) + word) | 0;
  return (Math.imul(negative ? -hash : hash, 31) + scale) | 0;
}

/** Returns the 32-bit words of an integer, the highest first. */
function words(value: bigint): number[] {
  const found: number[] = [];
  for (let rest = value; rest > 0n; rest >>= 32n) found.unshift(Number(BigInt.asIntN(32, rest)));
  return found;
}
