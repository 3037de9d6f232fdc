/** Submits the split of a SplitTable, or adopts the table that an identical split has made. */
import { errors, type QueryRecord } from "../../../contract";
import type { Deadline } from "../deadline";
import type { FollowedObjects } from "../freshness/follow-inputs";
import { expandPatterns, isPattern } from "../freshness/input-objects";
import { identityOf } from "../freshness/program-tables";
import type { LifecycleContext } from "../lifecycle";
import { findTableSplit, type TableSplit } from "../queries/adoption";
import { parentRunOf } from "../queries/parent-run";
import { laterPublisherOf, nameOf } from "../queries/purge";
import { listObjects } from "../queries/results";
import { submitOnce, type Submitted } from "../queries/submission";
import { submittedLabel } from "../queries/submission-token";
import { redacted } from "../redaction";
import { folderOf, qualifiedNameOf } from "./split-table-names";
import type { SplitTableInputs } from "./split-table-properties";

const otherResource = "a resource of another name or stack made it";

/** Submits the split of the objects that match the inputs. If the table already exists and has identical inputs, adopts it. */
export async function submitOrAdopt(
  given: SplitTableInputs,
  followed: FollowedObjects,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<Submitted> {
  const news = await withExpandedPatterns(given, context);
  const request = submissionRequest(news, followed, context);
  try {
    return await submitOnce(request, deadline, context);
  } catch (error) {
    if (!(error instanceof errors.OutputTableAlreadyExists)) throw error;
    const existingSplit = await findTableSplit({ ...news, outputTable: news.outputTable! }, context);
    const later =
      existingSplit?.record.status === "running"
        ? undefined
        : await laterPublisherOf(existingSplit?.record.id ?? 0, folderOf(news), context);
    if (later) throw tableIsOverwritten(news, later, context, error);
    // A split of the same objects may have read an earlier content. Only the label tells.
    const isCurrent = !news.rerunOnInputChange || existingSplit?.record.label === request.label;
    if (existingSplit?.isReplaced) throw await tableIsReplaced(news, existingSplit.record.id, context, error);
    if (!existingSplit?.adoptable || !isCurrent) throw tableExists(news, existingSplit, context, error);
    const table = redacted(qualifiedNameOf(news), context);
    // Without a token, an equal label tells nothing.
    const isOwn = context.submissionToken && existingSplit.record.label === request.label;
    const kept =
      !isOwn && news.deletionPolicy === "purge" ? `, and a delete will keep it, because ${otherResource}` : "";
    context.info(
      `${table} was created from identical inputs by query ${existingSplit.record.id}: it is adopted${kept}`,
    );
    return { queryId: existingSplit.record.id, adopted: true, isOfOther: !isOwn };
  }
}

/**
 * The table of a resource that this run replaces is still there. Either an earlier run, which failed afterwards, deleted
 * the resource and kept the table, or the engine creates the replacement first: options of the resource, or of a transform,
 * override what the diff asks for.
 */
async function tableIsReplaced(
  news: SplitTableInputs,
  queryId: number,
  context: LifecycleContext,
  cause: unknown,
): Promise<Error> {
  const { storage, programTables } = context;
  const replaced = programTables?.replaced(queryId);
  const table = `the table ${redacted(qualifiedNameOf(news), context)}`;
  const objects = `the objects in ${redacted(folderOf(news), context)}`;
  const byHand = `set another outputTable, or delete ${objects} if nobody needs them`;
  const reason = (text: string) => new Error(`${table} still exists: ${text}`, { cause });
  if (replaced?.urn !== undefined && replaced.urn !== context.urn) {
    return reason(`it is that of ${nameOf(replaced.urn)} (query ${queryId}), which this run replaces: ${byHand}`);
  }
  if (replaced?.deletionPolicy !== "purge") {
    return reason(`deletionPolicy "keep" has kept what query ${queryId} of this resource made: ${byHand}`);
  }
  if (storage && replaced.etag !== undefined && (await listObjects(storage, folderOf(news))).etag !== replaced.etag) {
    return reason(
      `its objects are not, or not only, those that query ${queryId} published, so they are kept: ${byHand}`,
    );
  }
  return reason(
    `it is the one that this resource replaces (query ${queryId}), and is deleted only afterwards: set another outputTable, ` +
      `or let the old table be deleted first (no deleteBeforeReplace: false, and no resource transform that returns options)`,
  );
}

/** Another query has written to the folder of the table since a split made it, so that the split is not what is there. */
function tableIsOverwritten(
  news: SplitTableInputs,
  { id, type, ...record }: QueryRecord,
  context: LifecycleContext,
  cause: unknown,
): Error {
  const folder = redacted(folderOf(news), context);
  return new Error(
    `the table ${redacted(qualifiedNameOf(news), context)} already exists: query ${id}, a ${type} of cluster ` +
      `"${record.clusterName}", was the last to write to ${folder}. Set another outputTable, or delete the objects there if ` +
      `nobody needs them`,
    { cause },
  );
}

function tableExists(
  news: SplitTableInputs,
  existingSplit: TableSplit | undefined,
  context: LifecycleContext,
  cause: unknown,
): Error {
  const createdBy = existingSplit?.record.id;
  const [name, id] = [context.urn.split("::").at(-1)!, createdBy ?? "<query id>"];
  return new Error(
    `the table ${redacted(qualifiedNameOf(news), context)} already exists, ${originOf(existingSplit)}: if the resource was renamed or moved, give ` +
      `it an alias (the option aliases) so that it keeps its table; otherwise set another outputTable, delete the objects in ` +
      `${redacted(folderOf(news), context)}, or refer to the existing table with SplitTable.get("${name}", "${id}") ` +
      `("pulumi import dag:index:SplitTable ${name} ${id}" with the plugin)`,
    { cause },
  );
}

function originOf(split: TableSplit | undefined): string {
  if (!split) return "created by an unknown query";
  const created = `created by query ${split.record.id}`;
  if (!split.sameInputs) return `${created} from different inputs`;
  if (!split.adoptable) return `${created} of a resource that this run deletes or replaces`;
  return (
    `${created} from the same inputs, but for a resource of another name or other triggers, or from an earlier content of ` +
    `the objects, which cannot be told apart (rerunOnInputChange adopts only a table of the same resource and content)`
  );
}

function submissionRequest(
  { clusterName, inputObjectKeys, outputDatabase, outputTable, inputFormat, schema, ...news }: SplitTableInputs,
  { inputFingerprint }: FollowedObjects,
  context: LifecycleContext,
) {
  const request = { clusterName, inputObjectKeys, outputDatabase, outputTable, inputFormat, schema };
  const { label, triggers } = news;
  const identity = { ...request, label, triggers, tables: identityOf(news.tables), inputFingerprint };
  const submitted = context.submissionToken ? submittedLabel(label, { urn: context.urn, inputs: identity }) : label;
  return {
    clusterName,
    label: submitted,
    folder: folderOf({ outputDatabase, outputTable }),
    send: (signal: AbortSignal) =>
      context.client.submitSplit(
        { ...request, outputTable: outputTable!, label: submitted },
        { signal, parentRun: parentRunOf(context.urn) },
      ),
  };
}

async function withExpandedPatterns(news: SplitTableInputs, { storage }: LifecycleContext): Promise<SplitTableInputs> {
  if (!storage || !news.inputObjectKeys.some(isPattern)) return news;
  return { ...news, inputObjectKeys: await expandPatterns(storage, news.inputObjectKeys) };
}
