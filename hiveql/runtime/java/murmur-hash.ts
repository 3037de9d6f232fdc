/** 32-bit Murmur3 hash, as Hive's bucketing uses it. */
import type { DuckDBBlobValue } from "@duckdb/node-api";
import { parse } from "./decimals";

const seed = 104_729;

/** Hashes bytes. */
export function murmurBytes(value: DuckDBBlobValue): number {
  return hash(value.bytes);
}

/** Hashes an integer as a number of big-endian bytes. */
export function murmurInteger(value: bigint, bytes: number): number {
  bits.setBigInt64(0, BigInt.asIntN(64, value << BigInt(64 - 8 * bytes)));
  return hash(new Uint8Array(bits.buffer, 0, bytes));
}

/** Hashes a double. Hive converts the bits of the number to a double again. */
export function murmurDouble(value: number): number {
  bits.setFloat64(0, value);
  bits.setFloat64(0, Number(bits.getBigInt64(0)));
  return hash(new Uint8Array(bits.buffer, 0, 8));
}

/** Hashes a float. Hive converts the bits of the number to a float again. */
export function murmurFloat(value: number): number {
  bits.setFloat32(0, value);
  bits.setFloat32(0, bits.getInt32(0));
  return hash(new Uint8Array(bits.buffer, 0, 4));
}

/** Hashes the digits of a decimal without trailing zeros, as the bytes of a Java BigInteger. */
export function murmurDecimal(text: string): number {
  let { digits, scale } = parse(text);
  while (scale > 0 && digits % 10n === 0n) {
    digits /= 10n;
    scale -= 1;
  }
  const size = digits < 0n ? -digits - 1n : digits;
  const length = Math.floor(size.toString(2).length / 8) + 1;
  const width = size === 0n ? 1 : length;
  const hex = BigInt.asUintN(8 * width, digits)
    .toString(16)
    .padStart(2 * width, "0");
  return hash(Buffer.from(hex, "hex"));
}

const bits = new DataView(new ArrayBuffer(8));

const rotated = (value: number, by: number) => (value << by) | (value >>> (32 - by));
const scrambled = (word: number) => Math.imul(rotated(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593);

function hash(data: Uint8Array): number {
  let result = seed;
  const whole = data.length - (data.length % 4);
  for (let at = 0; at < whole; at += 4) {
    const word =
      (data[at] ?? 0) | ((data[at + 1] ?? 0) << 8) | ((data[at + 2] ?? 0) << 16) | ((data[at + 3] ?? 0) << 24);
    result = (Math.imul(rotated(result ^ scrambled(word), 13), 5) + 0xe6546b64) | 0;
  }
  // Java's bytes are signed: the sign of each byte extends over the higher bits.
  let rest = 0;
  for (let at = data.length - 1; at >= whole; at -= 1) rest ^= (((data[at] ?? 0) << 24) >> 24) << (8 * (at - whole));
  if (whole < data.length) result ^= scrambled(rest);
  result ^= data.length;
  result = Math.imul(result ^ (result >>> 16), 0x85ebca6b);
  result = Math.imul(result ^ (result >>> 13), 0xc2b2ae35);
  return result ^ (result >>> 16);
}
