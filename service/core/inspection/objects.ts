/** Objects for the console: `GET /objects` and `GET /results/<queryId>`. */
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
  type ResultSample,
} from "../../../contract";
import type { Inspection } from "../ports/inspection";
import { outputFolder } from "../ports/output-folder";
import type { Caller, ServiceContext } from "../service-context";
import { columnNames } from "./check";
import { cutRows } from "./cells";

const sampleRows = 100;

/** What is answered in place of objects that are not the query's. */
const noObjects = { page: { objects: [], isTruncated: false }, sample: { rows: [], isTruncated: false } };

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

/** Returns the objects and first rows of a select's result. @throws QueryNotFound, InvalidQueryType, InvalidQueryState */
export async function resultOf(
  context: ServiceContext,
  inspection: Inspection,
  id: number,
  caller: Caller,
): Promise<ResultSample> {
  const query = await context.state.query(id);
  const field = "queryId";
  if (!query) throw new errors.QueryNotFound(`query ${id} does not exist`, { field });
  if (query.type !== "select") {
    throw new errors.InvalidQueryType(`query ${id} is a ${query.type}: only a select has a result`, { field });
  }
  if (query.status !== "finished") {
    throw new errors.InvalidQueryState(`query ${id} is ${query.status}: only a finished query has a result`, { field });
  }
  const location = outputFolder(query);
  const columns = query.columns?.map(({ name }) => name) ?? (await columnNames(context, query, caller));
  const known = {
    location: formatLocation(location),
    ...(columns ? { columns: [...columns] } : {}),
    ...(query.columns ? { types: query.columns.map(({ type }) => type) } : {}),
  };
  const page = await listObjects(context, { prefix: known.location });
  const source = { location, format: query.outputFormat, mayHaveHeader: false };
  const { rows, isTruncated } = await inspection.sample(source, sampleRows);
  // Looked at last: what is answered was read before, so it is the query's if this is so now.
  const replaced = await context.catalog.published.replacementOf(location, id);
  if (replaced) return { ...known, ...noObjects, replaced };
  return { ...known, page, sample: { rows: cutRows(rows), isTruncated } };
}

function locationOf(field: string, text: string): Location {
  try {
    return parseLocation(text);
  } catch (error) {
    if (!(error instanceof LocationError)) throw error;
    throw new errors.InvalidParameter(`${field} is not valid: ${error.message}`, { field });
  }
}

async function requireBucket({ storage }: Pick<ServiceContext, "storage">, { bucket }: Location): Promise<void> {
  if (await storage.bucketExists(bucket)) return;
  throw new errors.InputBucketIsNotFound(`the bucket "${bucket}" does not exist`, { field: "prefix" });
}
