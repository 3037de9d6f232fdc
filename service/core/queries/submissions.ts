/**
 * The operations submitSelect and submitSplit (specification §4.1, §4.2). The fields have been checked before; each
 * operation checks names, existence, state and capacity in the order that `docs/service.md` describes.
 */
import {
  asFolder,
  defaults,
  errors,
  formatLocation,
  isWithin,
  parseColumns,
  parseLocation,
  type Location,
  type RequestBody,
  type Submission as Accepted,
} from "../../../contract";
import { tableFolder } from "./catalog";
import type { Cluster } from "../clusters/cluster";
import type { TableName } from "../ports/engine";
import { createBucket } from "./missing-bucket";
import { describeOverlap } from "./reservations";
import { byFolder, viewFolder } from "./read-states";
import { statementReads, type StatementReads } from "./reads";
import { requireInputFormat } from "../../../storage/sniff-format";
import type { NewLineageRun } from "../ports/lineage-runs";
import type { AcceptedQuery, Overlap, Reservation } from "../ports/state";
import { whileEngineRuns } from "../clusters/engine-watch";
import { checkSelect } from "./check-select";
import { checkWithDefinitions, requireReadableNames } from "./table-definitions";
import { findCluster, type Caller, type ServiceContext } from "../service-context";

/** Submits a HiveQL statement. Returns when the query is durable (specification §4.1). */
export async function submitSelect(
  context: ServiceContext,
  body: RequestBody<"submitSelect">,
  caller: Caller,
): Promise<Accepted> {
  const target = asFolder(parseLocation(body.outputResourcePath));
  const cluster = findCluster(context, body.clusterName);
  using _entry = await enter(context, cluster, caller);
  const signal = caller.signal();
  const reads = await context.submissionLimits.check(cluster, caller.accessKeyId, signal, () =>
    checkStatement(context, cluster, { statement: body.query, user: caller.accessKeyId, target }, signal),
  );

  const submission: AcceptedQuery = {
    ...acceptedFields(context, body, caller),
    type: "select",
    query: body.query,
    outputFormat: body.outputFormat ?? defaults.outputFormat,
    outputResourcePath: formatLocation(target),
  };
  const overlapError = (overlap: Overlap) =>
    new errors.InvalidOutputResourcePath(
      `outputResourcePath "${body.outputResourcePath}" cannot be used now: ${describeOverlap(overlap)}; wait until it has ended, cancel it, or use another folder`,
      { field: "outputResourcePath" },
    );
  const inputs = [...reads.views.map(viewFolder), ...reads.tables.map(tableFolder)];
  const run = lineageRun(context, inputs, caller);
  return admit(context, cluster, submission, { overlapError, reads, lineageRun: run, signal });
}

/** Submits a split of objects into a table. Returns when the query is durable (specification §4.2). */
export async function submitSplit(
  context: ServiceContext,
  body: RequestBody<"submitSplit">,
  caller: Caller,
): Promise<Accepted> {
  if (typeof body.schema === "string") parseColumns(body.schema);
  const inputFormat = body.inputFormat ?? defaults.inputFormat;
  const name: TableName = { database: body.outputDatabase, table: body.outputTable };
  const target = tableFolder(name);

  const cluster = findCluster(context, body.clusterName);
  using _entry = await enter(context, cluster, caller);
  const signal = caller.signal();
  await requireDatabase(context, name.database);
  // An object that is named twice is read once.
  const inputs = [...new Set(body.inputObjectKeys)].map(parseLocation);
  await requireObjects(context, inputs);
  await checkInBatches(inputs, (input) => requireInputFormat(context.storage, input, inputFormat));

  cluster.requireStatus("submit");
  const reservation = await context.state.admission.reserve(target, "a submission");
  const overlapError = (overlap: Overlap) => tableExistsError(name, describeOverlap(overlap));
  if (reservation.refused) throw overlapError(reservation);
  try {
    // Checked under the reservation, so that no other query can publish this table before the acceptance.
    if (await context.catalog.hasObjects(name))
      throw tableExistsError(name, `there are objects under ${formatLocation(target)}`);
    if (context.catalog.view(name)) throw tableExistsError(name, "it is a view of the service's config");
    const blocking = await context.platform.outputs.blockingObject(target);
    if (blocking) throw tableExistsError(name, `the object ${formatLocation(blocking)} exists in place of its folder`);
    const submission: AcceptedQuery = {
      ...acceptedFields(context, body, caller),
      type: "split",
      inputObjectKeys: body.inputObjectKeys,
      inputFormat,
      schema: body.schema ?? null,
      outputDatabase: name.database,
      outputTable: name.table,
    };
    const folders = [...byFolder(body.inputObjectKeys).keys()].map(parseLocation);
    const run = lineageRun(context, folders, caller);
    return await admit(context, cluster, submission, { overlapError, reservation, lineageRun: run, signal });
  } catch (error) {
    await reservation.release();
    throw error;
  }
}

