/** What a result would replace: `GET /outputs/<bucket>/<path>`. */
import { asFolder, formatLocation, type OutputFolder } from "../../../contract";
import { enclosingTable, replacedObjects } from "../queries/replaced-objects";
import type { ServiceContext } from "../service-context";
import { locationOf } from "./objects";

/** Returns what is in the folder of a result; nothing where its bucket is missing. @throws InvalidParameter */
export async function describeOutput(context: ServiceContext, text: string): Promise<OutputFolder> {
  const folder = asFolder(locationOf("path", text));
  const location = formatLocation(folder);
  if (!(await context.storage.bucketExists(folder.bucket))) return { location };
  const { queryId, objects, other, split } = (await replacedObjects(context, folder)) ?? {};
  if (other !== undefined) {
    return { location, others: `${location} has ${objects}, ${other}`, ...(split && { split }) };
  }
  const others = await enclosingTable(context, folder);
  if (others !== undefined) return { location, others, isInside: true };
  return queryId === undefined ? { location } : { location, queryId };
}
