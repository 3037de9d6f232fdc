/** Request signature (specification §5; the computation is design §2): an HMAC-SHA1 over five lines. */
import { createHmac, timingSafeEqual } from "node:crypto";

/** What names a caller and proves it. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The parts of a request that are signed. */
export interface SignedRequest {
  readonly method: string;
  /** Path with an optional query string, as in the request line. */
  readonly target: string;
  /** The request's own Content-Type; empty or left out where it has none. */
  readonly contentType?: string | undefined;
  /** The Date header, RFC 1123. */
  readonly date: string;
}

/** Scheme token of the Authorization header where neither side configures another. */
export const defaultScheme = "IIJGIO";

/** Query-string keys that select an operation family and are part of what is signed. */
export const operationKeys = ["select", "split", "query", "clusterManagement", "database", "table"] as const;

/** The text that is signed. Other query parameters than the operation key are not part of it. */
export function stringToSign({ method, target, contentType, date }: SignedRequest): string {
  return [method.toUpperCase(), "", contentType ?? "", date, signedResource(target)].join("\n");
}

/** The signature of a request, base64. */
export function signRequest(request: SignedRequest, secretAccessKey: string): string {
  return createHmac("sha1", secretAccessKey).update(stringToSign(request)).digest("base64");
}

/** The Authorization header of a request. */
export function authorization(
  request: SignedRequest,
  credentials: Credentials,
  scheme: string = defaultScheme,
): string {
  return `${scheme} ${credentials.accessKeyId}:${signRequest(request, credentials.secretAccessKey)}`;
}

/** What an Authorization header says, or undefined where it is not of the form `<scheme> <id>:<signature>`. */
export function parseAuthorization(
  header: string,
): { readonly scheme: string; readonly accessKeyId: string; readonly signature: string } | undefined {
  const match = /^(\S+) +([^\s:]+):(\S+)$/.exec(header.trim());
  return match ? { scheme: match[1]!, accessKeyId: match[2]!, signature: match[3]! } : undefined;
}

/** Whether a signature is that of the request; takes the same time wherever they differ. */
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
