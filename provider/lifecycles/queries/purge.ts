/** The purge of a result or a table: deletes the objects that a query published, while they are still there. */
import { overlaps, type QueryRecord } from "../../../contract";
import type { Client } from "../../client";
import type { LifecycleContext } from "../lifecycle";
import { redacted } from "../redaction";
import { purgeProblem, recordIfKept } from "./query-resource";
import { nameOf } from "./resource-name";
import { folderOf, hasObjects, listObjects, outputOf, purge, type ObjectList } from "./results";
import { requireServiceStorage } from "./service-storage";

/** What a resource's query published, as far as its state tells. */
export interface Published {
  readonly queryId: number;
  /** Location of the folder. */
  readonly folder: string;
  /** When its query was submitted, as a state tells it. */
  readonly startTime: string | undefined;
  /** The objects as they were published; undefined if they were not listed. */
  readonly objects: ObjectList | undefined;
  /** True when a query of another resource published them. */
  readonly adopted?: boolean | undefined;
}

/** What a user does about objects that a purge has kept. */
export const deleteUnneeded = "Delete them by hand if nobody needs them";

/** Maximum number of records to examine for the query that published to a folder since. */
const maxRecords = 200;

/**
 * Deletes the objects of a folder if they are those that the query published. Otherwise keeps them and warns whose they
 * are: another resource, stack or program may have written to the folder since.
 * @returns true when it has deleted objects.
 * @throws an error that names the remedy when storage is not configured, or is not that of the service
 */
export async function purgePublished(published: Published, context: LifecycleContext): Promise<boolean> {
  const problem = purgeProblem("purge", context.storage !== undefined);
  if (problem !== undefined) throw new Error(problem);
  const folder = redacted(published.folder, context);
  await requireServiceStorage(published.folder, context);
  const held = whoHolds(published, context);
  const reason = held ?? (await whyKept(published, context));
  if (reason !== undefined) {
    const remedy = held === undefined ? `. ${deleteUnneeded}` : "";
    context.warn(`the objects in ${folder} are kept, although deletionPolicy is "purge": ${reason}${remedy}`);
    return false;
  }
  if (!(await hasObjects(context.storage!, published.folder))) {
    const isMissed =
      (published.objects?.objects.length ?? 0) > 0 && !context.programTables?.isReplaced(published.queryId);
    if (isMissed) context.info(`there are no objects in ${folder}, so nothing was purged there`);
    return false;
  }
  context.report(`deleting the objects in ${folder}`);
  await purge(context.storage!, published.folder);
  return true;
}

/** Returns why a purge keeps the objects of a folder; undefined if it deletes them, or if there are none. */
export async function whyKept(
  { queryId, folder, startTime, objects, adopted }: Published,
  context: LifecycleContext,
): Promise<string | undefined> {
  const held = whoHolds({ queryId, folder }, context);
  if (held !== undefined) return held;
  const { storage } = context;
  if (!storage) return undefined;
  const found = await listObjects(storage, folder);
  if (found.objects.length === 0) return undefined;
  if (adopted) {
    const later = await laterPublisherOf(queryId, folder, context);
    if (later !== undefined) return publishedSince(later);
    return `query ${queryId} of another resource or stack published them, whose table was adopted`;
  }
  if (objects?.etag !== undefined) {
    return objects.etag === found.etag ? undefined : whoChanged(queryId, folder, context, [objects, found]);
  }
  // The state of an earlier version, of an interrupted wait, or of a time without storage.
  const record = await recordIfKept(queryId, { location: folder, startTime }, context);
  if (record && record.status !== "finished") return `query ${queryId} did not publish them, because it did not finish`;
  if (objects && !sameList(objects, found)) return whoChanged(queryId, folder, context, [objects, found]);
  if (!objects && !record)
    return `the service no longer has the record of query ${queryId}, so whose they are is unknown`;
  const later = await laterPublisherOf(queryId, folder, context);
  if (later !== undefined) return publishedSince(later);
  // Without a list, only the service tells what others have put there.
  return objects ? undefined : whatServiceSays(queryId, folder, context);
}

/**
 * Says whose the objects in a folder are, or which are not those that a query published, as the service tells it; undefined
 * when they are those, and where it does not tell, as one that has only the API.
 */
export async function whatServiceSays(
  queryId: number,
  folder: string,
  context: Pick<LifecycleContext, "client" | "secret"> & Partial<Pick<LifecycleContext, "signal">>,
): Promise<string | undefined> {
  const { writer, change } = await ownerOf(folder, context);
  if (writer !== undefined && writer !== queryId) return `query ${writer} has published there since`;
  return change !== undefined && context.secret ? notOnly(queryId) : change;
}

/** Returns the query whose result or table is in a folder, and what is not as it published it, as far as the service tells. */
export async function ownerOf(
  folder: string,
  { client, signal }: Pick<LifecycleContext, "client"> & Partial<Pick<LifecycleContext, "signal">>,
): Promise<{ readonly writer: number | undefined; readonly change: string | undefined }> {
  const there = await client.describeOutput({ folder }, { signal });
  const writer = there?.queryId ?? there?.split?.queryId;
  return { writer, change: there?.split ? there.split.change : there?.others };
}

const notOnly = (queryId: number) => `they are not, or not only, those that query ${queryId} published`;

