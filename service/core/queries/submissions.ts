/**
 * submitSelect and submitSplit (specification §4.1, §4.2). Each decides in the order that `docs/service.md` tells:
 * the fields have been checked already, then come names, existence, state, capacity.
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
import type { Engine, TableName } from "../ports/engine";
import { describeReservation, type Reservation } from "./reservations";
import { requireFormat } from "./sniff-format";
import type { Submission } from "../ports/state";
import { whileEngineRuns } from "../clusters/engine-watch";
import { definitions } from "./execution";
import { findCluster, type Caller, type ServiceContext } from "../service-context";

/** Runs a HiveQL statement; answers as soon as the query is durable (specification §4.1). */
export async function submitSelect(context: ServiceContext, body: RequestBody<"submitSelect">, caller: Caller): Promise<Accepted> {
  const target = asFolder(parseLocation(body.outputResourcePath));
  const statement = body.query;

  const reader = readerOf(context, body.clusterName);
  const names = reader ? await whileEngineRuns(reader, reader.tablesRead(statement), engineLost) : context.tablesRead(statement);
  checkNames(names, target);

  const cluster = findCluster(context, body.clusterName);
  await requireOutputBucket(context, target.bucket);
  const tables = await definitions(context, names);

  cluster.require("submit");
  const engine = cluster.engine!;
  await whileEngineRuns(engine, engine.checkSelect({ statement, tables }), engineLost);
  await requireClearPath(context, target);

  cluster.require("submit");
  const held = context.reservations.holder(target);
  if (held) {
    throw new errors.InvalidOutputResourcePath(
      `outputResourcePath "${body.outputResourcePath}" cannot be used now: ${describeReservation(held)}`,
      { field: "outputResourcePath" },
    );
  }
  return admit(context, cluster, context.reservations.take(target, "a submission"), {
    ...acceptance(context, body, caller),
    type: "select",
    query: statement,
    outputFormat: body.outputFormat ?? defaults.outputFormat,
    outputResourcePath: formatLocation(target),
  });
}

/** Cuts objects into a table; answers as soon as the query is durable (specification §4.2). */
export async function submitSplit(context: ServiceContext, body: RequestBody<"submitSplit">, caller: Caller): Promise<Accepted> {
  if (body.schema) parseColumns(body.schema);
  const inputFormat = body.inputFormat ?? defaults.inputFormat;
  const name: TableName = { database: body.outputDatabase, table: body.outputTable };
  const target = tableFolder(name);

  const cluster = findCluster(context, body.clusterName);
  await requireDatabase(context, name.database);
  const inputs = body.inputObjectKeys.map(parseLocation);
  await requireObjects(context, inputs);
  await eachOf(inputs, (input) => requireFormat(context.storage, input, inputFormat));

  cluster.require("submit");
  const held = context.reservations.holder(target);
  if (held) throw tableExists(name, describeReservation(held));
  const reservation = context.reservations.take(target, "a submission");
  try {
    // Looked at under the reservation: nobody can finish a table of this name between the look and the acceptance.
    if (await context.catalog.hasObjects(name)) throw tableExists(name, `objects lie under ${formatLocation(target)}`);
    const obstacle = await context.platform.outputs.obstacle(target);
    if (obstacle) throw tableExists(name, `the object ${formatLocation(obstacle)} has its place`);
    cluster.require("submit");
  } catch (error) {
    reservation.release();
    throw error;
  }
  return admit(context, cluster, reservation, {
    ...acceptance(context, body, caller),
    type: "split",
    inputObjectKeys: body.inputObjectKeys,
    inputFormat,
    schema: body.schema ?? null,
    outputDatabase: name.database,
    outputTable: name.table,
  });
}

/**
 * Takes one of the cluster's slots and remembers the query, in one step that nothing can come between.
 * @throws TooManyQueries
 */
