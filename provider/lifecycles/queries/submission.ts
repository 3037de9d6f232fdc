/** Submits a query exactly once: queued for a slot, found again if the response is lost, adopted if it already runs. */
import { ApiError, errors, type QueryRecord } from "../../../contract";
import { ClientError, mayHaveBeenCarriedOut } from "../../client";
import { clusterCoordinator } from "../clusters/cluster-coordinator";
import { waitForClusterReady } from "../clusters/cluster-ready";
import { settingName } from "../configuration";
import type { Deadline } from "../deadline";
import type { LifecycleContext } from "../lifecycle";
import { redacted, redactedError } from "../redaction";
import { Refusal } from "../refusal";
import { cancelAndWait } from "./cancel";
import { warnOfOrphans } from "./orphans";
import { backOff, finishedReplacement, SubmissionSearch } from "./submission-search";

/** A query to submit. */
export interface SubmissionRequest {
  readonly clusterName: string;
  /** Submitted label, with a token if {@link LifecycleContext.submissionToken} is true. */
  readonly label: string | undefined;
  /** Folder that the query writes, as a location. */
  readonly folder: string;
  /** For a select, the query of the resource that is replaced, because its inputs or its tables have changed. */
  readonly replaces?: number | undefined;
  /** Sends the request once. */
  send(signal: AbortSignal): Promise<{ readonly queryId: number }>;
}

/** A query that was submitted. */
export interface Submitted {
  readonly queryId: number;
  /** True when an identical earlier submission was found instead. */
  readonly adopted: boolean;
  /** True when the query that was found is one of another resource. */
  readonly isOfOther?: boolean;
}

/** It is unknown whether the service executed a submission, so it must not be sent again. */
class LostSubmissionError extends Error {
  override readonly name = "LostSubmissionError";
  readonly code = "LostSubmission";
}

/** Maximum number of attempts, unless the service or a proxy reports that it is temporarily unavailable. */
const maxAttempts = 5;
/** Statuses that report a temporary condition. The attempts then continue until the deadline. */
const temporaryStatuses: ReadonlySet<number | undefined> = new Set([408, 429, 502, 503, 504]);