/**
 * Checks what costs nothing before any work is done: the cluster's status, its capacity, and the caller's submissions in
 * progress, of which this one is counted until the result is disposed of.
 * @throws InvalidClusterState, TooManyQueries
 */
async function enter(context: ServiceContext, cluster: Cluster, { accessKeyId }: Caller): Promise<Disposable> {
  cluster.requireStatus("submit");
  const { length: running } = await context.state.queries.listRunning(cluster.name);
  if (running >= cluster.slots) throw noSlotError(cluster, running);
  return context.submissionLimits.enter(cluster, accessKeyId);
}

/** Checks a statement, its tables and its output. @returns what the statement reads */
async function checkStatement(
  context: ServiceContext,
  cluster: Cluster,
  { statement, user, target }: { readonly statement: string; readonly user: string; readonly target: Location },
  signal: AbortSignal,
): Promise<StatementReads> {
  cluster.requireStatus("submit");
  const engine = cluster.engine!;
  const control = { signal, limited: true };
  const watch = { clock: context.platform.clock, toError: engineEndedError };
  // Checked while the engine works; their errors come in the documented order.
  const bucketCheck = settled(requireOutputBucket(context, target.bucket));
  const folderCheck = settled(requireNoBlockingObject(context, target));
  const work = statementReads(context.catalog, engine, statement, control);
  const reads = await whileEngineRuns(engine, work, watch);
  const { tables: names, views } = reads;
  requireReadableNames(names);
  requireOutside(names, target);
  await bucketCheck();
  const read = await checkWithDefinitions(context, names, (tables) =>
    whileEngineRuns(engine, checkSelect(engine, { statement, user, tables, views }, control), watch),
  );
  await folderCheck();
  return { ...reads, statement: read };
}

/** Returns a function that waits for work and throws its error; until it is called, the error waits for it. */
function settled(work: Promise<void>): () => Promise<void> {
  work.catch(() => undefined);
  return () => work;
}

function noSlotError({ name, slots }: Cluster, running: number) {
  const problem =
    slots < 1
      ? `cluster "${name}" runs no queries, because it has one instance: configure at least two`
      : `cluster "${name}" is running ${running} queries, its maximum is ${slots}: try again when one has ended`;
  return new errors.TooManyQueries(problem, { field: "clusterName" });
}

/**
 * Stores and starts the query if the cluster has a free slot and nobody else writes to its output folder. The state
 * checks that in the step in which it stores the query.
 * @throws the signal's reason when the caller has closed its connection; InvalidClusterState, TooManyQueries, the error
 * of an overlap
 */
async function admit(
  { state, executions, lineageSender }: ServiceContext,
  cluster: Cluster,
  submission: AcceptedQuery,
  {
    overlapError,
    reads,
    signal,
    ...given
  }: {
    readonly overlapError: (overlap: Overlap) => Error;
    readonly reservation?: Reservation;
    /** What the statement reads. */
    readonly reads?: StatementReads;
    readonly lineageRun: NewLineageRun | undefined;
    readonly signal: AbortSignal;
  },
): Promise<Accepted> {
  // A caller whose connection broke searches for the query and submits again: what it does not find then never starts.
  signal.throwIfAborted();
  cluster.requireStatus("submit");
  const { slots, generation } = cluster;
  const accepted = await state.admission.accept(submission, { slots, generation, ...given });
  if (accepted.refused === "slots") throw noSlotError(cluster, accepted.running);
  if (accepted.refused === "overlap") throw overlapError(accepted);
  if (accepted.refused === "restarted") throw cluster.statusError("restarting", "submit");
  executions.start(accepted.query, reads);
  lineageSender?.wake();
  return { queryId: accepted.query.id };
}

