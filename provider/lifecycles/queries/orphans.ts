/** Queries that an interrupted run has left behind, and that its state does not know. */
import { formatLocation, overlaps, type QueryRecord, type QuerySummary } from "../../../contract";
import type { Client } from "../../client";
import { clusterCoordinator, type Snapshot } from "../clusters/cluster-coordinator";
import type { DiffResult, LifecycleContext } from "../lifecycle";
import { redacted } from "../redaction";
import { withDifference } from "../schema/diff";
import { cancelAndWait } from "./cancel";
import { linkLine } from "./console-link";
import { requirePublished } from "./published-objects";
import type { Published } from "./purge";
import { recordIfKept } from "./query-resource";
import { folderOf, outputOf } from "./results";
import { isOfResource } from "./submission-token";

/** Timeout of a question, in milliseconds: what has nothing to run does not wait long for a service that does not answer. */
const timeout = 10_000;

const toCancel = ": cancel it if nobody needs its result";
const adoptedOrCancelled =
  ': "pulumi up" adopts it if it has the inputs of now, and otherwise cancels it if it writes where the new query is to';

/**
 * Warns of queries that an interrupted run of this resource has left behind, and that write to another folder than this
 * one is to write to. They are not cancelled: in rare cases the tokens of two resources begin alike.
 */
export async function warnOfOrphans(
  folder: string,
  { running }: Snapshot,
  relinquished: ReadonlyMap<number, string>,
  context: LifecycleContext,
): Promise<void> {
  for (const [label, id] of running) {
    if (!isOfResource(label, context.urn) || relinquished.has(id)) continue;
    const record = await recordIfKept(id, {}, context);
    if (record?.status !== "running" || overlaps(outputOf(record), folderOf(folder))) continue;
    context.warn(`${leftText(record, context)}${toCancel}${linkLine(id, context)}`);
  }
}

/**
 * Finds the running queries of a resource that an interrupted run has left behind, and warns of them, when what the
 * resource's own query has published is kept. Adds a difference when one would replace that: the update cancels it. Without
 * an answer of the service, nothing is found.
 */
export async function withOrphans(
  diff: DiffResult,
  status: string,
  published: Published,
  context: LifecycleContext,
): Promise<DiffResult> {
  if (status !== "finished") return diff;
  const isReplaced = diff.replaces.length > 0;
  let found = diff;
  for (const orphan of await orphansOf(published, context)) {
    if (isReplaced) {
      context.warn(`${leftText(orphan.record, context)}${adoptedOrCancelled}${linkLine(orphan.record.id, context)}`);
      continue;
    }
    const remedy = orphan.isInFolder
      ? `, where its result would replace that of query ${published.queryId}: "pulumi up" cancels it`
      : toCancel;
    context.warn(`${leftText(orphan.record, context)}${remedy}${linkLine(orphan.record.id, context)}`);
    if (orphan.isInFolder) found = withDifference(found, "status", false);
  }
  return found;
}

/**
 * Cancels the queries for which {@link withOrphans} has added a difference.
 * @throws {OthersObjectsError} when one has replaced the objects before.
 */
export async function cancelOrphans(
  published: Published,
  folderInput: "outputResourcePath" | "outputTable",
  context: LifecycleContext,
): Promise<void> {
  for (const { record, isInFolder } of await orphansOf(published, context)) {
    if (!isInFolder) continue;
    const { id, clusterName } = record;
    context.info(`query ${id} of an interrupted run of this resource is cancelled`);
    clusterCoordinator(context.client, clusterName).relinquished.set(id, context.urn);
    await cancelAndWait(id, clusterName, context);
    await requirePublished(published, folderInput, context);
  }
}

/** A running query of a resource that is not the one in its state. */
interface Orphan {
  readonly record: QueryRecord;
  /** True when it writes where the resource's own query has published. */
  readonly isInFolder: boolean;
}

/** Returns the running queries of a resource that were submitted after the one in its state. */
async function orphansOf({ queryId, folder }: Published, context: LifecycleContext): Promise<Orphan[]> {
  const { client, urn, submissionToken, signal } = context;
  if (!submissionToken) return [];
  const running = (await runningQueries(client)).filter(
    ({ id, label, accessKeyId }) => id > queryId && accessKeyId === client.accessKeyId && isOfResource(label, urn),
  );
  const orphans: Orphan[] = [];
  for (const { id } of running) {
    const asked = client.getQuery({ queryId: id }, { signal, timeout, maxRetries: 0 });
    const record = await asked.catch(() => undefined);
    if (record?.status !== "running") continue;
    orphans.push({ record, isInFolder: overlaps(outputOf(record), folderOf(folder)) });
  }
  return orphans;
}

function leftText(record: QueryRecord, context: LifecycleContext): string {
  const output = redacted(formatLocation(outputOf(record)), context);
  return `query ${record.id}, which an interrupted run of this resource has left behind, still runs and writes to ${output}`;
}

/** The running queries that clients have listed. A client lists them once, and so a run. */
const listed = new WeakMap<Client, Promise<readonly QuerySummary[]>>();

/** Returns the queries that run; none when the service does not answer. */
function runningQueries(client: Client): Promise<readonly QuerySummary[]> {
  const running =
    listed.get(client) ??
    Array.fromAsync(client.queries({ status: ["running"] }, { timeout, maxRetries: 0 })).catch(() => []);
  listed.set(client, running);
  return running;
}
