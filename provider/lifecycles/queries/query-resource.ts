/** What the two resources that are queries, SplitTable and SelectQuery, have in common. */
import * as z from "zod";
import { errors, queryStatuses, type QueryRecord, type QuerySummary } from "../../../contract";
import { waitUntil } from "../../client";
import { clusterCoordinator } from "./cluster-coordinator";
import { deadlineOf, waitClock } from "../deadline";
import { withDifference } from "../schema/diff";
import { explain } from "../explanation";
import { queryFailure } from "./failure";
import { PartialCreate, type DiffResult, type Known, type LifecycleContext, type ReadResult } from "../lifecycle";
import { always, optional, sometimes } from "../schema/properties";
import { purge } from "./results";
import { shown } from "../secrecy";

const deletionPolicies = ["keep", "purge"] as const;
type DeletionPolicy = (typeof deletionPolicies)[number];

/** Inputs that both have besides the API's. */
export const commonInputs = {
  deletionPolicy: optional(z.enum(deletionPolicies, { error: `it must be one of ${deletionPolicies.join(", ")}` }), {
    change: "update",
    fallback: "keep",
    description:
      "What becomes of the objects when the resource is deleted or replaced: `keep` leaves them, `purge` deletes them, " +
      "which needs `dag:storage`. Default `keep`.",
  }),
  triggers: optional(z.unknown(), {
    description: "Any value, such as a list of texts: whenever it changes, the query runs anew.",
  }),
};

/** Outputs that both have. */
export const commonOutputs = {
  queryId: always(z.int(), "Identifier of the query (specification §2.1)."),
  status: always(
    z.enum(queryStatuses),
    "Status of the query: `finished`, unless its resource is not finished (specification §2.1).",
  ),
  progress: always(
    z.string(),
    "Share of the work that was done when it was last seen, such as `100%` (specification §2.1).",
  ),
  startTime: always(z.string(), "When the service accepted the query, `YYYY-MM-DD HH:MM:SS` (specification §2.1)."),
  accessKeyId: always(z.string(), "Access key identifier of the submitter (specification §2.1)."),
  recordExpired: sometimes(
    z.boolean(),
    "True where the service no longer has the query's record; the result is not affected.",
  ),
};

/** What of a record both states keep. */
export function recordState({ id, status, progress, startTime, accessKeyId }: QuerySummary) {
  return { queryId: id, status, progress, startTime, accessKeyId };
}

/** The same for a query of which nothing was seen but its id. */
export function unseenState(queryId: number) {
  return { queryId, status: "running" as const, progress: "0%", startTime: "", accessKeyId: "" };
}

/**
 * Reads a resource by its query's record. Where the service no longer has it, what is known is kept, and the query is
 * not run again; undefined where nothing is known.
 */
export async function unlessExpired<Inputs, State>(
  id: string,
  known: Known<Inputs, State> | undefined,
  context: LifecycleContext,
  read: () => Promise<ReadResult<Inputs, State> | undefined>,
): Promise<ReadResult<Inputs, State> | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof errors.QueryNotFound)) throw error;
    if (!known) return undefined;
    context.warn(
      `the service no longer has the record of query ${id}; what is known of it is kept, and it is not run again`,
    );
    return { id, inputs: known.inputs, state: { ...known.state, recordExpired: true } };
  }
}

/** Why purging cannot be: undefined where it can. */
export function purgeProblem(policy: unknown, storage: boolean): string | undefined {
  return policy === "purge" && !storage
    ? `deletionPolicy "purge" needs access to the objects: ${storageRemedy}, or leave deletionPolicy "keep"`
    : undefined;
}

export const storageRemedy =
  'set dag:storage ("pulumi config set dag:storage file:<directory>" or "s3:<endpoint>?region=<region>") or DAG_STORAGE';

/** A difference of inputs, and what the state of an unfinished query adds to it. */
export function withStatus(
  diff: DiffResult,
  status: string | undefined,
  recordExpired: boolean | undefined,
): DiffResult {
  if (status === "error" || status === "canceled") return withDifference(diff, "status", true);
  return status === "running" && !recordExpired ? withDifference(diff, "status", false) : diff;
}

/** The record of a query that ended, if it finished; whatever else it became is thrown. */
export async function finishedOrFailure<Kind extends QueryRecord["type"]>(
  record: QueryRecord,
  type: Kind,
  context: LifecycleContext,
): Promise<Extract<QueryRecord, { type: Kind }>> {
  if (record.type !== type) throw new Error(`query ${record.id} is a ${record.type}, not a ${type}`);
  if (record.status === "finished") return record as Extract<QueryRecord, { type: Kind }>;
  throw await queryFailure(record, context);
}

/** A query that failed after its id got into the state: the state says so, and the next update makes a new one. */
export function failedLater<State extends object>(id: string, state: State, error: unknown): never {
  throw new PartialCreate(id, state, [`${explain(error)}\nThe next "pulumi up" runs it anew.`], { cause: error });
}

/** A query finished, but what it wrote cannot be looked at: the next update looks again, and does not run it anew. */
export function keepFinished<State extends object>(id: string, state: State, error: unknown): never {
  const reason = `query ${id} finished, but its result cannot be looked at: ${explain(error)}\nThe next "pulumi up" looks again.`;
  throw new PartialCreate(id, state, [reason], { cause: error });
}

/** Cancels a query that may run, and waits until it does not. */
export async function endQuery(queryId: number, clusterName: string, context: LifecycleContext): Promise<void> {
  const { client } = context;
  const desk = clusterCoordinator(client, clusterName);
  context.report(`cancelling query ${queryId}`);
  try {
    await client.cancelQuery({ queryId }, { signal: context.signal });
    await waitUntil({
      what: `query ${queryId} to end`,
      look: async (signal) => (await client.getQuery({ queryId }, { signal })).status,
      until: (status) => status !== "running",
      describe: (status) => status,
      timeout: deadlineOf(context).left(),
      signal: context.signal,
      clock: waitClock(context),
    });
  } catch (error) {
    const over = error instanceof errors.InvalidQueryState || error instanceof errors.QueryNotFound;
    if (!over) throw error;
  } finally {
    desk.slots.released();
  }
}

/** Deletes a resource's objects; what cannot be is an error that names the remedy. */
export async function purgeFolder(folder: string, context: LifecycleContext): Promise<void> {
  const { storage, report } = context;
  const problem = purgeProblem("purge", storage !== undefined);
  if (problem !== undefined) throw new Error(problem);
  report(`deleting the objects under ${shown(folder, context)}`);
  await purge(storage!, folder);
}