/** Submits a query, or finds the query that an earlier attempt submitted. */
export async function submitOnce(
  request: SubmissionRequest,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<Submitted> {
  const { clusterName, label } = request;
  const coordinator = clusterCoordinator(context.client, clusterName);
  const snapshot =
    context.submissionToken && label !== undefined
      ? await coordinator.snapshot(context.now(), context.signal)
      : undefined;
  const earlier = label === undefined ? undefined : snapshot?.running.get(label);
  if (earlier !== undefined && !coordinator.relinquished.has(earlier)) {
    context.info(`query ${earlier} of an earlier run is identical and still running: it is adopted`);
    return { queryId: earlier, adopted: true };
  }
  const { replaces, folder } = request;
  if (snapshot && label !== undefined && replaces !== undefined) {
    const finished = await finishedReplacement({ clusterName, label, folder, replaces }, context);
    if (finished !== undefined) {
      context.info(`query ${finished} of an interrupted run is identical and has finished: its result is adopted`);
      return { queryId: finished, adopted: true };
    }
  }
  if (snapshot) await warnOfOrphans(request.folder, snapshot, coordinator.relinquished, context);
  const search =
    snapshot && label !== undefined
      ? new SubmissionSearch({ clusterName, label, snapshot }, coordinator, deadline, context)
      : undefined;
  const submission = new Submission(request, search, deadline, context);
  return coordinator.slots.run(() => submission.sendUntilAccepted(), {
    isFull: (error) => error instanceof errors.TooManyQueries,
    onWaiting: (ahead) => context.report(`[1/3] waiting for a slot (${ahead} ahead)`),
    failureMessage: `the query was not submitted, because no slot of cluster "${redacted(clusterName, context)}" became free`,
    signal: context.signal,
    deadline,
    clock: context,
  });
}

/** The attempts to submit one query. */
class Submission {
  #failures = 0;
  /** True when an attempt failed that may have been executed. */
  #isUncertain = false;

  constructor(
    private readonly request: SubmissionRequest,
    /** Undefined without a token. */
    private readonly search: SubmissionSearch | undefined,
    private readonly deadline: Deadline,
    private readonly context: LifecycleContext,
  ) {}

  /** Sends the request until the service accepts it, rejects its content, or has the query of an earlier attempt. */
  async sendUntilAccepted(): Promise<Submitted> {
    const { request, deadline, context } = this;
    context.report("[1/3] submitting");
    for (;;) {
      try {
        const { queryId } = await request.send(context.signal);
        return { queryId, adopted: false };
      } catch (error) {
        const found = await this.#findEarlierAttempt(error);
        if (found !== undefined) return { queryId: found, adopted: true };
        if (isOutputTaken(error) && (await this.#cancelOrphan(error))) continue;
        if (error instanceof errors.InvalidClusterState) {
          const cluster = { clusterName: request.clusterName, work: "queries", step: "[1/3]" };
          await waitForClusterReady(cluster, error, deadline, context);
        } else if (!mayHaveBeenSubmitted(error) || !this.#mayTryAgain(error)) {
          throw redactedError(error, context);
        }
      }
    }
  }

  /** Returns the query that an earlier attempt submitted, if the failure allows that there is one. */
  async #findEarlierAttempt(error: unknown): Promise<number | undefined> {
    const { request, search, deadline, context } = this;
    const isUncertain = mayHaveBeenSubmitted(error);
    this.#isUncertain ||= isUncertain;
    if (!this.#isUncertain && !isOutputTaken(error)) return undefined;
    if (!search) {
      if (isUncertain) throw submissionWithoutTokenError(request, error, context);
      return undefined;
    }
    if (isUncertain) {
      const code = error instanceof ApiError || error instanceof ClientError ? ` (${error.code})` : "";
      context.report(`[1/3] the submission failed${code}; searching for the query`);
      await backOff(this.#failures, error, deadline, context);
      this.#failures += 1;
    }
    try {
      return await search.find(isUncertain && !(error instanceof ApiError));
    } catch (cause) {
      throw searchFailedError(request, error, cause, context);
    }
  }

  /**
   * Cancels a query of this resource that an interrupted run has left behind, with other inputs: the state has lost it,
   * and it writes where this one is to write. Returns false if there is none.
   * @throws an error when the query that uses the folder of the result is one of another access key.
   */
  async #cancelOrphan(refusal: unknown): Promise<boolean> {
    const { search, context, request } = this;
    const orphan = await search?.findOrphan(request.folder);
    if (!orphan) return false;
    const { id, clusterName } = orphan;
    if (orphan.accessKeyId !== context.client.accessKeyId) {
      // Whether a table can be adopted is found out from its split.
      if (refusal instanceof errors.OutputTableAlreadyExists) return false;
      throw new Refusal(otherKeyText(orphan, context), { cause: refusal });
    }
    context.info(`query ${id} of an interrupted run of this resource has other inputs: it is cancelled`);
    clusterCoordinator(context.client, clusterName).relinquished.set(id, context.urn);
    await cancelAndWait(id, clusterName, context);
    return true;
  }

  #mayTryAgain(error: unknown): boolean {
    if (this.context.signal.aborted || this.deadline.remaining() <= 0) return false;
    return this.#failures < maxAttempts || temporaryStatuses.has((error as ApiError | ClientError).status);
  }
}

function mayHaveBeenSubmitted(error: unknown): boolean {
  return (error instanceof ApiError || error instanceof ClientError) && mayHaveBeenCarriedOut(error);
}

/** Returns true when the error may mean that an earlier attempt uses the output already. */
function isOutputTaken(error: unknown): boolean {
  return error instanceof errors.InvalidOutputResourcePath || error instanceof errors.OutputTableAlreadyExists;
}

/** Says that a query of a resource with the same URN, but of another access key, uses the folder of the result. */
function otherKeyText({ id, accessKeyId }: QueryRecord, { client }: LifecycleContext): string {
  return (
    `query ${id} of access key ${accessKeyId} writes to the same folder: it is of a resource of the same project, stack and ` +
    `name, but this stack uses access key ${client.accessKeyId}, so it is neither adopted nor cancelled. If it is yours ` +
    `(the key was replaced), cancel it or wait for its end, and run "pulumi up" again; otherwise set another ` +
    `outputResourcePath, and rename the project or the stack`
  );
}

function submissionWithoutTokenError(
  { clusterName }: SubmissionRequest,
  cause: unknown,
  context: LifecycleContext,
): LostSubmissionError {
  return new LostSubmissionError(
    `the submission failed (${describeReason(cause, context)}), and ${settingName("submissionToken")} is false, so it is unknown whether ` +
      `the query is running on cluster "${redacted(clusterName, context)}": list the cluster's running queries, cancel this query if it is ` +
      `in the list, and run "pulumi up" again`,
    { cause },
  );
}

function searchFailedError(
  { clusterName }: SubmissionRequest,
  failure: unknown,
  cause: unknown,
  context: LifecycleContext,
): LostSubmissionError {
  return new LostSubmissionError(
    `the submission failed (${describeReason(failure, context)}), and so did the search for its query (${describeReason(cause, context)}), so ` +
      `it is unknown whether the query is running on cluster "${redacted(clusterName, context)}": run "pulumi up" again, which adopts the ` +
      `query if it is running`,
    { cause },
  );
}

function describeReason(given: unknown, context: LifecycleContext): string {
  const error = redactedError(given, context);
  return error instanceof Error ? error.message : String(error);
}
