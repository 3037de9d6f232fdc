/** node:crypto, whose random bytes follow from the seed. */
import { createHash as realHash } from "node:crypto";
import { world } from "../world/world";

export { createHmac, timingSafeEqual } from "node:crypto";
export const createHash = realHash;

/** A mebibyte whose content nobody reads: the reserve of the disk. */
const large = Buffer.alloc(1024 * 1024);

export function randomBytes(size: number): Buffer {
  if (size === large.length) return large;
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 1) bytes[at] = world().names.between(0, 255);
  return bytes;
}

export function randomUUID(): string {
  const hex = randomBytes(16).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
