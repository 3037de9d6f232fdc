/** Submits the split of a SplitTable, or adopts the table that an identical split has made. */
import { errors } from "../../../contract";
import type { Deadline } from "../deadline";
import type { FollowedObjects } from "../freshness/follow-inputs";
import type { LifecycleContext } from "../lifecycle";
import { parentRunOf } from "../queries/parent-run";
import { submitOnce, type Submitted } from "../queries/submission";
import { redacted } from "../redaction";
import { existingTable } from "./split-table-existing";
import { folderOf, qualifiedNameOf } from "./split-table-names";
import type { SplitTableInputs } from "./split-table-properties";
import { splitRequest, withExpandedPatterns } from "./split-table-request";

/** Submits the split of the objects that match the inputs. If the table already exists and has identical inputs, adopts it. */
export async function submitOrAdopt(
  given: SplitTableInputs,
  followed: FollowedObjects,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<Submitted> {
  const news = await withExpandedPatterns(given, context);
  const request = splitRequest(news, followed, context);
  const send = (signal: AbortSignal) =>
    context.client.submitSplit(request, { signal, parentRun: parentRunOf(context.urn) });
  const { clusterName, label } = request;
  try {
    return await submitOnce({ clusterName, label, folder: folderOf(news), send }, deadline, context);
  } catch (error) {
    if (!(error instanceof errors.OutputTableAlreadyExists)) throw error;
    const existing = await existingTable(news, label, context);
    if ("problem" in existing) throw new Error(existing.problem, { cause: error });
    context.info(`${redacted(qualifiedNameOf(news), context)} ${existing.text}`);
    return { queryId: existing.record.id, adopted: true, isOfOther: !existing.isOwn };
  }
}
