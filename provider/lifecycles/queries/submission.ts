/** Submits a query once: in its turn, found again where the answer is lost, adopted where it runs already. */
import { ApiError, errors } from "../../../contract";
import { ClientError, mayHaveBeenCarriedOut } from "../../client";
import { clusterCoordinator, type ClusterCoordinator, type Snapshot } from "./cluster-coordinator";
import { clusterReady } from "./cluster-ready";
import type { Deadline } from "../deadline";
import type { LifecycleContext } from "../lifecycle";
import { withoutQuotes } from "../secrecy";

/** A query that is to be submitted. */
export interface SubmissionRequest {
  readonly clusterName: string;
  /** The submitted label, with its token where {@link LifecycleContext.submissionToken} is on. */
  readonly label: string | undefined;
  /** Sends the request once. */
  send(signal: AbortSignal): Promise<{ readonly queryId: number }>;
}

/** A query that was submitted. */
export interface Submitted {
  readonly queryId: number;
  /** Whether an earlier submission was found that is the same. */
  readonly adopted: boolean;
}

/** It is not known whether a submission arrived, and it must not be repeated. */
class LostSubmissionError extends Error {
  override readonly name = "LostSubmissionError";
  readonly code = "LostSubmission";
}

/** How often a submission is sent again that verifiably did not arrive. */
const mostAttempts = 5;
/** Milliseconds before each look for a submission whose answer was lost: it may be on its way. */
const looksForLost = [0, 400, 1_600];

/** Submits, or finds what an earlier try submitted. */
export async function submitOnce(
  request: SubmissionRequest,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<Submitted> {
  const desk = clusterCoordinator(context.client, request.clusterName);
  const before =
    context.submissionToken && request.label !== undefined
      ? await desk.snapshot(context.now(), context.signal)
      : undefined;
  const earlier = request.label === undefined ? undefined : before?.running.get(request.label);
  if (earlier !== undefined && !desk.relinquished.has(earlier)) {
    context.info(`query ${earlier} of an earlier run is the same and still runs: it is taken over`);
    return { queryId: earlier, adopted: true };
  }
  return desk.slots.take(() => sendUntilKnown(request, before, desk, deadline, context), {
    isFull: (error) => error instanceof errors.TooManyQueries,
    waiting: (ahead) => context.report(`[1/3] waiting for a slot (${ahead} ahead)`),
    otherwise: `the query was not submitted, since no slot of cluster "${request.clusterName}" became free`,
    signal: context.signal,
    deadline,
    clock: context,
  });
}

async function sendUntilKnown(
  request: SubmissionRequest,
  before: Snapshot | undefined,
  desk: ClusterCoordinator,
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
        await clusterReady(cluster, error, deadline, context);
        continue;
      }
      if (!answerLost(error)) throw withoutQuotes(error, context);
      if (before === undefined || request.label === undefined) throw lost(request, error);
      const found = await findLost(request.clusterName, request.label, before, desk, context);
      if (found !== undefined) return { queryId: found, adopted: true };
      if (context.signal.aborted || attempt >= mostAttempts || deadline.left() <= 0) throw error;
    }
  }
}

function answerLost(error: unknown): boolean {
  return (error instanceof ApiError || error instanceof ClientError) && mayHaveBeenCarriedOut(error);
}

/** The query that a lost answer was about; undefined where none arrived. */
async function findLost(
  clusterName: string,
  label: string,
  before: Snapshot,
  desk: ClusterCoordinator,
  context: LifecycleContext,
): Promise<number | undefined> {
  context.report("[1/3] the answer was lost; looking for the query");
  for (const pause of looksForLost) {
    await context.sleep(pause);
    // Not with the context's signal: an interrupted user wants to keep the query's id most of all.
    for await (const record of context.client.queries({ clusterName, labelPrefix: label })) {
      const ours = record.label === label && (record.status === "running" || record.id > before.newestId);
      if (ours && !desk.relinquished.has(record.id)) return record.id;
    }
  }
  return undefined;
}

function lost({ clusterName }: SubmissionRequest, cause: unknown): LostSubmissionError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new LostSubmissionError(
    `the answer to the submission was lost (${reason}), and dag:submissionToken is off, so it is not known whether ` +
      `the query runs on cluster "${clusterName}": list its running queries, cancel the one that is yours if it is ` +
      `there, and run "pulumi up" again`,
    { cause },
  );
}
