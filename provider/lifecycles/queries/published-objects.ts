/** The objects that the query of a resource has published: whether they are still there, and still its own. */
import { errors, type QueryRecord } from "../../../contract";
import { settingName } from "../configuration";
import { describeError } from "../describe-error";
import type { Policy } from "../freshness/replaced-policy";
import type { LifecycleContext, OthersObjects } from "../lifecycle";
import { redacted } from "../redaction";
import { Refusal } from "../refusal";
import { changeSince, deleteUnneeded, laterPublisherOf, whatServiceSays, whyKept, type Published } from "./purge";
import { changedTableRemedy, isTable, rerunStep } from "./resource-name";
import { folderOf, hasObjects, type ObjectList } from "./results";
import { withServiceStorage } from "./service-storage";
import { isOfResource } from "./submission-token";
import { requireNoTable } from "./table-guard";

/** The part of a state that tells about its objects. */
export interface PublishedState {
  readonly status: string;
  /** The folder of the objects. */
  readonly location: string;
  readonly result?: ObjectList | undefined;
}

/** The objects in the folder of a result are no longer those that its query published. Its message quotes no secret. */
export class OthersObjectsError extends Refusal {
  override readonly name = "OthersObjectsError";
  readonly code = "OthersObjects";
}

/**
 * Refuses to read objects that are no longer those that the query published: they are no result of it.
 * @throws {OthersObjectsError}, which says whose they are and what to do
 */
export async function requirePublished(
  published: Published,
  folderInput: "outputResourcePath" | "outputTable",
  context: LifecycleContext,
): Promise<void> {
  const reason = await whyOthers(published, context);
  if (reason === undefined) return;
  const { queryId, folder } = published;
  const remedy =
    folderInput === "outputTable"
      ? await tableRemedy(published, context)
      : `Set another outputResourcePath, or ${rerunStep(context.urn)}, which runs the query again and deletes the objects that are there`;
  throw new OthersObjectsError(
    `the objects in ${redacted(folder, context)} cannot be read as the result of query ${queryId}: ${reason}. The outputs ` +
      `stay as they are. ${remedy}`,
  );
}

/** Returns what a user does about a table that has other objects than its query published. */
export async function tableRemedy(
  { queryId, folder }: Pick<Published, "queryId" | "folder">,
  context: Pick<LifecycleContext, "client" | "secret"> & Partial<Pick<LifecycleContext, "signal">>,
): Promise<string> {
  // Only the table of another split can be adopted, and only as that has published it.
  const later = await laterPublisherOf(queryId, folder, context);
  const isWhole = later?.type === "split" && (await changeSince(later, folder, context)) === undefined;
  return isWhole
    ? 'Change "triggers" to adopt the table that is there now, if its split had the same inputs, or set another outputTable'
    : changedTableRemedy(queryId, redacted(folder, context));
}

/** Says whose the objects are that a query published, when they are others now; undefined when they are not, or there are none. */
export function whyOthers(published: Published, context: LifecycleContext): Promise<string | undefined> {
  // A table that was adopted is that of another query's resource.
  return whyKept({ ...published, adopted: false }, { ...context, programTables: undefined });
}

/** Returns true when a query has published objects, and there are none any more. */
export async function areGone(
  { status, location, result }: PublishedState,
  { storage, warn, secret }: LifecycleContext,
): Promise<boolean> {
  if (!storage || status !== "finished" || !result || result.objects.length === 0) return false;
  if (await hasObjects(storage, location)) return false;
  if (await storage.bucketExists(folderOf(location).bucket)) return true;
  // A storage that is configured wrongly has no bucket either, and must not make everything run again.
  const folder = redacted(location, { secret });
  warn(
    `the bucket of ${folder} does not exist in ${settingName("storage")}: it is unknown whether the objects there still exist`,
  );
  return false;
}

/**
 * Returns true, after a warning, when all objects were deleted: the resource no longer exists, and is made again.
 * @param what the objects are.
 */
export async function isGone(
  what: "result" | "table",
  state: PublishedState,
  context: LifecycleContext,
): Promise<boolean> {
  if (!(await unlessUnreadable(() => areGone(state, context), state.location, context))) return false;
  const folder = redacted(state.location, context);
  const remedy = context.isLookup ? "use the id of another query" : 'run "pulumi up" to create it again';
  context.warn(
    `the objects in ${folder} were deleted, so the ${what} no longer exists: ${remedy}. If ` +
      `they still exist, ${settingName("storage")} is not the storage of the service: correct it first`,
  );
  return true;
}

/** Warns when the objects are no longer what the outputs describe, and that a later delete keeps them. */
export async function warnOfOthers(
  published: Published,
  status: string,
  deletionPolicy: "keep" | "purge" | undefined,
  context: LifecycleContext,
): Promise<void> {
  // Without an etag, only a search through the service's records tells, which a refresh is not worth.
  if (status !== "finished" || published.objects?.etag === undefined) return;
  const findReason = () => whyKept({ ...published, adopted: false }, context);
  const reason = await unlessUnreadable(findReason, published.folder, context);
  if (reason === undefined) return;
  const folder = redacted(published.folder, context);
  const kept = deletionPolicy === "purge" ? ". A delete will keep the objects" : "";
  const remedy = await remedyOf(published, context);
  context.warn(
    `the outputs describe what query ${published.queryId} wrote to ${folder}, where other objects are now: ${reason}${kept}. ${remedy}`,
  );
}

