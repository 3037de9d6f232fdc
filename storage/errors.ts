/** Errors of a store, made the same way by every adapter. */
import { ApiError, errors, formatLocation, LocationError, parseLocation, type Location } from "../contract";

/** Access to a location failed; `reason` says why, in words that go behind a colon. */
export function accessError(location: Location, reason: string, cause?: unknown): ApiError {
  return new errors.StorageAccessError(`${formatLocation(location)} cannot be accessed: ${reason}`, { cause });
}

/** There is no object at a location. */
export function notFound(location: Location): ApiError {
  return new errors.InputObjectNotFound(`${formatLocation(location)} does not exist`);
}

/** Lets through what already is an error of the API; makes a StorageAccessError of everything else. */
export function asAccessError(location: Location, error: unknown, reasonOf: (error: unknown) => string): ApiError {
  return error instanceof ApiError ? error : accessError(location, reasonOf(error), error);
}

/** Refuses what no `dag://` location can say, so that nothing leaves its bucket. */
export function assertLocation(location: Location): void {
  try {
    const { bucket, key } = parseLocation(formatLocation(location));
    if (bucket === location.bucket && key === location.key) return;
  } catch (error) {
    if (error instanceof LocationError) throw accessError(location, error.message, error);
    throw error;
  }
  throw accessError(location, "its bucket must not hold a slash");
}

/** The same, and it must name an object. */
export function assertObject(location: Location): void {
  assertLocation(location);
  if (location.key === "" || location.key.endsWith("/"))
    throw accessError(location, "it names a folder, not an object");
}
