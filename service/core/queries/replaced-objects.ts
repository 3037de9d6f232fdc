/** Finds out whose objects the result of a select takes the place of. */
import { formatLocation, isHiddenObject, isWithin, isWrittenObject, type Location } from "../../../contract";
import { tableContaining, tableFolder } from "./catalog";
import type { QueryContext } from "./query-context";

/** Objects that are counted; a folder may have very many. */
const maxCounted = 10_000;

/** The objects in the folder of a result. */
export interface ReplacedObjects {
  /** The select whose result they are, as it wrote it; undefined when they are something else. */
  readonly queryId?: number;
  /** Number and example, such as `2 objects, such as dag://mart/orders/a.csv`. */
  readonly objects: string;
  /** What they are, as a clause; undefined for the result of a select. */
  readonly other?: string;
  /** The split that last wrote the objects as a table, and how they differ from what it published, if they do. */
  readonly split?: { readonly queryId: number; readonly change?: string };
}

type Context = Pick<QueryContext, "storage" | "state" | "catalog">;

/** Returns what a result in a folder would replace; undefined when it is empty. */
export async function replacedObjects(
  { storage, state, catalog }: Context,
  folder: Location,
): Promise<ReplacedObjects | undefined> {
  let first: Location | undefined;
  let hidden: Location | undefined;
  let foreign: Location | undefined;
  let count = 0;
  for await (const { location } of storage.list(folder)) {
    first ??= location;
    if (isHiddenObject(location.key.slice(folder.key.length))) hidden ??= location;
    if (!isWrittenObject(location.key)) foreign ??= location;
    count += 1;
    if (count > maxCounted) break;
  }
  if (first === undefined) return undefined;
  const number = count > maxCounted ? `more than ${maxCounted} objects` : count === 1 ? "1 object" : `${count} objects`;
  const found = (example: Location) => `${number}, such as ${formatLocation(example)}`;
  const published = await state.catalog.listPublished(folder);
  const last = published.find((each) => each.folder.key === folder.key);
  if (!last) {
    const below = published.find((each) => isWithin(first, each.folder));
    const other = below
      ? `which query ${below.queryId} published to ${formatLocation(below.folder)}`
      : "which no query published there";
    return { objects: found(first), other };
  }
  const { queryId, type } = last;
  if (type !== "select") {
    const change = hidden
      ? `query ${queryId} did not publish ${formatLocation(hidden)}`
      : await catalog.published.changeOf(folder);
    const split = { queryId, ...(change !== undefined && { change }) };
    return { objects: found(first), other: `which query ${queryId} wrote as a table`, split };
  }
  if (hidden) return { objects: found(hidden), other: `which query ${queryId} did not publish` };
  const isChanged = (await catalog.published.changeOf(folder)) !== undefined;
  return isChanged
    ? { objects: found(foreign ?? first), other: `changed since query ${queryId} published its result there` }
    : { objects: found(first), queryId };
}

/** Says that a folder is within the table of a split, which is no table of the catalog once it has a result too. */
export async function enclosingTable(
  { state }: Pick<QueryContext, "state">,
  folder: Location,
): Promise<string | undefined> {
  const name = tableContaining(folder);
  if (folder.key === tableFolder(name).key || !(await state.catalog.getTable(name.database, name.table)))
    return undefined;
  return `${formatLocation(folder)} is in the folder of ${name.database}.${name.table}, which a split wrote: with the result in it, the table loses the format and schema of its split`;
}

/**
 * Returns a warning when a folder to which a result is published has objects that are not the result of an earlier select.
 * Or when it is within the table of a split. Undefined otherwise, and when they cannot be listed.
 */
export async function replacementWarning(context: Context, folder: Location): Promise<string | undefined> {
  try {
    const found = await replacedObjects(context, folder);
    if (found?.other === undefined) return await enclosingTable(context, folder);
    return `${formatLocation(folder)} had ${found.objects}, ${found.other}: the result replaces them, and they are deleted`;
  } catch {
    return undefined;
  }
}
