/** Finds a query by the token in its label, after a submission of which it is unknown whether it was executed. */
import { overlaps, type QueryRecord } from "../../../contract";
import { isTransient } from "../../client";
import { classifyFailure } from "../../client/failure-classification";
import { retryDelay } from "../../client/retry";
import type { ClusterCoordinator, Snapshot } from "../clusters/cluster-coordinator";
import type { Deadline } from "../deadline";
import type { LifecycleContext } from "../lifecycle";
import { laterPublisherOf, whatServiceSays } from "./purge";
import { folderOf, hasObjects, outputOf } from "./results";
import { isOfResource } from "./submission-token";

/** The submission to find. */
interface SearchedSubmission {
  readonly clusterName: string;
  /** Submitted label, with the token. */
  readonly label: string;
  /** The queries of the cluster before the first attempt to submit. */
  readonly snapshot: Snapshot;
}

/** Delays before each search for a submission with a lost response, in milliseconds: the service may still check it. */
const lostSearchDelays = [0, 400, 1_600, 4_000];

/** Searches for the query of one submission. */
export class SubmissionSearch {
  constructor(
    private readonly submission: SearchedSubmission,
    private readonly coordinator: ClusterCoordinator,
    private readonly deadline: Deadline,
    private readonly context: LifecycleContext,
  ) {}

  /**
   * Returns the id of the query; undefined if the service does not have it. Continues after transient failures.
   * @param mayStillArrive true when the request may still be on its way, so that the search is repeated.
   * @throws the failure of the search when it is permanent, at the deadline and after an interruption.
   */
  async find(mayStillArrive: boolean): Promise<number | undefined> {
    for (const delay of mayStillArrive ? lostSearchDelays : [0]) {
      await this.context.sleep(delay);
      const found = await this.#findUntilAnswered();
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * Returns a running query of this resource with other inputs, on any cluster, that writes where this submission is to
   * write; undefined if there is none. It may be one of another access key, of a resource with the same URN.
   */
  async findOrphan(folder: string): Promise<QueryRecord | undefined> {
    const { client, signal, urn } = this.context;
    for await (const { id, label } of client.queries({ status: ["running"] }, { signal })) {
      if (!isOfResource(label, urn)) continue;
      const record = await client.getQuery({ queryId: id }, { signal });
      if (record.status === "running" && overlaps(outputOf(record), folderOf(folder))) return record;
    }
    return undefined;
  }

  async #findUntilAnswered(): Promise<number | undefined> {
    for (let failures = 0; ; failures += 1) {
      try {
        return await this.#findOnce();
      } catch (error) {
        if (!isTransient(error) || this.context.signal.aborted || this.deadline.remaining() <= 0) throw error;
        await backOff(failures, error, this.deadline, this.context);
      }
    }
  }

  async #findOnce(): Promise<number | undefined> {
    const { clusterName, label, snapshot } = this.submission;
    // Without the context's signal: also after an interruption, the query's id must be stored.
    const { client } = this.context;
    for await (const record of client.queries({ clusterName, labelPrefix: label })) {
      const isOwn = record.label === label && record.accessKeyId === client.accessKeyId;
      const isThisQuery = isOwn && (record.status === "running" || record.id > snapshot.newestId);
      if (isThisQuery && !this.coordinator.relinquished.has(record.id)) return record.id;
    }
    return undefined;
  }
}

/** A select that replaces another one. */
interface Replacement {
  readonly clusterName: string;
  /** Submitted label, with the token. */
  readonly label: string;
  /** Folder that the query writes, as a location. */
  readonly folder: string;
  /** The query of the resource that is replaced. */
  readonly replaces: number;
}

/**
 * Returns the id of the identical query that an interrupted run submitted after the one that is replaced, if it has
 * finished, and if its result is what was published last to the folder; otherwise undefined.
 */
export async function finishedReplacement(
  { clusterName, label, folder, replaces }: Replacement,
  context: LifecycleContext,
): Promise<number | undefined> {
  const { client, signal, storage } = context;
  const same = client.queries({ clusterName, labelPrefix: label, status: ["finished"], order: "desc" }, { signal });
  for await (const found of same) {
    if (found.id <= replaces) return undefined;
    if (found.label !== label || found.accessKeyId !== client.accessKeyId) continue;
    const last = await laterPublisherOf(replaces, folder, context);
    const isThere = last?.id === found.id && (storage === undefined || (await hasObjects(storage, folder)));
    // Adopted, what others have put there would be read and purged as its result.
    return isThere && (await whatServiceSays(found.id, folder, context)) === undefined ? found.id : undefined;
  }
  return undefined;
}

/**
 * Waits before the next attempt, as long as the client waits between its attempts. Ends early at the deadline and when
 * the signal is aborted.
 * @param failures number of earlier failures.
 */
export async function backOff(
  failures: number,
  error: unknown,
  deadline: Deadline,
  { sleep, signal }: LifecycleContext,
): Promise<void> {
  const delay = retryDelay(failures, classifyFailure("GET", error), Math.random());
  await sleep(Math.min(delay, deadline.remaining()), signal).catch(() => {});
}
