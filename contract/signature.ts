/** Request signatures (specification §5; the computation: design §2): HMAC-SHA1 of five lines. */
import { createHmac, timingSafeEqual } from "node:crypto";

/** Access key of a caller: its identifier and its secret. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The parts of a request that are signed. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query string, as in the request line. */
  readonly target: string;
  /** Content-Type of the request; undefined or empty if it has none. */
  readonly contentType?: string | undefined;
  /** Value of the Date header (RFC 1123). */
  readonly date: string;
}

/** Default scheme token of the Authorization header. */
export const defaultScheme = "IIJGIO";

/** Query-string keys that select an operation family. They are part of the signed text. */
export const operationKeys = ["select", "split", "query", "clusterManagement", "database", "table"] as const;

/** Returns the text to sign. Of the query string it contains only the operation key. */
export function stringToSign({ method, target, contentType, date }: SignedRequest): string {
  return [method.toUpperCase(), "", contentType ?? "", date, signedResource(target)].join("\n");
}

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

function signedResource(target: string): string {
  const [path = "", query = ""] = target.split("?", 2);
  const present = new Set(query.split("&").map((part) => part.split("=", 1)[0]!));
  const key = operationKeys.find((candidate) => present.has(candidate));
  return key === undefined ? path : `${path}?${key}`;
}
