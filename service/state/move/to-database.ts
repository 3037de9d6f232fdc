/** Moves the record from a SQLite file to a PostgreSQL database. */
import { existsSync, renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StartError } from "../../config/start-error";
import { outputFolder } from "../../core/queries/output-folder";
import type { AcceptedQuery } from "../../core/ports/state";
import { bindFolder, openFile } from "../open";
import { lineageRunColumns, type LineageRunRow } from "../lineage-run-rows";
import type { Database, Transaction } from "../postgres/connection";
import type { PublishedRow } from "../published-rows";
import { readColumns, type ReadRow } from "../read-rows";
import { markFileOf } from "../sqlite/high-water-mark";
import {
  type AttemptRow,
  batchSize,
  type ClusterRow,
  type JobRow,
  type MoveSummary,
  type QueryRow,
  type TableRow,
  timestamp,
} from "./records";

/** Moves the record of a file to an empty database, and binds the data folder to it. */
export async function moveToDatabase(file: string, database: Database, data: string): Promise<MoveSummary> {
  if (!existsSync(file)) throw new StartError(`state file ${file} does not exist: name the one to move with --from`);
  // Opening it as a service does checks that it is whole, and migrates it.
  await openFile(file, { now: Date.now, acceptLoss: false }).close();
  using source = openReadOnly(file);
  let queries = 0;
  const identity = await database.transaction(async (transaction) => {
    queries = 0;
    await requireEmpty(transaction);
    for (const cluster of source.all<ClusterRow>("SELECT * FROM clusters")) await insertCluster(transaction, cluster);
    for (const table of source.all<TableRow>("SELECT * FROM catalog")) await insertTable(transaction, table);
    for (const row of source.all<PublishedRow>("SELECT * FROM published")) await insertPublished(transaction, row);
    for (const read of source.all<ReadRow>("SELECT * FROM reads")) await insertRead(transaction, read);
    for (const run of source.all<LineageRunRow>("SELECT * FROM lineage_runs")) await insertLineageRun(transaction, run);
    for (const attempt of source.all<AttemptRow>("SELECT * FROM attempts")) await insertAttempt(transaction, attempt);
    for (const job of source.all<JobRow>("SELECT * FROM jobs_to_end ORDER BY id")) await insertJob(transaction, job);
    for (const batch of batchesOf(source)) {
      for (const row of batch) await insertQuery(transaction, row);
      queries += batch.length;
    }
    const [{ last }] = source.all<{ last: number }>(
      "SELECT max(ids_to, (SELECT coalesce(max(seq), 0) FROM sqlite_sequence)) AS last FROM marks",
    ) as [{ last: number }];
    if (last > 0) await transaction.run("SELECT setval(pg_get_serial_sequence('dag.queries', 'id'), $1)", [last]);
    const [row] = await transaction.run<{ id: string }>("UPDATE dag.identity SET bound = true RETURNING id");
    return row!.id;
  });
  await bindFolder(data, { id: identity, isFirst: true });
  const kept = `${file}.moved-${timestamp()}`;
  for (const ending of ["-wal", "-shm", ".reserve"]) rmSync(`${file}${ending}`, { force: true });
  renameSync(markFileOf(file), markFileOf(kept));
  renameSync(file, kept);
  return { queries, kept };
}

async function requireEmpty(transaction: Transaction): Promise<void> {
  const [used] = await transaction.run(
    "SELECT 1 FROM dag.queries UNION ALL SELECT 1 FROM dag.catalog UNION ALL SELECT 1 FROM dag.clusters LIMIT 1",
  );
  if (used)
    throw new StartError("a service has been started on the database: name one with --to that no service has used");
}

async function insertCluster(transaction: Transaction, { name, type, debug, configured, rebooted_to }: ClusterRow) {
  await transaction.run(
    "INSERT INTO dag.clusters (name, type, debug, configured, rebooted_to) VALUES ($1, $2, $3, $4, $5)",
    [name, type, Boolean(debug), configured, rebooted_to],
  );
}

async function insertTable(transaction: Transaction, { database, name, format, columns, fingerprint }: TableRow) {
  await transaction.run(
    "INSERT INTO dag.catalog (database, name, format, columns, fingerprint) VALUES ($1, $2, $3, $4, $5)",
    [database, name, format, columns, fingerprint],
  );
}

async function insertPublished(transaction: Transaction, row: PublishedRow): Promise<void> {
  const { query_id, type, bucket, folder, format, columns, fingerprint, content } = row;
  await transaction.run(
    `INSERT INTO dag.published (query_id, type, bucket, folder, format, columns, fingerprint, content)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [query_id, type, bucket, folder, format, columns, fingerprint, content],
  );
}

async function insertRead(transaction: Transaction, row: ReadRow): Promise<void> {
  const { query_id, kind, bucket, folder, direct, objects, bytes, fingerprint } = row;
  await transaction.run(`INSERT INTO dag.reads (${readColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, [
    query_id,
    kind,
    bucket,
    folder,
    Boolean(direct),
    objects,
    bytes,
    fingerprint,
  ]);
}

async function insertLineageRun(transaction: Transaction, row: LineageRunRow): Promise<void> {
  const { query_id, request, started, failure } = row;
  await transaction.run(`INSERT INTO dag.lineage_runs (${lineageRunColumns}) VALUES ($1, $2, $3, $4)`, [
    query_id,
    request,
    Boolean(started),
    failure,
  ]);
}

async function insertAttempt(transaction: Transaction, row: AttemptRow): Promise<void> {
  const { query_id, epoch, name, bucket, manifest, published, discarded } = row;
  await transaction.run(
    `INSERT INTO dag.attempts (query_id, epoch, name, bucket, manifest, published, discarded)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [query_id, epoch, name, bucket, manifest, Boolean(published), Boolean(discarded)],
  );
}

async function insertJob(transaction: Transaction, { query_id, cluster_name, handle, since }: JobRow): Promise<void> {
  await transaction.run("INSERT INTO dag.jobs_to_end (query_id, cluster_name, handle, since) VALUES ($1, $2, $3, $4)", [
    query_id,
    cluster_name,
    handle,
    since,
  ]);
}

async function insertQuery(transaction: Transaction, row: QueryRow): Promise<void> {
  const { bucket, key } = outputFolder({ type: row.type, ...(JSON.parse(row.request) as object) } as AcceptedQuery);
  const values = {
    ...row,
    label: row.label === null ? null : Buffer.from(row.label, "utf8"),
    excerpt: row.excerpt === null ? null : JSON.stringify(row.excerpt),
    checked: Boolean(row.checked),
    publishing: Boolean(row.publishing),
    bucket,
    folder: key,
  };
  const names = Object.keys(values);
  const places = names.map((_, index) => `$${index + 1}`).join(", ");
  await transaction.run(`INSERT INTO dag.queries (${names.join(", ")}) VALUES (${places})`, Object.values(values));
}

interface Source extends Disposable {
  all<Row>(sql: string, ...values: number[]): Row[];
}

function openReadOnly(file: string): Source {
  const database = new DatabaseSync(file, { readOnly: true });
  return {
    all: <Row>(sql: string, ...values: number[]) => database.prepare(sql).all(...values) as Row[],
    [Symbol.dispose]: () => database.close(),
  };
}

function* batchesOf(source: Source): Generator<QueryRow[]> {
  for (let after = 0; ;) {
    const batch = source.all<QueryRow>(`SELECT * FROM queries WHERE id > ? ORDER BY id LIMIT ${batchSize}`, after);
    if (batch.length === 0) return;
    yield batch;
    after = batch.at(-1)!.id;
  }
}
