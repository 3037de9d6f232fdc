/** 32-bit Murmur3 hash, as Hive's bucketing of version 2 uses it. */
import type { DuckDBBlobValue } from "@duckdb/node-api";

const seed = 104_729;
const bits = new DataView(new ArrayBuffer(8));

export const murmurBytes = (value: DuckDBBlobValue): number => hash(value.bytes);

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

const rotated = (value: number, by: number) => (value << by) | (value >>> (32 - by));
const scrambled = (word: number) => Math.imul(rotated(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593);

function hash(data: Uint8Array): number {
  let result = seed;
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const whole = data.length - (data.length % 4);
  for (let at = 0; at < whole; at += 4)
    result = (Math.imul(rotated(result ^ scrambled(view.getInt32(at, true)), 13), 5) + 0xe6546b64) | 0;
  // Java's bytes are signed: the sign of each byte extends over the higher bits.
  let rest = 0;
  for (let at = data.length - 1; at >= whole; at -= 1) rest ^= view.getInt8(at) << (8 * (at - whole));
  if (whole < data.length) result ^= scrambled(rest);
  result ^= data.length;
  result = Math.imul(result ^ (result >>> 16), 0x85ebca6b);
  result = Math.imul(result ^ (result >>> 13), 0xc2b2ae35);
  return result ^ (result >>> 16);
}