/** Says which resource of the run has the objects in a folder now; undefined if none does. */
function whoHolds(
  { queryId, folder }: Pick<Published, "queryId" | "folder">,
  { programTables, urn }: LifecycleContext,
): string | undefined {
  const holder = programTables?.holder(folder);
  if (holder !== undefined && holder !== urn) return `${nameOf(holder)} has them now`;
  if (programTables?.isAdopted(folder)) return "the replacement has taken them over";
  // Another resource that is to adopt them waits until they are deleted.
  const isOwnReplacement = programTables?.isReplaced(queryId) === true && programTables.writerOf(folder) === urn;
  if (isOwnReplacement && programTables.isToBeAdopted(folder)) return "the replacement takes them over";
  // What is made again is deleted for that, whoever refers to it.
  const isLookedUp = programTables?.isLookedUp(folder) === true && !programTables.isReplaced(queryId);
  return isLookedUp ? "the program refers to them by the id of a query" : undefined;
}

/**
 * Says who has changed the objects in a folder since a query published there, or which object was changed.
 * @param lists the objects as they were published, and as they are now, if both are known
 */
export async function whoChanged(
  queryId: number,
  folder: string,
  context: Pick<LifecycleContext, "client"> & Partial<Pick<LifecycleContext, "signal" | "secret">>,
  lists?: readonly [before: ObjectList, now: ObjectList],
): Promise<string> {
  const later = await laterPublisherOf(queryId, folder, context);
  if (later !== undefined) {
    const since = await changeSince(later, folder, context);
    if (since === undefined) return publishedSince(later);
    return `${publishedSince(later)}, but ${context.secret ? "its objects were changed after that" : since}`;
  }
  const change = lists && !context.secret ? changeBetween(queryId, ...lists) : undefined;
  return change ?? notOnly(queryId);
}

/**
 * Says which object is not as a split published it, such as one of an older copy of the folder; undefined when all are, and
 * where the service does not tell.
 */
export async function changeSince(
  { id }: QueryRecord,
  folder: string,
  { client, signal }: Pick<LifecycleContext, "client"> & Partial<Pick<LifecycleContext, "signal">>,
): Promise<string | undefined> {
  const there = await client.describeOutput({ folder }, { signal }).catch(() => undefined);
  return there?.split?.queryId === id ? there.split.change : undefined;
}

/** Says which objects were added, changed or deleted; undefined when names and sizes do not tell. */
function changeBetween(queryId: number, ...lists: readonly [before: ObjectList, now: ObjectList]): string | undefined {
  // A list of the first objects tells nothing of those that follow them.
  const isListed = (location: string) =>
    lists.every(({ objects, count }) => count === undefined || location <= objects.at(-1)!.location);
  const [before, now] = lists.map(
    ({ objects }) =>
      new Map(objects.flatMap(({ location, size }) => (isListed(location) ? [[location, size] as const] : []))),
  ) as [Map<string, number>, Map<string, number>];
  const added = [...now.keys()].filter((location) => !before.has(location));
  if (added.length > 0) return `query ${queryId} did not write ${firstOf(added)}`;
  const changed = [...now].flatMap(([location, size]) => (before.get(location) === size ? [] : [location]));
  if (changed.length > 0) return `query ${queryId} wrote ${firstOf(changed)} with other content`;
  const deleted = [...before.keys()].filter((location) => !now.has(location));
  return deleted.length > 0 ? `query ${queryId} also wrote ${firstOf(deleted)}, no longer there` : undefined;
}

function firstOf([first, ...more]: readonly string[]): string {
  return more.length === 0 ? first! : `${first} and ${more.length} more`;
}

function publishedSince({ id }: QueryRecord): string {
  return `query ${id} has published there since`;
}

/** Returns the query that last wrote to a folder, above or below it, after another query; undefined if none is found. */
export function laterPublisherOf(
  queryId: number,
  folder: string,
  context: Pick<LifecycleContext, "client"> & Partial<Pick<LifecycleContext, "signal">>,
): Promise<QueryRecord | undefined> {
  return laterPublisher(queryId, writesIn(folder), context);
}

/** Returns a test for queries that wrote to the folder, above or below it. */
function writesIn(folder: string): (record: QueryRecord) => boolean {
  const own = folderOf(folder);
  return (record) => overlaps(outputOf(record), own);
}

/** Records that a run has read, so that many resources do not read them again. */
const finishedRecords = new WeakMap<Client, Map<number, QueryRecord>>();

/** Returns the newest finished query after this one that passes a test, if it is found. */
export async function laterPublisher(
  queryId: number,
  test: (record: QueryRecord) => boolean,
  { client, signal }: Pick<LifecycleContext, "client"> & Partial<Pick<LifecycleContext, "signal">>,
): Promise<QueryRecord | undefined> {
  const known = finishedRecords.get(client) ?? new Map<number, QueryRecord>();
  finishedRecords.set(client, known);
  let examined = 0;
  for await (const { id } of client.queries({ status: ["finished"], order: "desc" }, { signal })) {
    if (id <= queryId || examined++ >= maxRecords) return undefined;
    const record = known.get(id) ?? (await client.getQuery({ queryId: id }, { signal }));
    known.set(id, record);
    if (test(record)) return record;
  }
  return undefined;
}

function sameList(before: ObjectList, now: ObjectList): boolean {
  const textOf = ({ objects, count, size }: ObjectList) =>
    JSON.stringify([objects.map(({ location, size: bytes }) => [location, bytes]), count, size]);
  return textOf(before) === textOf(now);
}