async function remedyOf(published: Published, context: LifecycleContext): Promise<string> {
  if (context.isLookup) {
    const later = await laterPublisherOf(published.queryId, published.folder, context);
    return later === undefined ? "Use the id of another query" : `Use the id of query ${later.id}, if it is to be read`;
  }
  return isTable(context.urn) ? tableRemedy(published, context) : 'Change "triggers" to run it again';
}

/** Returns what `examine` finds out about the objects; undefined, after a warning, when the storage cannot be read. */
async function unlessUnreadable<Found>(
  examine: () => Promise<Found>,
  location: string,
  { warn, secret }: LifecycleContext,
): Promise<Found | undefined> {
  try {
    return await examine();
  } catch (error) {
    if (!(error instanceof errors.StorageAccessError)) throw error;
    const reason = secret ? "" : `: ${describeError(error)}`;
    warn(`cannot see whether the objects in ${redacted(location, { secret })} still exist${reason}`);
    return undefined;
  }
}

/** Says why a replacement keeps objects that its old resource would purge; undefined if it deletes them. */
export async function keptByReplacement(
  published: Published,
  policy: Policy,
  context: LifecycleContext,
): Promise<OthersObjects | undefined> {
  if (policy !== "purge") return undefined;
  const compared = await withServiceStorage(published.folder, context);
  // The replacement holds the folder only when it has been created.
  const reason = await whyKept(published, { ...compared, programTables: undefined });
  if (reason === undefined) return undefined;
  return {
    warning: `the replacement keeps the objects of its old query ${published.queryId}: ${reason}. ${deleteUnneeded}`,
    effect: "kept",
  };
}

/**
 * Says that a replacement's query deletes objects that are not those of the old query; undefined without such objects.
 * @throws {Refusal} when a table that a split made, or an input of one, is among them
 */
export async function deletedByReplacement(
  published: Published,
  { policy, status }: { readonly policy: Policy; readonly status: string },
  given: LifecycleContext,
): Promise<OthersObjects | undefined> {
  const { queryId, folder, objects } = published;
  const context = await withServiceStorage(folder, given);
  const isPurged = policy === "purge";
  const isFinished = status === "finished";
  const isListed = objects?.etag !== undefined;
  // Without an etag, a folder that is not purged is not worth a search through the service's records.
  const isExamined = isPurged || (isFinished && isListed);
  const reason = isExamined
    ? await whyKept(published, { ...context, programTables: undefined })
    : isFinished
      ? await whatServiceSays(queryId, folder, context).catch(() => undefined)
      : undefined;
  const isAllOwn = isExamined && isListed && context.storage !== undefined && reason === undefined;
  if (!isAllOwn) await requireNoTable(folder, isFinished ? queryId : 0, context);
  if (!isPurged && !isFinished) return deletedAfterUnfinished(published, context);
  if (reason === undefined) return undefined;
  const lost = await lostQueryOf(published, context);
  const others = lost === undefined ? reason : await whatServiceSays(lost, folder, context);
  if (others === undefined) return undefined;
  const warning =
    `the new query deletes all objects in ${redacted(folder, context)}, also those that are not of its old query ` +
    `${lost ?? queryId}: ${others}. Move them away first to keep them`;
  return { warning, effect: "deleted" };
}

/** Milliseconds for the question whose objects are in a folder. */
const timeout = 10_000;

/**
 * Says that a replacement's query deletes objects although the old query has not finished, so that they are others';
 * undefined when there are none, or when they are the result of an earlier query of the resource.
 */
async function deletedAfterUnfinished(
  { queryId, folder }: Published,
  context: LifecycleContext,
): Promise<OthersObjects | undefined> {
  if (!context.storage || !(await hasObjects(context.storage, folder))) return undefined;
  const whose = await othersIn(folder, context).catch((error: unknown) => unknownOwner(describeError(error), context));
  if (whose === undefined) return undefined;
  const warning =
    `the new query deletes all objects in ${redacted(folder, context)}, none of which its old query ${queryId} published, ` +
    `because it did not finish: ${whose}. Move them away first to keep them`;
  return { warning, effect: "deleted" };
}

/** Says whose the objects in a folder are; undefined when they are the result of a query of the resource itself. */
async function othersIn(folder: string, context: LifecycleContext): Promise<string | undefined> {
  const { client, signal, secret } = context;
  const there = await client.describeOutput({ folder }, { signal, timeout });
  if (there?.others !== undefined) return secret ? "they are no result of a query" : there.others;
  const last = await publisherOf(there?.queryId, folder, context);
  if (!last) return unknownOwner(undefined, context);
  return isOwn(last, context) ? undefined : `query ${last.id} published them`;
}

function unknownOwner(reason: string | undefined, { secret }: LifecycleContext): string {
  return `whose they are is unknown${reason === undefined || secret ? "" : ` (${reason})`}`;
}

/** Returns the query whose result is in a folder, as the service says; otherwise the last one that wrote there. */
function publisherOf(queryId: number | undefined, folder: string, context: LifecycleContext) {
  const { client, signal } = context;
  return queryId === undefined ? laterPublisherOf(0, folder, context) : client.getQuery({ queryId }, { signal });
}

/** Returns true for a query of the resource itself. */
function isOwn({ accessKeyId, label }: QueryRecord, { client, urn }: LifecycleContext): boolean {
  return accessKeyId === client.accessKeyId && isOfResource(label, urn);
}

/** Returns the later query of the same resource, submitted by an interrupted run, that published to the folder last, if one did. */
async function lostQueryOf({ queryId, folder }: Published, context: LifecycleContext): Promise<number | undefined> {
  const last = await laterPublisherOf(queryId, folder, context);
  return last !== undefined && isOwn(last, context) ? last.id : undefined;
}
