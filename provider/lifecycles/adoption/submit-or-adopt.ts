/** Submits the split of a resource, or adopts the table that another split has made of the same inputs. */
import { errors } from "../../../contract";
import type { Deadline } from "../deadline";
import type { FollowedObjects } from "../freshness/follow-inputs";
import { NoMatchError, withExpandedPatterns } from "../freshness/input-objects";
import type { LifecycleContext } from "../lifecycle";
import { noMatchReason } from "../queries/checks/input-check";
import { parentRunOf } from "../queries/parent-run";
import { expandedSizeProblem } from "../queries/checks/request-size";
import { purgePublished, whyKept } from "../queries/purge";
import { isKnownEmpty } from "../queries/results";
import { splitRequest } from "../queries/split-request";
import { submitOnce, type Submitted } from "../queries/submission";
import { redacted } from "../redaction";
import { Refusal } from "../refusal";
import { folderOfTable, qualifiedNameOf } from "../schema/table-names";
import { deletingResource, existingTable, type Outlived } from "./existing-table";
import type { WantedTable } from "./preflight";
import { requirePrerequisites } from "./replaceable";

/** Milliseconds before each new submission while another deletes the table, or submits it too. */
const delaysOfOthers = [100, 200, 400, 800, 1_600, 3_200];

/** Submits the split of the objects that match the inputs. If the table exists, and has identical inputs, adopts it. */
export async function submitOrAdopt(
  given: WantedTable,
  followed: FollowedObjects,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<Submitted> {
  const news = await withExpandedPatterns(given, context).catch((error: unknown) => {
    throw error instanceof NoMatchError ? new Refusal(noMatchReason(error, context), { cause: error }) : error;
  });
  const problem = expandedSizeProblem(given, news, context);
  if (problem !== undefined) throw new Refusal(problem.reason);
  const request = splitRequest(news, followed, context);
  const { clusterName, label } = request;
  const send = (signal: AbortSignal) =>
    context.client.submitSplit(request, { signal, parentRun: parentRunOf(context.urn) });
  const submission = { clusterName, label, folder: folderOfTable(news), send };
  const delays = delaysOfOthers.values();
  const name = redacted(qualifiedNameOf(news), context);
  /** @returns false when it has waited often enough */
  const waited = async (reason: string) => {
    const delay = delays.next().value;
    if (delay === undefined || delay > deadline.remaining()) return false;
    context.report(`[1/3] waiting until ${reason}`);
    await context.sleep(delay, context.signal);
    return true;
  };
  let isRegistered = false;
  let isDeleted = false;
  for (;;) {
    try {
      return await submitOnce(submission, deadline, context);
    } catch (error) {
      if (!(error instanceof errors.OutputTableAlreadyExists)) throw error;
      const existing = await existingTable({ ...news, ...request }, label, context);
      if ("rebuilt" in existing) {
        if (isDeleted) throw error;
        isDeleted = true;
        await deleteOutlived(existing, submission.folder, name, news, context);
        continue;
      }
      if ("problem" in existing) {
        const deleting = deletingResource(existing, context);
        if (deleting !== undefined && (await waited(`${deleting} has deleted ${name}`))) continue;
        throw new Refusal(existing.problem, { cause: error });
      }
      if (existing.record.status === "finished" && (await isKnownEmpty(context.storage, submission.folder))) {
        // Its objects were deleted since. A killed run has submitted it again, and the service has no query of that yet.
        if (await waited(`another submission of ${name} has its query`)) continue;
        throw error;
      }
      if (existing.isOwn || isRegistered) {
        context.info(`${name} ${existing.text}`);
        if (existing.outdated !== undefined) context.warn(`${name}: ${existing.outdated}`);
        return { queryId: existing.record.id, adopted: true, isOfOther: !existing.isOwn };
      }
      // It may be that of a resource which this run moves to another table, and has not reported yet.
      await context.programTables?.registered(context);
      isRegistered = true;
    }
  }
}

/** Deletes the table of an earlier run of the resource, once it is certain that it can be made again. */
async function deleteOutlived(
  { record, rebuilt }: Outlived,
  folder: string,
  name: string,
  news: WantedTable,
  context: LifecycleContext,
): Promise<void> {
  await requirePrerequisites(news, context);
  const published = { queryId: record.id, folder, startTime: record.startTime, objects: undefined };
  const kept = await whyKept(published, context);
  if (kept !== undefined) throw new Refusal(`the table ${name} still exists, and is not deleted: ${kept}`);
  context.info(`${name} ${rebuilt}`);
  await purgePublished(published, context);
}