/** Returns what is stored for the OpenLineage events of a query; undefined when none are sent. */
function lineageRun(
  { lineageSender }: ServiceContext,
  inputs: readonly Location[],
  { parentRun }: Caller,
): NewLineageRun | undefined {
  return lineageSender && { inputs, parent: parentRun?.() ?? null };
}

function acceptedFields(
  { platform }: ServiceContext,
  { clusterName, label }: { readonly clusterName: string; readonly label?: string | null | undefined },
  { accessKeyId }: Caller,
) {
  return { clusterName, accessKeyId, label: label ?? null, startTime: platform.clock.now() };
}

function requireOutside(tables: readonly TableName[], target: Location): void {
  for (const name of tables) {
    if (isWithin(target, tableFolder(name))) {
      throw new errors.InvalidOutputResourcePath(
        `outputResourcePath "${formatLocation(target)}" lies inside the table "${name.database}.${name.table}", which the statement reads: choose a folder outside it`,
        { field: "outputResourcePath" },
      );
    }
  }
}

async function requireOutputBucket({ storage }: ServiceContext, bucket: string): Promise<void> {
  if (await storage.bucketExists(bucket)) return;
  throw new errors.OutputBucketIsNotFound(
    `outputResourcePath names the bucket "${bucket}", which does not exist: ${createBucket}`,
    { field: "outputResourcePath" },
  );
}

async function requireDatabase({ storage, catalog }: ServiceContext, database: string): Promise<void> {
  if (await storage.bucketExists(database)) return;
  const field = "outputDatabase";
  if (!(await catalog.hasTablesIn(database))) {
    throw new errors.DatabaseNotFound(
      `outputDatabase "${database}" does not exist, because there is no bucket with that name: ${createBucket}`,
      { field },
    );
  }
  throw new errors.OutputBucketIsNotFound(`outputDatabase "${database}" has tables, but its bucket no longer exists`, {
    field,
  });
}

async function requireObjects({ storage }: ServiceContext, inputs: readonly Location[]): Promise<void> {
  const field = "inputObjectKeys";
  for (const bucket of new Set(inputs.map((input) => input.bucket))) {
    if (!(await storage.bucketExists(bucket))) {
      throw new errors.InputBucketIsNotFound(`inputObjectKeys names the bucket "${bucket}", which does not exist`, {
        field,
      });
    }
  }
  await checkInBatches(inputs, async (input) => {
    if (await storage.head(input)) return;
    throw new errors.InputObjectNotFound(`inputObjectKeys names ${formatLocation(input)}, which does not exist`, {
      field,
    });
  });
}

async function requireNoBlockingObject({ platform }: ServiceContext, target: Location): Promise<void> {
  const blocking = await platform.outputs.blockingObject(target);
  if (!blocking) return;
  throw new errors.InvalidOutputResourcePath(
    `outputResourcePath "${formatLocation(target)}" cannot be a folder: ${formatLocation(blocking)} is an object`,
    { field: "outputResourcePath" },
  );
}

function engineEndedError(reason: string) {
  return new errors.InvalidClusterState(`the cluster's engine ended while it checked the statement: ${reason}`, {
    field: "clusterName",
  });
}

function tableExistsError({ database, table }: TableName, why: string) {
  return new errors.OutputTableAlreadyExists(`table "${database}.${table}" already exists: ${why}`, {
    field: "outputTable",
  });
}

/** Checks the items in parallel batches. Throws the error of the first failing item in list order. */
async function checkInBatches<Item>(items: readonly Item[], check: (item: Item) => Promise<void>): Promise<void> {
  const batchSize = 16;
  for (let start = 0; start < items.length; start += batchSize) {
    const results = await Promise.allSettled(items.slice(start, start + batchSize).map(check));
    const failed = results.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
  }
}
