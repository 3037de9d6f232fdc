/** Signs requests in the browser. The secret becomes a key that scripts cannot read back. */
import { stringToSign, type SignedRequest } from "../../../contract/string-to-sign";

/** True when the browser can sign: only on https and on this machine's own addresses. */
export const canSign = typeof crypto !== "undefined" && crypto.subtle !== undefined;

/** Imports a secret access key for signing. */
export function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(secret);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-1" }, false, ["sign"]);
}

/** Returns the signature of a request in base64. */
export async function signatureOf(request: SignedRequest, key: CryptoKey): Promise<string> {
  const bytes = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(stringToSign(request)));
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}
