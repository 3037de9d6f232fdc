/** Request signatures (specification §5; the computation: design §2): HMAC-SHA1 of the text to sign. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { defaultScheme, stringToSign, type Credentials, type SignedRequest } from "./string-to-sign";

/** Returns the signature of a request in base64. */
export function signRequest(request: SignedRequest, secretAccessKey: string): string {
  return createHmac("sha1", secretAccessKey).update(stringToSign(request)).digest("base64");
}

/** Returns the Authorization header of a request. */
export function authorization(
  request: SignedRequest,
  credentials: Credentials,
  scheme: string = defaultScheme,
): string {
  return `${scheme} ${credentials.accessKeyId}:${signRequest(request, credentials.secretAccessKey)}`;
}

/** Parses an Authorization header `<scheme> <id>:<signature>`; undefined if it has another form. */
export function parseAuthorization(
  header: string,
): { readonly scheme: string; readonly accessKeyId: string; readonly signature: string } | undefined {
  const match = /^(\S+) +([^\s:]+):(\S+)$/.exec(header.trim());
  return match ? { scheme: match[1]!, accessKeyId: match[2]!, signature: match[3]! } : undefined;
}

/** Returns true when the signature is valid for the request. Compares in constant time. */
export function verifySignature(signature: string, request: SignedRequest, secretAccessKey: string): boolean {
  const expected = Buffer.from(signRequest(request, secretAccessKey));
  const actual = Buffer.from(signature);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
