/** The table that a resource has adopted, which belongs to another one. */
import { describeError } from "../describe-error";
import type { DiffResult, LifecycleContext } from "../lifecycle";
import { areGone, warnOfOthers, type PublishedState } from "../queries/published-objects";
import type { Published } from "../queries/purge";
import { withServiceStorage } from "../queries/service-storage";
import { withDifference } from "../schema/diff";

/** Adds to a difference that an adopted table was deleted; otherwise warns when its objects are others now. */
export async function withDeletedTable(
  diff: DiffResult,
  published: Published,
  state: PublishedState,
  deletionPolicy: "keep" | "purge" | undefined,
  given: LifecycleContext,
): Promise<DiffResult> {
  // Of a table of its own, a refresh tells it.
  if (!published.adopted || diff.replaces.length > 0) return diff;
  const context = await withServiceStorage(published.folder, given);
  try {
    if (await areGone(state, context)) {
      return withDifference(diff, "result", true, "the table that it adopted was deleted");
    }
    if (context.storage) await warnOfOthers(published, state.status, deletionPolicy, context);
  } catch (error) {
    const reason = context.secret ? "" : `: ${describeError(error)}`;
    context.warn(`cannot see whether the table that was adopted still exists${reason}`);
  }
  return diff;
}
