/** Cancels queries that nobody waits for any more. */
import { errors } from "../../../contract";
import { waitUntil } from "../../client";
import { clientClock, startDeadline } from "../deadline";
import type { LifecycleContext, StoredResource } from "../lifecycle";
import { clusterCoordinator } from "../clusters/cluster-coordinator";
import { isOwnQuery, otherQuery, type MadeBy } from "./own-query";
import { recordIfKept } from "./query-resource";

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

/** The part of a resource that tells whether its query is cancelled with it. */
type OwnedQuery = StoredResource<
  { readonly clusterName: string },
  MadeBy & { readonly status: string; readonly adopted?: boolean | undefined }
>;

/** Cancels the query of a deleted resource if it runs and is its own. No resource of this run adopts the query then. */
export async function relinquish(
  id: string,
  { inputs: { clusterName }, state }: OwnedQuery,
  context: LifecycleContext,
): Promise<void> {
  clusterCoordinator(context.client, clusterName).relinquished.set(Number(id), context.urn);
  if (state.status !== "running") return;
  if (state.adopted) {
    context.info(`query ${id}, which may still run, is not cancelled: another resource or stack submitted it`);
    return;
  }
  const record = await recordIfKept(Number(id), {}, context);
  if (record && !isOwnQuery(record, state)) {
    context.info(`query ${id} is not cancelled: the service no longer has the record of it${otherQuery}`);
    return;
  }
  if (record?.status === "running") context.info(`query ${id}, which still runs, is cancelled with its resource`);
  await cancelAndWait(Number(id), clusterName, context);
}