function admit(context: ServiceContext, cluster: Cluster, reservation: Reservation, submission: Submission): Accepted {
  try {
    const running = context.runs.on(cluster.name).length;
    if (running >= cluster.slots) {
      throw new errors.TooManyQueries(
        `cluster "${cluster.name}" runs ${running} queries and can run ${Math.max(0, cluster.slots)}: try again when one has ended`,
        { field: "clusterName" },
      );
    }
    const queryId = context.state.accept(submission);
    reservation.owner = `query ${queryId}`;
    context.runs.start(context.state.query(queryId)!, reservation);
    return { queryId };
  } catch (error) {
    reservation.release();
    throw error;
  }
}

function acceptance(
  { platform }: ServiceContext,
  { clusterName, label }: { readonly clusterName: string; readonly label?: string | null | undefined },
  { accessKeyId }: Caller,
) {
  return { clusterName, accessKeyId, label: label ?? null, startTime: platform.clock.now() };
}

/** Any engine can say what a statement names; the cluster's own, or where it has none, that of another. */
function readerOf({ clusters }: ServiceContext, clusterName: string): Engine | undefined {
  return clusters.get(clusterName)?.engine ?? [...clusters.values()].find(({ engine }) => engine)?.engine;
}

function checkNames(tables: readonly TableName[], target: Location): void {
  for (const name of tables) {
    if (name.table === "tmp") {
      throw new errors.InvalidTableName(
        `table "${name.database}.tmp" cannot be read: running queries keep their results there`,
        {
          field: "query",
        },
      );
    }
    if (isWithin(target, tableFolder(name))) {
      throw new errors.InvalidOutputResourcePath(
        `outputResourcePath "${formatLocation(target)}" lies inside the table "${name.database}.${name.table}" that the statement reads`,
        { field: "outputResourcePath" },
      );
    }
  }
}

async function requireOutputBucket({ storage }: ServiceContext, bucket: string): Promise<void> {
  if (await storage.bucketExists(bucket)) return;
  throw new errors.OutputBucketIsNotFound(`outputResourcePath names the bucket "${bucket}", which does not exist`, {
    field: "outputResourcePath",
  });
}

async function requireDatabase({ storage, catalog }: ServiceContext, database: string): Promise<void> {
  if (await storage.bucketExists(database)) return;
  const field = "outputDatabase";
  if (!catalog.knowsDatabase(database)) {
    throw new errors.DatabaseNotFound(`outputDatabase "${database}" does not exist: there is no bucket of that name`, {
      field,
    });
  }
  throw new errors.OutputBucketIsNotFound(`outputDatabase "${database}" has tables, but its bucket is gone`, { field });
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
  await eachOf(inputs, async (input) => {
    if (await storage.head(input)) return;
    throw new errors.InputObjectNotFound(`inputObjectKeys names ${formatLocation(input)}, which does not exist`, {
      field,
    });
  });
}

async function requireClearPath({ platform }: ServiceContext, target: Location): Promise<void> {
  const obstacle = await platform.outputs.obstacle(target);
  if (!obstacle) return;
  throw new errors.InvalidOutputResourcePath(
    `outputResourcePath "${formatLocation(target)}" cannot be a folder: ${formatLocation(obstacle)} is an object`,
    { field: "outputResourcePath" },
  );
}

function engineLost(reason: string) {
  return new errors.InvalidClusterState(`the cluster's engine ended while it read the statement: ${reason}`, {
    field: "clusterName",
  });
}

function tableExists({ database, table }: TableName, why: string) {
  return new errors.OutputTableAlreadyExists(`table "${database}.${table}" already exists: ${why}`, {
    field: "outputTable",
  });
}

/** Some at a time, in order, until one throws: the first in the order of the list. */
async function eachOf<Item>(items: readonly Item[], check: (item: Item) => Promise<void>): Promise<void> {
  const atATime = 16;
  for (let start = 0; start < items.length; start += atATime) {
    const results = await Promise.allSettled(items.slice(start, start + atATime).map(check));
    const failed = results.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
  }
}
