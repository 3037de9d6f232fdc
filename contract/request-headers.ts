/** Headers of a request besides its signature. They are not signed. */

/** The run of which a submission is a part. */
export interface ParentRun {
  readonly namespace: string;
  readonly name: string;
  /** A UUID. */
  readonly runId: string;
}

/**
 * The header with which a submission says of which run it is a part, for the OpenLineage events of the service. Its value is
 * NAMESPACE/NAME/RUN-ID, namespace and name as in a URL.
 */
export const parentRunHeader = "openlineage-parent";

/** Characters of a namespace or a name. */
const maxLength = 512;

export function formatParentRun({ namespace, name, runId }: ParentRun): string {
  return [namespace, name, runId].map((part) => encodeURIComponent(part)).join("/");
}

/** Parses a value of the header; undefined when it is not one. */
export function parseParentRun(text: string): ParentRun | undefined {
  const match = /^([^/]+)\/([^/]+)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i.exec(text);
  if (!match) return undefined;
  try {
    const [namespace, name] = [decodeURIComponent(match[1]!), decodeURIComponent(match[2]!)];
    if (namespace.length > maxLength || name.length > maxLength) return undefined;
    return { namespace, name, runId: match[3]!.toLowerCase() };
  } catch {
    return undefined;
  }
}

/**
 * The header with which a caller repeats a request whose answer it has lost, without having it done twice. Its value is any
 * text that the caller uses for one request only, such as a UUID.
 */
export const idempotencyKeyHeader = "Idempotency-Key";

/** Returns true for a valid value: 1 to 128 printable characters of ASCII. */
export function isIdempotencyKey(text: string): boolean {
  return /^[ -~]{1,128}$/.test(text);
}
