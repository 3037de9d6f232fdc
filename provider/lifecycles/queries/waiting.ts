/** Waits for a submitted query. If the wait ends early, the query's id is stored. */
import { errors, type QueryRecord, type QuerySummary } from "../../../contract";
import { WaitError } from "../../client";
import { clusterCoordinator } from "../clusters/cluster-coordinator";
import { linkInRow, linkLine } from "./console-link";
import { formatDuration, type Deadline } from "../deadline";
import { describeError } from "../describe-error";
import { PartialCreate, type LifecycleContext } from "../lifecycle";
import { redactedError } from "../redaction";
import { isOtherQuery, otherQueryText, requireOwnQuery, type MadeBy } from "./own-query";

/** A submitted query, and its state if the wait ends early. */
export interface PendingQuery<State extends object> {
  readonly queryId: number;
  readonly clusterName: string;
  /** The stored state of a query that an earlier run submitted. */
  readonly made: MadeBy | undefined;
  /** Returns the state to store, from the last observed record. */
  partial(observed: QuerySummary | undefined): State;
}

/**
 * Waits until the query is no longer running and resolves with its record, whatever its final status is.
 * @throws {PartialCreate} for any error.
 */
export async function waitForEnd<State extends object>(
  { queryId, clusterName, made, partial }: PendingQuery<State>,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<QueryRecord> {
  let last: QuerySummary | undefined;
  const link = linkInRow(queryId, context);
  context.report(`[2/3] running · query ${queryId}${link}`);
  try {
    if (made) requireOwnQuery(await context.client.getQuery({ queryId }, { signal: context.signal }), made);
    return await context.client.waitForQuery({
      queryId,
      clusterName,
      timeout: deadline.remainingForTimer(),
      signal: context.signal,
      observed(record) {
        last = record;
        context.report(`${progressLine(record)}${link}`);
      },
    });
  } catch (error) {
    const text = `${reason(queryId, last, deadline, redactedError(error, context))}${isOtherQuery(error) ? "" : linkLine(queryId, context)}`;
    throw new PartialCreate(String(queryId), partial(last), [text], { cause: error });
  } finally {
    clusterCoordinator(context.client, clusterName).slots.release();
  }
}

/** Returns the progress line of a running query, such as `[2/3] running 45% · stage 1 · query 1234`. */
function progressLine(record: QuerySummary): string {
  const stage = record.type === "select" && record.stage > 0 ? ` · stage ${record.stage}` : "";
  return `[2/3] ${record.status} ${record.progress}${stage} · query ${record.id}`;
}

function reason(queryId: number, last: QuerySummary | undefined, deadline: Deadline, error: unknown): string {
  const observed = last ? ` (last observed: ${last.status} ${last.progress})` : "";
  if (error instanceof WaitError && error.code === "WaitTimedOut") {
    return (
      `query ${queryId} is still running after ${formatDuration(deadline.timeout)}${observed}: run "pulumi up" again to continue ` +
      `waiting for it; increase customTimeouts if it needs longer`
    );
  }
  if (error instanceof WaitError) {
    return `the wait for query ${queryId} was interrupted${observed}: run "pulumi up" again to continue waiting for it`;
  }
  if (error instanceof errors.QueryNotFound) {
    return (
      `the service no longer has the record of query ${queryId}${observed}${otherQueryText(error)}, so its final status is unknown: check its ` +
      `output, and change "triggers" to run it again`
    );
  }
  return `the wait for query ${queryId} failed${observed}: run "pulumi up" again to continue waiting for it.\n${describeError(error)}`;
}
