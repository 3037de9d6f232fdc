/** What becomes of a resource whose table exists already: the table is adopted, or the resource cannot be made. */
import type { SplitRecord } from "../../../contract";
import { changedInputs } from "../freshness/changed-inputs";
import type { LifecycleContext } from "../lifecycle";
import { laterPublisherOf, ownerOf } from "../queries/purge";
import { changedTableRemedy, nameOf } from "../queries/resource-name";
import { listObjects } from "../queries/results";
import { isOfResource } from "../queries/submission-token";
import { redacted } from "../redaction";
import { folderOfTable, qualifiedNameOf } from "../schema/table-names";
import { findTableSplit, hasGivenColumns, type SplitContent, type TableSplit } from "./table-split";

/** The table that a resource is to make. Its inputs are names without patterns. */
export interface TableToMake extends SplitContent {
  readonly rerunOnInputChange?: boolean | undefined;
  readonly deletionPolicy?: "keep" | "purge" | undefined;
}

/** What the answer depends on. */
export type ExistingTableContext = Pick<
  LifecycleContext,
  "client" | "storage" | "urn" | "submissionToken" | "secret" | "programTables"
> &
  Partial<Pick<LifecycleContext, "signal">>;

/** The table of a split that a resource can adopt. */
export interface Adoptable {
  readonly record: SplitRecord;
  /** True when a split of the same resource made it. */
  readonly isOwn: boolean;
  /** Says that it is adopted, and who will delete it. */
  readonly text: string;
  /** Says that its input objects have changed since, when they have. */
  readonly outdated?: string | undefined;
}

/**
 * The table that an earlier run of the same resource has made, of the same objects or in a run that was killed: the resource
 * deletes it, and makes it again.
 */
export interface Outlived {
  readonly record: SplitRecord;
  /** Says who made it, and that it is deleted, or cancelled while it runs. */
  readonly rebuilt: string;
}

/** A table that a resource cannot adopt. */
export interface NotAdoptable {
  readonly split: TableSplit | undefined;
  /** Says why not, and what to do. */
  readonly problem: string;
  /** True when a split of the same resource made it, of the same objects or in a run that was killed. */
  readonly isOwn?: boolean | undefined;
}

/** Reasons for which this run itself may change the answer. */
export function mayChange({ split }: NotAdoptable): boolean {
  return split !== undefined && (split.record.status === "running" || split.isReplaced || split.isDeleted);
}

/** Returns the name of another resource that this run replaces, and whose delete purges the table; undefined if none does. */
export function deletingResource(
  { split }: NotAdoptable,
  { programTables, urn }: Pick<ExistingTableContext, "programTables" | "urn">,
): string | undefined {
  if (!split?.isReplaced && !split?.isDeleted) return undefined;
  const replaced = programTables?.replaced(split.record.id) ?? programTables?.movedFrom(folderOfTable(split.record));
  return replaced?.deletionPolicy === "purge" && replaced.urn !== urn ? nameOf(replaced.urn) : undefined;
}

/**
 * Finds out who made the table that exists where a resource is to make one.
 * @param label of the split that the resource would submit.
 */
export async function existingTable(
  news: TableToMake,
  label: string | undefined,
  context: ExistingTableContext,
): Promise<Adoptable | Outlived | NotAdoptable> {
  const split = await findTableSplit(news, context);
  const later =
    split?.record.status === "running"
      ? undefined
      : await laterPublisherOf(split?.record.id ?? 0, folderOfTable(news), context);
  if (later) {
    const writer = `query ${later.id}, a ${later.type} of cluster "${redacted(later.clusterName, context)}",`;
    return { split, problem: overwrittenText(news, writer, context) };
  }
  if (split?.isReplaced) return { split, problem: await replacedText(news, split, context) };
  // A split of the same objects may have read an earlier content. Only the label tells.
  const isCurrent = !news.rerunOnInputChange || split?.record.label === label;
  if (split?.deletedUrn === context.urn && split.sameInputs) return { split, problem: staysText(news, split, context) };
  if (!split || split.isDeleted) return { split, problem: existsText(news, split, context) };
  const { record } = split;
  const isOfOtherKey = record.accessKeyId !== context.client.accessKeyId;
  // Without a token, a label tells nothing. Another user may have a resource of the same URN.
  const isOwn = context.submissionToken && !isOfOtherKey && isOfResource(record.label, context.urn);
  const isOutlived = isOwn && record.label !== label && news.deletionPolicy === "purge";
  if (!split.adoptable || !isCurrent || isOutlived) {
    const isEarlier = isOwn && (split.sameInputs || wasLost(record, context));
    if (!isEarlier) return { split, problem: existsText(news, split, context, isOwn) };
    // A purge keeps what is not, or not only, its own.
    const changed = await changedText(news, record, context);
    if (changed !== undefined) return { split, problem: changed };
    const outlived = isOutlived ? await outlivedText(news, record, context) : undefined;
    if (outlived !== undefined) return { record, rebuilt: outlived };
    const problem = split.sameInputs ? earlierText(news, record, context) : existsText(news, split, context, isOwn);
    return { split, problem, isOwn: true };
  }
  if (record.label !== label && (await hasGivenColumns(record, context)) === (news.schema === undefined)) {
    return { split, problem: existsText(news, { ...split, sameInputs: false }, context) };
  }
  const changed = await changedText(news, record, context);
  if (changed !== undefined) return { split, problem: changed };
  const by = `query ${record.id}${isOfOtherKey ? ` of access key ${record.accessKeyId}` : ""}`;
  const other = isOfOtherKey ? "another access key" : "a resource of another name or stack";
  const kept =
    !isOwn && news.deletionPolicy === "purge"
      ? `, and a delete will keep it, because ${other} made it (a purge there deletes it)`
      : "";
  // One that follows its inputs is adopted only with the same content.
  const outdated = news.rerunOnInputChange ? undefined : await outdatedText(news, record, context);
  const made = record.status === "running" ? "is being created" : "was created";
  return { record, isOwn, text: `${made} from identical inputs by ${by}: it is adopted${kept}`, outdated };
}

