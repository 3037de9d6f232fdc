/** Tells which objects of others a result takes the place of. */
import { formatLocation, type Location } from "../../../contract";
import type { QueryContext } from "./query-context";

/** Objects that are counted; a folder may have very many. */
const maxCounted = 10_000;

/**
 * Returns a warning when a folder to which a result is published has objects that are not the result of the last query that
 * published there: they are deleted. Undefined without such objects, and when they cannot be listed.
 */
export async function replacedObjects(
  { storage, state, catalog }: Pick<QueryContext, "storage" | "state" | "catalog">,
  folder: Location,
): Promise<string | undefined> {
  try {
    let example: string | undefined;
    let count = 0;
    for await (const { location } of storage.list(folder)) {
      example ??= formatLocation(location);
      count += 1;
      if (count > maxCounted) break;
    }
    if (example === undefined) return undefined;
    const last = (await state.catalog.listPublished(folder)).some(
      ({ folder: published }) => published.key === folder.key,
    );
    if (last && (await catalog.published.changeOf(folder)) === undefined) return undefined;
    const objects =
      count > maxCounted ? `more than ${maxCounted} objects` : count === 1 ? "1 object" : `${count} objects`;
    const what = last
      ? "which were not as the last query there had written them"
      : "which no query had published there";
    return `warning: ${formatLocation(folder)} had ${objects}, such as ${example}, ${what}: the result replaces them, and they are deleted`;
  } catch {
    return undefined;
  }
}
