/** AES with the defaults of Java's Cipher: ECB mode with PKCS#5 padding. */
import { createCipheriv, createDecipheriv } from "node:crypto";
import { DuckDBBlobValue } from "@duckdb/node-api";

const algorithms: Readonly<Record<number, string>> = { 16: "aes-128-ecb", 24: "aes-192-ecb", 32: "aes-256-ecb" };

/** Encrypts; NULL when the key has not 16, 24 or 32 bytes. */
export function encrypt(input: DuckDBBlobValue, key: DuckDBBlobValue): DuckDBBlobValue | null {
  const algorithm = algorithms[key.bytes.length];
  if (algorithm === undefined) return null;
  const cipher = createCipheriv(algorithm, key.bytes, null);
  return new DuckDBBlobValue(Buffer.concat([cipher.update(input.bytes), cipher.final()]));
}

/** Decrypts; NULL when the key has another size or the input was not encrypted with this key. */
export function decrypt(input: DuckDBBlobValue, key: DuckDBBlobValue): DuckDBBlobValue | null {
  const algorithm = algorithms[key.bytes.length];
  if (algorithm === undefined) return null;
  try {
    const cipher = createDecipheriv(algorithm, key.bytes, null);
    return new DuckDBBlobValue(Buffer.concat([cipher.update(input.bytes), cipher.final()]));
  } catch {
    return null;
  }
}
