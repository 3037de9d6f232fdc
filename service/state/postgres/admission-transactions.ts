/** What must be decided in one transaction: acceptances, reservations, exports and restarts. */
import { excerptOf, limits, type Location } from "../../../contract";
import { outputFolder } from "../../core/queries/output-folder";
import type {
  AcceptConditions,
  AcceptedQuery,
  ClusterSettings,
  ClusterState,
  Overlap,
  RestartResult,
} from "../../core/ports/state";
import type { Transaction } from "./connection";
import { locks } from "./locks";
import { isAlive } from "./process-registry";

/** Stores a query of this process. Returns its ID, or why it is refused. */
export async function insertQuery(
  transaction: Transaction,
  submission: AcceptedQuery,
  { slots, generation }: AcceptConditions,
  { process, reservation }: { readonly process: string; readonly reservation?: number | undefined },
): Promise<
  | { readonly id: number }
  | { readonly refused: "slots"; readonly running: number }
  | { readonly refused: "restarted" }
  | Overlap
> {
  const { type, clusterName, accessKeyId, label, startTime, ...request } = submission;
  // Locked until the end of the transaction: acceptances and restarts of a cluster come one after another.
  const [cluster] = await transaction.run<{ generation: number }>(
    "SELECT generation FROM dag.clusters WHERE name = $1 FOR UPDATE",
    [clusterName],
  );
  if (cluster?.generation !== generation) return { refused: "restarted" };
  const [count] = await transaction.run<{ running: number }>(
    "SELECT count(*) AS running FROM dag.queries WHERE cluster_name = $1 AND status = 'running'",
    [clusterName],
  );
  const { running } = count!;
  if (running >= slots) return { refused: "slots", running };
  const target = outputFolder(submission);
  const overlap = await findOverlap(transaction, target, reservation);
  if (overlap) return overlap;
  if (reservation !== undefined) await transaction.run("DELETE FROM dag.reservations WHERE id = $1", [reservation]);
  const statement = submission.type === "select" ? submission.query : "";
  const excerpt = statement.length > limits.listedStatement ? JSON.stringify(excerptOf(statement)) : null;
  const [row] = await transaction.run<{ id: number }>(
    `INSERT INTO dag.queries (type, status, cluster_name, access_key_id, label, start_time, request, excerpt,
       bucket, folder, runner, epoch)
     VALUES ($1, 'running', $2, $3, $4, $5, $6, $7, $8, $9, $10, 1) RETURNING id`,
    [
      type,
      clusterName,
      accessKeyId,
      label === null ? null : Buffer.from(label, "utf8"),
      startTime,
      JSON.stringify(request),
      excerpt,
      target.bucket,
      target.key,
      process,
    ],
  );
  return row!;
}

/** Reserves a folder for this process. Returns the reservation's number, or who writes there. */
export async function insertReservation(
  transaction: Transaction,
  { bucket, key }: Location,
  owner: string,
  process: string,
): Promise<{ readonly id: number; readonly refused?: never } | Overlap> {
  const overlap = await findOverlap(transaction, { bucket, key });
  if (overlap) return overlap;
  const [row] = await transaction.run<{ id: number }>(
    "INSERT INTO dag.reservations (process, bucket, folder, owner) VALUES ($1, $2, $3, $4) RETURNING id",
    [process, bucket, key, owner],
  );
  return row!;
}

/** Stores a restart, unless queries run and it is not forced. */
export async function storeRestart(
  transaction: Transaction,
  name: string,
  { type, debug }: ClusterSettings,
  force: boolean,
): Promise<RestartResult> {
  await transaction.run("SELECT 1 FROM dag.clusters WHERE name = $1 FOR UPDATE", [name]);
  const rows = await transaction.run<{ id: number }>(
    "SELECT id FROM dag.queries WHERE cluster_name = $1 AND status = 'running' ORDER BY id",
    [name],
  );
  const running = rows.map(({ id }) => id);
  if (running.length > 0 && !force) return { refused: true, running };
  await transaction.run(
    "UPDATE dag.queries SET cancelling = true WHERE id = ANY($1) AND status = 'running' AND NOT publishing",
    [running],
  );
  const [cluster] = await transaction.run<ClusterState & object>(
    `UPDATE dag.clusters SET type = $2, debug = $3, generation = generation + 1,
       rebooted_to = (SELECT coalesce(max(id), 0) FROM dag.queries)
     WHERE name = $1 RETURNING type, debug, generation`,
    [name, type, debug],
  );
  return { cancelled: running, cluster: cluster! };
}

/** Finds another writer of a folder, a parent or a child of it. Others that ask for the bucket wait for the end. */
async function findOverlap(
  transaction: Transaction,
  { bucket, key }: Location,
  own: number | undefined = undefined,
): Promise<Overlap | undefined> {
  await lockBucket(transaction, bucket);
  const [found] = await transaction.run<{ folder: string; owner: string }>(
    `SELECT folder, 'query ' || id AS owner FROM dag.queries
     WHERE status = 'running' AND bucket = $1 AND (starts_with(folder, $2) OR starts_with($2, folder))
     UNION ALL
     SELECT r.folder, r.owner FROM dag.reservations AS r JOIN dag.processes AS p ON p.id = r.process AND ${isAlive}
     WHERE r.bucket = $1 AND (starts_with(r.folder, $2) OR starts_with($2, r.folder)) AND r.id <> $3
     LIMIT 1`,
    [bucket, key, own ?? 0],
  );
  return found && { refused: "overlap", folder: { bucket, key: found.folder }, owner: found.owner };
}

/** Waits for the transactions that decide on folders of a bucket, and lets further ones wait until this one ends. */
export async function lockBucket(transaction: Transaction, bucket: string): Promise<void> {
  await transaction.run("SELECT pg_advisory_xact_lock($1, hashtext($2))", [locks.bucket, bucket]);
}
