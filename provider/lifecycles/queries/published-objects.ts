/** The objects that the query of a resource has published: whether they are still there, and still its own. */
import type { QueryRecord } from "../../../contract";
import { describeError } from "../describe-error";
import type { DiffResult, Lifecycle, LifecycleContext, StoredResource } from "../lifecycle";
import { redacted } from "../redaction";
import { hasUnknown } from "../schema/check";
import { withDifference } from "../schema/diff";
import { whyKept, type Published } from "./purge";
import type { QueryInputs, QueryKind, QueryState } from "./query-kind";
import { folderOf, hasObjects } from "./results";

interface ObjectOperations<Inputs extends QueryInputs, State extends QueryState> extends Required<
  Pick<Lifecycle<Inputs, State>, "withGoneObjects" | "othersObjects">
> {
  /** Returns what the query published, for a purge. */
  published(id: string, stored: StoredResource<Inputs, State>): Published;
  /** Returns true, after a warning, when all objects were deleted: the resource no longer exists, and is made again. */
  isGone(state: State, context: LifecycleContext): Promise<boolean>;
  /** Warns when the objects are no longer what the outputs describe, and that a later delete keeps them. */
  warnOfOthers(id: string, stored: StoredResource<Inputs, State>, context: LifecycleContext): Promise<void>;
}

/** Returns the operations on the objects of the resources of a kind. */
export function objectOperations<
  Inputs extends QueryInputs,
  State extends QueryState,
  Type extends QueryRecord["type"],
>(kind: QueryKind<Inputs, State, Type>): ObjectOperations<Inputs, State> {
  const operations: ObjectOperations<Inputs, State> = {
    published: (id, { inputs, state }) => ({
      queryId: Number(id),
      folder: kind.folderOf(inputs),
      objects: state.result,
      adopted: state.adopted,
    }),

    async isGone(state, context) {
      if (!(await areGone(state, context))) return false;
      const what = kind.resource === "SplitTable" ? "table" : "result";
      const folder = redacted(state.location, context);
      context.warn(
        `the objects in ${folder} were deleted, so the ${what} no longer exists: run "pulumi up" to create it again. If ` +
          `they still exist, dag:storage is not the storage of the service: correct it first`,
      );
      return true;
    },

    async warnOfOthers(id, stored, context) {
      // Without an etag, only a search through the service's records tells, which a refresh is not worth.
      if (stored.state.status !== "finished" || stored.state.result?.etag === undefined) return;
      const reason = await whyKept({ ...operations.published(id, stored), adopted: false }, context);
      if (reason === undefined) return;
      const folder = redacted(kind.folderOf(stored.inputs), context);
      const kept = stored.inputs.deletionPolicy === "purge" ? ". A delete will keep the objects" : "";
      context.warn(
        `the outputs describe what query ${id} wrote to ${folder}, where other objects are now: ${reason}${kept}. ` +
          `Change "triggers" to run it again`,
      );
    },

    async withGoneObjects(id, old, diff, context): Promise<DiffResult> {
      if (!old.state.adopted || diff.replaces.length > 0) return diff;
      try {
        if (await areGone(old.state, context)) {
          return withDifference(diff, "result", true, "the table that it adopted was deleted");
        }
        if (context.storage) await operations.warnOfOthers(id, old, context);
      } catch (error) {
        const reason = context.secret ? "" : `: ${describeError(error)}`;
        context.warn(`cannot see whether the table that was adopted still exists${reason}`);
      }
      return diff;
    },

    async othersObjects(id, old, news, context) {
      const { status, result } = old.state;
      const isPurged = old.inputs.deletionPolicy === "purge";
      const isSame = kind.overwrites && !hasUnknown(news) && kind.folderOf(news) === kind.folderOf(old.inputs);
      // Without an etag, a folder that is not purged is not worth a search through the service's records.
      if (!isPurged && (!isSame || status !== "finished" || result?.etag === undefined)) return undefined;
      // The replacement holds the folder only when it has been created.
      const reason = await whyKept(operations.published(id, old), { ...context, programTables: undefined });
      if (reason === undefined) return undefined;
      if (!isSame) return `the replacement keeps the objects of its old query ${id}: ${reason}`;
      const folder = redacted(kind.folderOf(old.inputs), context);
      return (
        `the new query deletes all objects in ${folder}, also those that are not of its old query ${id}: ${reason}. ` +
        `Move them away first to keep them`
      );
    },
  };
  return operations;
}

/** Returns true when a query has published objects, and there are none any more. */
async function areGone(
  { status, location, result }: QueryState,
  { storage, warn, secret }: LifecycleContext,
): Promise<boolean> {
  if (!storage || status !== "finished" || !result || result.objects.length === 0) return false;
  if (await hasObjects(storage, location)) return false;
  if (await storage.bucketExists(folderOf(location).bucket)) return true;
  // A storage that is configured wrongly has no bucket either, and must not make everything run again.
  const folder = redacted(location, { secret });
  warn(`the bucket of ${folder} does not exist in dag:storage: it is unknown whether the objects there still exist`);
  return false;
}
