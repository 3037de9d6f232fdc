/** `dag://<bucket>/<key>`: where objects lie (specification §1). */

/** A location in object storage. An empty key is the bucket itself. */
export interface Location {
  readonly bucket: string;
  /** Path below the bucket, without a leading slash; ends in `/` where it names a folder. */
  readonly key: string;
}

/** What a bucket, and so a database, may be called (design §2). */
export const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
export const bucketRule = "3 to 63 characters of a-z, 0-9, '.' and '-', with a letter or digit at each end";

const maxKeyBytes = 1024;

/**
 * Reads `dag://bucket/key`.
 * @throws {LocationError} saying which rule is broken; nothing that could leave the bucket passes.
 */
export function parseLocation(text: string): Location {
  const match = /^dag:\/\/([^/]*)(?:\/(.*))?$/s.exec(text);
  if (!match) throw new LocationError("it must have the form dag://<bucket>/<path>");
  const [, bucket = "", key = ""] = match;
  if (!bucketPattern.test(bucket)) throw new LocationError(`its bucket "${bucket}" must be ${bucketRule}`);
  const problem = keyProblem(key);
  if (problem) throw new LocationError(problem);
  return { bucket, key };
}

/** Writes a location as `dag://bucket/key`. */
export function formatLocation({ bucket, key }: Location): string {
  return `dag://${bucket}/${key}`;
}

/** The same location as a folder: its key ends in `/`, or is empty. */
export function asFolder({ bucket, key }: Location): Location {
  return { bucket, key: key === "" || key.endsWith("/") ? key : `${key}/` };
}

/** Whether `inner` is `outer` or lies under it, both taken as folders. */
export function isWithin(inner: Location, outer: Location): boolean {
  return inner.bucket === outer.bucket && asFolder(inner).key.startsWith(asFolder(outer).key);
}

/** Whether one of two folders holds the other, or they are the same. */
export function overlaps(a: Location, b: Location): boolean {
  return isWithin(a, b) || isWithin(b, a);
}

/** Says which rule a location breaks; the caller adds which field it came from. */
export class LocationError extends Error {
  override readonly name = "LocationError";
}

function keyProblem(key: string): string | undefined {
  if (!key.isWellFormed()) return "its path must be well-formed Unicode";
  if (Buffer.byteLength(key) > maxKeyBytes) return `its path must be at most ${maxKeyBytes} bytes long`;
  // oxlint-disable-next-line no-control-regex -- control characters are what is being refused
  if (/[\u0000-\u001f\u007f\\]/.test(key)) return "its path must not hold control characters or backslashes";
  const segments = (key.endsWith("/") ? key.slice(0, -1) : key).split("/");
  if (segments.some((segment) => segment === "." || segment === "..")) return "its path must not hold '.' or '..'";
  if (key !== "" && segments.includes("")) return "its path must not hold empty parts";
  if (segments.some((segment) => Buffer.byteLength(segment) > 255))
    return "each part of its path must be at most 255 bytes long";
  return undefined;
}
