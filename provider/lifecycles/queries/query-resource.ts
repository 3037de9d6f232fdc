/** The common parts of the two query resources, SplitTable and SelectQuery. */
import * as z from "zod";
import { errors, queryStatuses, type QueryRecord, type QuerySummary } from "../../../contract";
import { waitUntil } from "../../client";
import { clusterCoordinator } from "./cluster-coordinator";
import { startDeadline, clientClock } from "../deadline";
import { withDifference } from "../schema/diff";
import { describeError } from "../describe-error";
import { queryFailure } from "./query-failure";
import {
  PartialCreate,
  type DiffResult,
  type StoredResource,
  type LifecycleContext,
  type ReadResult,
} from "../lifecycle";
import { always, optional, sometimes } from "../schema/properties";

const deletionPolicies = ["keep", "purge"] as const;

/** Inputs of both resources besides those of the API. */
export const commonInputs = {
  deletionPolicy: optional(z.enum(deletionPolicies, { error: `it must be one of ${deletionPolicies.join(", ")}` }), {
    change: "update",
    fallback: "keep",
    description:
      "What happens to the objects when the resource is deleted or replaced: `keep` keeps them, `purge` deletes them, unless " +
      "they are no longer those that its query published, and requires `dag:storage`. Default `keep`.",
  }),
  triggers: optional(z.unknown(), {
    description: "Any value, such as a list of strings. The query runs again when the value changes.",
  }),
};

/** Outputs of both resources. */
export const commonOutputs = {
  queryId: always(z.int(), "Identifier of the query."),
  status: always(
    z.enum(queryStatuses),
    "Status of the query: `finished`, unless the wait for it was interrupted or it failed.",
  ),
  progress: always(
    z.string(),
    "Last observed progress of a query that has not finished, such as `40%`. The state of a finished query has none; the " +
      "TypeScript classes of `pulumi-dag` return `100%` for it.",
    {
      implied: "100%",
    },
  ),
  startTime: always(z.string(), "Time at which the service accepted the query, `YYYY-MM-DD HH:MM:SS`, UTC."),
  accessKeyId: always(z.string(), "Access key identifier of the submitter."),
  recordExpired: sometimes(
    z.boolean(),
    "True when the service no longer has the record of the query. The result is not affected.",
  ),
};

/** Returns the fields of a record that the state of both resources contains. */
export function recordState({ id, status, progress, startTime, accessKeyId }: QuerySummary) {
  return { queryId: id, status, progress, startTime, accessKeyId };
}

/** Returns the same fields for a query of which only the id is known. */
export function initialState(queryId: number) {
  return { queryId, status: "running" as const, progress: "0%", startTime: "", accessKeyId: "" };
}

/**
 * Reads a resource from its query's record. If the service no longer has the record, returns the stored resource
 * with `recordExpired`, so that the query does not run again; undefined if no resource is stored.
 */
export async function readUnlessExpired<Inputs, State extends { readonly status: string }>(
  id: string,
  stored: StoredResource<Inputs, State> | undefined,
  context: LifecycleContext,
  read: () => Promise<ReadResult<Inputs, State> | undefined>,
): Promise<ReadResult<Inputs, State> | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof errors.QueryNotFound)) throw error;
    if (!stored) return undefined;
    const hadEnded = stored.state.status !== "running";
    context.warn(
      `the service no longer has the record of query ${id}; the stored state is kept, and the query is not run again` +
        (hadEnded ? "" : '. How it ended is unknown: check its output, and change "triggers" to run it again'),
    );
    return { id, inputs: stored.inputs, state: { ...stored.state, recordExpired: true } };
  }
}

/** Returns why `purge` is not possible; undefined if it is possible. */
export function purgeProblem(policy: unknown, storage: boolean): string | undefined {
  return policy === "purge" && !storage
    ? `deletionPolicy "purge" needs access to the object storage: ${storageRemedy}, or set deletionPolicy "keep"`
    : undefined;
}

export const storageRemedy =
  'set dag:storage ("pulumi config set dag:storage file:<directory>" or "s3:<endpoint>?region=<region>") or DAG_STORAGE';

/**
 * Adds the difference that a failed or unfinished query makes to a diff. The update of an unfinished query waits for it;
 * when its record has expired, that update fails, because nobody knows how the query has ended.
 */
export function withStatusDifference(diff: DiffResult, status: string | undefined): DiffResult {
  if (status === "error" || status === "canceled") {
    const reason = `its last query ${status === "error" ? "failed" : "was cancelled"}`;
    return withDifference(diff, "status", true, reason);
  }
  return status === "running" ? withDifference(diff, "status", false) : diff;
}

/** Returns the record of an ended query if its status is `finished`. Throws the query's failure otherwise. */
export async function requireFinished<Kind extends QueryRecord["type"]>(
  record: QueryRecord,
  type: Kind,
  context: LifecycleContext,
): Promise<Extract<QueryRecord, { type: Kind }>> {
  if (record.type !== type) throw new Error(`query ${record.id} is a ${record.type}, not a ${type}`);
  if (record.status === "finished") return record as Extract<QueryRecord, { type: Kind }>;
  throw await queryFailure(record, context);
}

/** Reports a failed query whose id is already in the state. The stored status makes the next update replace it. */
export function throwQueryFailed<State extends object>(id: string, state: State, error: unknown): never {
  throw new PartialCreate(id, state, [`${describeError(error)}\nRun "pulumi up" to run the query again.`], {
    cause: error,
  });
}

/**
 * Reports a finished query whose result cannot be read. The next update reads the result and does not run the query
 * again.
 */
export function throwResultUnavailable<State extends object>(id: string, state: State, error: unknown): never {
  const reason = `query ${id} finished, but its result cannot be read: ${describeError(error)}\nRun "pulumi up" to read the result again.`;
  throw new PartialCreate(id, state, [reason], { cause: error });
}

/** Cancels a query that may be running and waits until it has ended. */
export async function cancelAndWait(queryId: number, clusterName: string, context: LifecycleContext): Promise<void> {
  const { client, signal } = context;
  const coordinator = clusterCoordinator(client, clusterName);
  context.report(`cancelling query ${queryId}`);
  try {
    await client.cancelQuery({ queryId }, { signal }).catch((error: unknown) => {
      // It has ended, or its result is being published.
      if (!(error instanceof errors.InvalidQueryState)) throw error;
    });
    await waitUntil({
      what: `query ${queryId} to end`,
      look: async (aborted) => (await client.getQuery({ queryId }, { signal: aborted })).status,
      until: (status) => status !== "running",
      describe: (status) => status,
      timeout: startDeadline(context).remaining(),
      signal,
      clock: clientClock(context),
    });
  } catch (error) {
    if (!(error instanceof errors.QueryNotFound)) throw error;
  } finally {
    coordinator.slots.release();
  }
}
