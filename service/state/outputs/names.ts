/** What the output folders have in common in a local directory and on S3. */
import type { Location } from "../../../contract";
import type { Storage } from "../../../storage/storage";

/** Key of the marker object that is in the output bucket while a query runs (specification §1). */
export const markerKey = "tmp_$folder$";

/** Folder of the temporary objects of running queries, in their output bucket. */
export const temporaryFolder = "tmp";

/** Finds an object whose key is the folder or one of its parents, such as `a/b` for the folder `a/b/c/`. */
export async function blockingObjectIn(
  storage: Pick<Storage, "head">,
  { bucket, key }: Location,
): Promise<Location | undefined> {
  const parts = key.split("/").filter((part) => part !== "");
  for (let length = 1; length <= parts.length; length += 1) {
    const location = { bucket, key: parts.slice(0, length).join("/") };
    if (await storage.head(location)) return location;
  }
  return undefined;
}