/**
 * Says what the folder of the table has when that is not what its split published; undefined when it is, and where the
 * service does not tell, as one that has only the API. Adopted, it would be described and purged as the table.
 */
async function changedText(
  news: TableToMake,
  { id, status }: SplitRecord,
  context: ExistingTableContext,
): Promise<string | undefined> {
  if (status !== "finished") return undefined;
  const folder = folderOfTable(news);
  const { writer, change } = await ownerOf(folder, context);
  if (writer !== undefined && writer !== id) return overwrittenText(news, `query ${writer}`, context);
  if (change === undefined) return undefined;
  const shown = context.secret ? `its objects are not, or not only, those that query ${id} published` : change;
  return (
    `the table ${redacted(qualifiedNameOf(news), context)} already exists, and is not adopted: ${shown}. ` +
    changedTableRemedy(id, redacted(folder, context))
  );
}

/**
 * Returns true for a query that a killed run has lost: the state has an earlier one of the resource. It is made again also
 * with the inputs of the state, because that run deleted what they had made.
 */
function wasLost({ id }: SplitRecord, { programTables, urn }: ExistingTableContext): boolean {
  const known = programTables?.queryOf(urn);
  return known !== undefined && known < id;
}

/**
 * Says that the table is deleted and made again; undefined unless the service says that it is whole, and storage is there
 * to delete it.
 */
async function outlivedText(
  news: TableToMake,
  { id, status }: SplitRecord,
  context: ExistingTableContext,
): Promise<string | undefined> {
  const by = `query ${id} of this resource, with other triggers or inputs, or from an earlier content of its input objects`;
  if (status === "running") return `is being created by ${by}: it is cancelled, and its query runs again`;
  if (!context.storage) return undefined;
  const { writer } = await ownerOf(folderOfTable(news), context);
  if (writer !== id) return undefined;
  return `was created by ${by}: it is deleted (deletionPolicy "purge"), and its query runs`;
}

/** Says that the table does not have what was written to its input objects since; undefined if nothing was. */
async function outdatedText(
  news: TableToMake,
  { id, startTime }: SplitRecord,
  context: ExistingTableContext,
): Promise<string | undefined> {
  const { newer, problem } = await changedInputs(news.inputObjectKeys, startTime, context);
  if (problem !== undefined) return `whether its input objects have changed since is unknown${problem}`;
  if (newer === undefined) return undefined;
  return (
    `it has the rows that query ${id} read, and not those of ${newer}, written since: delete the objects in ` +
    `${redacted(folderOfTable(news), context)} and run "pulumi up --refresh" to make it from what is there now`
  );
}

/** Says that a replacement cannot be made before the table that it replaces is deleted. */
export function createdFirstText(
  news: Pick<TableToMake, "outputDatabase"> & { readonly outputTable?: string | undefined },
  context: Pick<LifecycleContext, "secret">,
  queryId?: number,
): string {
  const query = queryId === undefined ? "" : ` (query ${queryId})`;
  return (
    `the table ${redacted(qualifiedNameOf(news), context)} still exists: it is the one that this resource replaces${query}, ` +
    `and is deleted only afterwards, if at all: set another outputTable, let the old table be deleted first (no ` +
    `deleteBeforeReplace: false, no retainOnDelete since the last up, and no resource transform that returns options), or, where an ` +
    `earlier run has deleted the resource without its objects, delete those in ${redacted(folderOfTable(news), context)}, or ` +
    `take the option and the change away, so that the table is adopted`
  );
}

/**
 * The table of a resource that this run replaces is still there. Either an earlier run, which failed afterwards, deleted
 * the resource and kept the table, or the engine creates the replacement first: options of the resource, or of a transform,
 * override what the diff asks for.
 */
