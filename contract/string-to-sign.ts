/** The text that a signature covers (specification §5; the lines: design §2). Runs in Node.js and in a browser. */

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
  /** Value of the header with the time of the request (RFC 1123). */
  readonly date: string;
  /**
   * Name of the header with the time, in lower case, if it is not `Date`: the service's prefix and `date`, such as
   * `x-svc-date`. A browser cannot set `Date`.
   */
  readonly dateHeader?: string | undefined;
}

/** Default scheme token of the Authorization header. */
export const defaultScheme = "IIJGIO";

/** Default prefix of the service's own headers. */
export const defaultHeaderPrefix = "x-svc-";

/** Query-string keys that select an operation family. They are part of the signed text. */
export const operationKeys = ["select", "split", "query", "clusterManagement", "database", "table"] as const;

/**
 * Returns the text to sign. Of the query string it contains only the operation key. With `dateHeader` the line of the
 * Date header is empty, and `<dateHeader>:<date>` is a line of its own before the resource.
 */
export function stringToSign({ method, target, contentType, date, dateHeader }: SignedRequest): string {
  const time = dateHeader === undefined ? [date] : ["", `${dateHeader}:${date}`];
  return [method.toUpperCase(), "", contentType ?? "", ...time, signedResource(target)].join("\n");
}

/** Returns the name of the header that replaces `Date`, in lower case. */
export function dateHeaderName(headerPrefix: string): string {
  return `${headerPrefix.toLowerCase()}date`;
}

function signedResource(target: string): string {
  const [path = "", query = ""] = target.split("?", 2);
  const present = new Set(query.split("&").map((part) => part.split("=", 1)[0]!));
  const key = operationKeys.find((candidate) => present.has(candidate));
  return key === undefined ? path : `${path}?${key}`;
}
