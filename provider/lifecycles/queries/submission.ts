/** Submits a query exactly once: queued for a slot, found again if the response is lost, adopted if it already runs. */
import { ApiError, errors } from "../../../contract";
import { ClientError, mayHaveBeenCarriedOut } from "../../client";
import { clusterCoordinator, type ClusterCoordinator, type Snapshot } from "./cluster-coordinator";
import { waitForClusterReady } from "./cluster-ready";
import type { Deadline } from "../deadline";
import type { LifecycleContext } from "../lifecycle";
import { redactedError } from "../redaction";

/** A query to submit. */
export interface SubmissionRequest {
  readonly clusterName: string;
  /** Submitted label, with a token if {@link LifecycleContext.submissionToken} is true. */
  readonly label: string | undefined;
  /** Sends the request once. */
  send(signal: AbortSignal): Promise<{ readonly queryId: number }>;
}

/** A query that was submitted. */
export interface Submitted {
  readonly queryId: number;
  /** True when an identical earlier submission was found instead. */
  readonly adopted: boolean;
}

/** It is unknown whether the service received a submission, so it must not be sent again. */
class LostSubmissionError extends Error {
  override readonly name = "LostSubmissionError";
  readonly code = "LostSubmission";
}

/** Maximum number of attempts for a submission that verifiably did not arrive. */
const maxAttempts = 5;
/** Delays before each search for a submission with a lost response, in milliseconds: it may still arrive. */
const lostSearchDelays = [0, 400, 1_600];

/** Submits a query, or finds the query that an earlier attempt submitted. */
export async function submitOnce(
  request: SubmissionRequest,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<Submitted> {
  const coordinator = clusterCoordinator(context.client, request.clusterName);
  const snapshot =
    context.submissionToken && request.label !== undefined
      ? await coordinator.snapshot(context.now(), context.signal)
      : undefined;
  const earlier = request.label === undefined ? undefined : snapshot?.running.get(request.label);
  if (earlier !== undefined && !coordinator.relinquished.has(earlier)) {
    context.info(`query ${earlier} of an earlier run is identical and still running: it is adopted`);
    return { queryId: earlier, adopted: true };
  }
  return coordinator.slots.run(() => sendUntilAccepted(request, snapshot, coordinator, deadline, context), {
    isFull: (error) => error instanceof errors.TooManyQueries,
    onWaiting: (ahead) => context.report(`[1/3] waiting for a slot (${ahead} ahead)`),
    failureMessage: `the query was not submitted, because no slot of cluster "${request.clusterName}" became free`,
    signal: context.signal,
    deadline,
    clock: context,
  });
}

async function sendUntilAccepted(
  request: SubmissionRequest,
  snapshot: Snapshot | undefined,
  coordinator: ClusterCoordinator,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<Submitted> {
  context.report("[1/3] submitting");
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { queryId } = await request.send(context.signal);
      return { queryId, adopted: false };
    } catch (error) {
      if (error instanceof errors.InvalidClusterState) {
        const cluster = { clusterName: request.clusterName, work: "queries", step: "[1/3]" };
        await waitForClusterReady(cluster, error, deadline, context);
        continue;
      }
      if (!responseWasLost(error)) throw redactedError(error, context);
      if (snapshot === undefined || request.label === undefined) throw lostSubmissionError(request, error);
      const found = await findLostSubmission(request.clusterName, request.label, snapshot, coordinator, context);
      if (found !== undefined) return { queryId: found, adopted: true };
      if (context.signal.aborted || attempt >= maxAttempts || deadline.remaining() <= 0) throw error;
    }
  }
}

function responseWasLost(error: unknown): boolean {
  return (error instanceof ApiError || error instanceof ClientError) && mayHaveBeenCarriedOut(error);
}

/** Finds the query whose submission response was lost; undefined if the submission did not arrive. */
async function findLostSubmission(
  clusterName: string,
  label: string,
  snapshot: Snapshot,
  coordinator: ClusterCoordinator,
  context: LifecycleContext,
): Promise<number | undefined> {
  context.report("[1/3] the response was lost; searching for the query");
  for (const pause of lostSearchDelays) {
    await context.sleep(pause);
    // Without the context's signal: also after an interruption, the query's id must be stored.
    for await (const record of context.client.queries({ clusterName, labelPrefix: label })) {
      const isThisQuery = record.label === label && (record.status === "running" || record.id > snapshot.newestId);
      if (isThisQuery && !coordinator.relinquished.has(record.id)) return record.id;
    }
  }
  return undefined;
}

function lostSubmissionError({ clusterName }: SubmissionRequest, cause: unknown): LostSubmissionError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new LostSubmissionError(
    `the response to the submission was lost (${reason}), and dag:submissionToken is false, so it is unknown whether ` +
      `the query is running on cluster "${clusterName}": list the cluster's running queries, cancel this query if it is ` +
      `in the list, and run "pulumi up" again`,
    { cause },
  );
}