async function replacedText(news: TableToMake, split: TableSplit, context: ExistingTableContext): Promise<string> {
  const { storage, programTables } = context;
  const queryId = split.record.id;
  const folder = folderOfTable(news);
  const moved = programTables?.movedFrom(folder);
  const replaced = programTables?.replaced(queryId) ?? (moved && { ...moved, etag: undefined });
  const byHand = `set another outputTable, or delete the objects in ${redacted(folder, context)} if nobody needs them`;
  const because = (text: string, remedy = byHand) =>
    `the table ${redacted(qualifiedNameOf(news), context)} still exists: ${text}: ${remedy}`;
  if (replaced?.urn !== undefined && replaced.urn !== context.urn) {
    const text = `it is that of ${nameOf(replaced.urn)} (query ${queryId}), which this run replaces`;
    if (replaced.deletionPolicy === "purge") {
      return because(text, `run "pulumi up" again when it is deleted, or ${byHand}`);
    }
    const isAdoptedNext = split.sameInputs && !news.rerunOnInputChange;
    return because(text, isAdoptedNext ? 'run "pulumi up" again, which adopts it, or set another outputTable' : byHand);
  }
  if (replaced?.deletionPolicy !== "purge") {
    return because(`deletionPolicy "keep" has kept what query ${queryId} of this resource made`);
  }
  if (storage && replaced.etag !== undefined && (await listObjects(storage, folder)).etag !== replaced.etag) {
    return because(`its objects are not, or not only, those that query ${queryId} published, so they are kept`);
  }
  return createdFirstText(news, context, queryId);
}

/** Another query has written to the folder of the table since a split made it, so that the split is not what is there. */
function overwrittenText(news: TableToMake, writer: string, context: ExistingTableContext): string {
  const folder = redacted(folderOfTable(news), context);
  return (
    `the table ${redacted(qualifiedNameOf(news), context)} already exists: ${writer} was the last to write to ` +
    `${folder}. Set another outputTable, or delete the objects there if nobody needs them`
  );
}

/** A resource of this name, which is not in the state any more, or which `--replace` deletes first, has made the table. */
function earlierText(news: TableToMake, { id }: SplitRecord, context: ExistingTableContext): string {
  return (
    `the table ${redacted(qualifiedNameOf(news), context)} already exists: query ${id} of this resource created it, with ` +
    `other triggers or from an earlier content of its input objects: delete the objects in ` +
    `${redacted(folderOfTable(news), context)}, so that it is made again, or set another outputTable`
  );
}

/** With `--replace`, the engine deletes a resource and makes it as a new one, without asking whether its table goes. */
function staysText(news: TableToMake, { record }: TableSplit, context: ExistingTableContext): string {
  const adopted = news.rerunOnInputChange ? "" : '. The next "pulumi up" without --replace adopts it';
  const purge =
    news.deletionPolicy === "purge" ? "" : 'run "pulumi up" with deletionPolicy "purge" before that with --replace, ';
  return (
    `the table ${redacted(qualifiedNameOf(news), context)} still exists: this run has deleted the resource, as with --replace, ` +
    `and the table of query ${record.id} stays${adopted}. To make it again, ${purge}set another outputTable, or delete the ` +
    `objects in ${redacted(folderOfTable(news), context)} if nobody needs them`
  );
}

/** @param isOfThis true when a split of the same resource made it, in a run that has not stored it, or that has kept it */
function existsText(
  news: TableToMake,
  split: TableSplit | undefined,
  context: ExistingTableContext,
  isOfThis = false,
): string {
  const [name, id] = [context.urn.split("::").at(-1)!, split?.record.id ?? "<query id>"];
  const origin = isOfThis
    ? `created by query ${id} of this resource from different inputs, in a run that was interrupted or that kept the table: set `
    : `${originOf(split, context)}: if the resource was renamed or moved, give it an alias (the option aliases) so that it ` +
      `keeps its table${inComponent(context.urn)}; otherwise set `;
  return (
    `the table ${redacted(qualifiedNameOf(news), context)} already exists, ${origin}` +
    `another outputTable, delete the objects in ${redacted(folderOfTable(news), context)} if nobody needs them, or refer to the table with ` +
    `SplitTable.get("${name}", "${id}") ("pulumi import dag:index:SplitTable ${name} ${id}" with the plugin)`
  );
}

/**
 * A component passes its alias on only when the engine finds it under its old name. When an earlier run has made it under
 * the new one, and has failed then, it no longer does.
 */
function inComponent(urn: string): string {
  const [types = ""] = urn.split("::").slice(2);
  const component = types.split("$").at(-2);
  if (component === undefined) return "";
  return (
    ` (the resource itself: an alias of its component ${component} has no effect once an "up" has failed under the new name; ` +
    `where the component makes the resource, first remove the new component from the state, with "pulumi state delete" and ` +
    `its URN of "pulumi stack --show-urns")`
  );
}

function originOf(split: TableSplit | undefined, { client }: ExistingTableContext): string {
  if (!split) return "created by an unknown query";
  const { id, accessKeyId } = split.record;
  const created = `created by query ${id}${accessKeyId === client.accessKeyId ? "" : ` of access key ${accessKeyId}`}`;
  if (!split.sameInputs) return `${created} from different inputs`;
  if (!split.adoptable) return `${created} of a resource that this run deletes or replaces`;
  return (
    `${created} from the same inputs, but for a resource of another name or stack or other triggers, or from an earlier ` +
    `content of the objects, which cannot be told apart (rerunOnInputChange adopts only a table of the same resource, stack and content)`
  );
}
