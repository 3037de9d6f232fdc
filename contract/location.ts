/** Locations of objects and folders, `dag://<bucket>/<key>` (specification §1). */

/** A location in object storage. An empty key means the bucket itself. */
export interface Location {
  readonly bucket: string;
  /** Path inside the bucket without a leading slash. A folder's key ends in `/`. */
  readonly key: string;
}

/** Pattern of bucket names, and so of database names (design §2). */
export const bucketPattern = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
export const bucketRule = "3 to 63 characters of a-z, 0-9, '.' and '-', with a letter or digit at each end";

const maxKeyBytes = 1024;

/**
 * Parses `dag://bucket/key`.
 * @throws {LocationError} that names the violated rule. Keys that could point outside the bucket are rejected.
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

/** Formats a location as `dag://bucket/key`. */
export function formatLocation({ bucket, key }: Location): string {
  return `dag://${bucket}/${key}`;
}

/** Returns the location as a folder: its key ends in `/`, or is empty. */
export function asFolder({ bucket, key }: Location): Location {
  return { bucket, key: key === "" || key.endsWith("/") ? key : `${key}/` };
}

/** Returns true when the folder `inner` is `outer` or is inside it. */
export function isWithin(inner: Location, outer: Location): boolean {
  return inner.bucket === outer.bucket && asFolder(inner).key.startsWith(asFolder(outer).key);
}

/** Returns true when two folders are equal or one contains the other. */
export function overlaps(a: Location, b: Location): boolean {
  return isWithin(a, b) || isWithin(b, a);
}

/**
 * Returns true for an object that holds no rows of a table, as in Hive: a part of its path below the table's folder
 * begins with `_` or `.`, as that of the marker `_SUCCESS`.
 */
export function isHiddenObject(path: string): boolean {
  return /(?:^|\/)[_.]/.test(path);
}

/** Returns true for the name, or the path, that this service and Hive give to an object, such as `000000_0`. */
export function isWrittenObject(name: string): boolean {
  return /(?:^|\/)\d{6}_\d+(?:_copy_\d+)?(?:\.gz)?$/.test(name);
}

/** A location violates a rule. The message names the rule; the caller adds the field. */
export class LocationError extends Error {
  override readonly name = "LocationError";
}

function keyProblem(key: string): string | undefined {
  if (!key.isWellFormed()) return "its path must be well-formed Unicode";
  if (byteLength(key) > maxKeyBytes) return `its path must be at most ${maxKeyBytes} bytes long`;
  // oxlint-disable-next-line no-control-regex -- the pattern rejects control characters
  if (/[\u0000-\u001f\u007f\\]/.test(key)) return "its path must not contain control characters or backslashes";
  const segments = (key.endsWith("/") ? key.slice(0, -1) : key).split("/");
  if (segments.some((segment) => segment === "." || segment === ".."))
    return "its path must not contain '.' or '..' as a part";
  if (key !== "" && segments.includes("")) return "its path must not contain empty parts";
  if (segments.some((segment) => byteLength(segment) > 255))
    return "each part of its path must be at most 255 bytes long";
  return undefined;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
