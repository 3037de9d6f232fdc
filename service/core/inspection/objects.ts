/** Objects for the console: `GET /objects` and below. */
import type { Readable } from "node:stream";
import {
  asFolder,
  errors,
  formatLocation,
  limits,
  LocationError,
  parseLocation,
  type Location,
  type ObjectPage,
} from "../../../contract";
import type { ServiceContext } from "../service-context";

export interface ObjectListing {
  readonly prefix: string;
  readonly max?: number | undefined;
  readonly marker?: string | undefined;
}

/** Lists the objects of a folder by name, one page. @throws InvalidParameter, InputBucketIsNotFound */
export async function listObjects(
  { storage }: Pick<ServiceContext, "storage">,
  { prefix, max = limits.listPage, marker }: ObjectListing,
): Promise<ObjectPage> {
  const folder = asFolder(locationOf("prefix", prefix));
  await requireBucket({ storage }, folder);
  const after = marker === undefined ? undefined : locationOf("marker", marker);
  if (after && after.bucket !== folder.bucket) {
    throw new errors.InvalidParameter(
      `marker is not valid: it must be the nextMarker of an earlier page of ${prefix}`,
      {
        field: "marker",
      },
    );
  }
  const objects: ObjectPage["objects"] = [];
  for await (const { location, size, lastModified } of storage.list(folder, after?.key)) {
    if (objects.length === max) return { objects, isTruncated: true, nextMarker: objects.at(-1)!.location };
    objects.push({ location: formatLocation(location), size, lastModified: lastModified.toISOString() });
  }
  return { objects, isTruncated: false };
}

/** Opens one object. @throws InvalidParameter, InputBucketIsNotFound, InputObjectNotFound */
export async function openObject(
  { storage }: Pick<ServiceContext, "storage">,
  text: string,
): Promise<{ readonly size: number; readonly name: string; readonly body: Readable }> {
  const location = locationOf("path", text);
  await requireBucket({ storage }, location);
  const found = location.key === "" || location.key.endsWith("/") ? undefined : await storage.head(location);
  if (!found) throw new errors.InputObjectNotFound(`the object ${text} does not exist`, { field: "path" });
  const name = location.key.split("/").at(-1)!;
  return { size: found.size, name, body: await storage.read(location, { end: found.size }) };
}

/** @throws InvalidParameter */
export function locationOf(field: string, text: string): Location {
  try {
    return parseLocation(text);
  } catch (error) {
    if (!(error instanceof LocationError)) throw error;
    throw new errors.InvalidParameter(`${field} is not valid: ${error.message}`, { field });
  }
}

/** @throws InputBucketIsNotFound */
export async function requireBucket({ storage }: Pick<ServiceContext, "storage">, { bucket }: Location): Promise<void> {
  if (await storage.bucketExists(bucket)) return;
  throw new errors.InputBucketIsNotFound(`the bucket "${bucket}" does not exist`, { field: "prefix" });
}
