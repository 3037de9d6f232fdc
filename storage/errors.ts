/** Errors of the storage adapters. */
import { ApiError, errors, formatLocation, LocationError, parseLocation, type Location } from "../contract";
import { diskProblem } from "./disk-errors";

/** Creates the error of a failed access. `reason` is appended after a colon. */
export function accessError(location: Location, reason: string, cause?: unknown): ApiError {
  return new errors.StorageAccessError(`${formatLocation(location)} cannot be accessed: ${reason}`, { cause });
}

/** Creates the error of a missing object. */
export function objectNotFound(location: Location): ApiError {
  return new errors.InputObjectNotFound(`${formatLocation(location)} does not exist`);
}

/** Returns an API error unchanged and converts any other error: of a full disk to ServiceUnavailable, else to StorageAccessError. */
export function asAccessError(location: Location, error: unknown, reasonOf: (error: unknown) => string): ApiError {
  if (error instanceof ApiError) return error;
  if (diskProblem(error) !== "full") return accessError(location, reasonOf(error), error);
  return new errors.ServiceUnavailable(
    `${formatLocation(location)} was not written: the disk of the service's buckets is full: try again when there is space on it`,
    { cause: error },
  );
}

/** Throws unless the location is a valid `dag://` location, so that no path can point outside its bucket. */
export function assertLocation(location: Location): void {
  try {
    const { bucket, key } = parseLocation(formatLocation(location));
    if (bucket === location.bucket && key === location.key) return;
  } catch (error) {
    if (error instanceof LocationError) throw accessError(location, error.message, error);
    throw error;
  }
  throw accessError(location, "its bucket must not contain a slash");
}

/** Throws unless the location is valid and names an object, not a folder. */
export function assertObject(location: Location): void {
  assertLocation(location);
  if (location.key === "" || location.key.endsWith("/"))
    throw accessError(location, "it names a folder, not an object");
}
