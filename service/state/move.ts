/** Moves the record of all queries between a SQLite file and a PostgreSQL database: the command `dag-service migrate`. */
import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { lockFolder } from "../config/lock";
import { StartError } from "../config/start-error";
import { outputFolder } from "../core/ports/output-folder";
import type { AcceptedQuery } from "../core/ports/state";
import { markFileOf } from "./sqlite/high-water-mark";
import { bindingOf, bindFolder, databaseError, openFile, type StateSetting } from "./open";
import { codeOf, Database, isRefusal, type Transaction } from "./postgres/connection";
import { isAlive } from "./postgres/admission";
import { migrate } from "./postgres/schema";

/** What is moved. */
export interface Move {
  readonly from: StateSetting;
  readonly to: StateSetting;
  /** The data folder that the record belongs to. */
  readonly data: string;
}

/** What was moved. */
export interface Moved {
  readonly queries: number;
  /** The name under which the source is kept. */
  readonly kept: string;
}

/** A query as both adapters store it, with its cluster's name; the fields that only one has are made from these. */
interface QueryRow {
  readonly id: number;
  readonly type: string;
  readonly status: string;
  readonly cluster_name: string;
  readonly access_key_id: string;
  readonly label: string | null;
  readonly start_time: number;
  readonly end_time: number | null;
  readonly progress: number;
  readonly stage: number;
  readonly job_id: string | null;
  readonly request: string;
  readonly excerpt: string | null;
  readonly columns: string | null;
  readonly checked: boolean;
  readonly epoch: number;
  readonly publishing: boolean;
  readonly published_epoch: number;
  readonly engine_handle: string | null;
}

interface ClusterRow {
  readonly name: string;
  readonly type: string;
  readonly debug: boolean;
  readonly configured: string;
  readonly rebooted_to: number;
}

interface TableRow {
  readonly database: string;
  readonly name: string;
  readonly format: string;
  readonly columns: string;
  readonly fingerprint: string | null;
}

interface AttemptRow {
  readonly query_id: number;
  readonly epoch: number;
  readonly name: string;
  readonly bucket: string;
  readonly manifest: string | null;
  readonly published: boolean;
  readonly discarded: boolean;
}

/** Queries that are read and written at a time. */
const batchSize = 500;

/**
 * Moves the record; the source is kept under another name. Running queries are resumed by the next start.
 * @throws {StartError} when a service runs on either, when the target is not empty, or when one cannot be used
 */
export async function moveState({ from, to, data }: Move): Promise<Moved> {
  const [source, target] = from.kind === "sqlite" ? [from, to] : [to, from];
  if (source.kind !== "sqlite" || target.kind !== "postgres") {
    throw new StartError("--from and --to must be one sqlite:FILE and one postgres://USER:PASSWORD@HOST:PORT/DATABASE");
  }
  using _data = lockFolder(data, "--data");
  using _file = dirname(source.file) === data ? undefined : lockFolder(dirname(source.file), "--from");
  const database = new Database(target.url);
  try {
    await database.transaction(migrate);
    await requireNoProcess(database);
    return from.kind === "sqlite"
      ? await moveToDatabase(source.file, database, data)
      : await moveToFile(database, source.file, data);
  } catch (error) {
    throw error instanceof StartError ? error : databaseError(target.url, error, { codeOf, isRefusal });
  } finally {
    await database.close();
  }
}

async function moveToDatabase(file: string, database: Database, data: string): Promise<Moved> {
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
    for (const attempt of source.all<AttemptRow>("SELECT * FROM attempts")) await insertAttempt(transaction, attempt);
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

async function moveToFile(database: Database, file: string, data: string): Promise<Moved> {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0 || existsSync(markFileOf(file))) {
    throw new StartError(`state file ${file} exists: name a new one with --to, or move that one away with its .mark`);
  }
  // Written under another name, so that a move that is interrupted leaves no half state.
  const unfinished = `${file}.moving`;
  for (const ending of ["", "-wal", "-shm", ".mark", ".reserve"]) rmSync(`${unfinished}${ending}`, { force: true });
  await openFile(unfinished, { now: Date.now, acceptLoss: false }).close();
  const target = new DatabaseSync(unfinished);
  let queries = 0;
  const schema = `dag_moved_${timestamp().replaceAll("-", "_").toLowerCase()}`;
  try {
    target.exec("BEGIN IMMEDIATE");
    for (const row of await database.run<ClusterRow & object>("SELECT * FROM dag.clusters")) {
      target
        .prepare("INSERT INTO clusters (name, type, debug, configured, rebooted_to) VALUES (?, ?, ?, ?, ?)")
        .run(row.name, row.type, Number(row.debug), row.configured, row.rebooted_to);
    }
    for (const row of await database.run<TableRow & object>("SELECT * FROM dag.catalog")) {
      target
        .prepare("INSERT INTO catalog (database, name, format, columns, fingerprint) VALUES (?, ?, ?, ?, ?)")
        .run(row.database, row.name, row.format, row.columns, row.fingerprint);
    }
    for (const row of await database.run<AttemptRow & object>("SELECT * FROM dag.attempts")) {
      const { query_id, epoch, name, bucket, manifest, published, discarded } = row;
      target
        .prepare(
          "INSERT INTO attempts (query_id, epoch, name, bucket, manifest, published, discarded) VALUES (?, ?, ?, ?, ?, ?, ?)",
        )
        .run(query_id, epoch, name, bucket, manifest, Number(published), Number(discarded));
    }
    for (let after = 0; ;) {
      const batch = await database.run<Omit<QueryRow, "label"> & { label: Buffer | null }>(
        `SELECT * FROM dag.queries WHERE id > $1 ORDER BY id LIMIT ${batchSize}`,
        [after],
      );
      if (batch.length === 0) break;
      for (const row of batch) insertIntoFile(target, { ...row, label: row.label && row.label.toString("utf8") });
      queries += batch.length;
      after = batch.at(-1)!.id;
    }
    const [sequence] = await database.run<{ last: number | null }>(
      "SELECT last_value AS last FROM pg_sequences WHERE schemaname = 'dag' AND sequencename = 'queries_id_seq'",
    );
    const last = Number(sequence?.last ?? 0);
    target.prepare("DELETE FROM sqlite_sequence WHERE name = 'queries'").run();
    target.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('queries', ?)").run(last);
    target.exec("COMMIT");
    target.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    target.close();
  }
  rmSync(`${unfinished}.reserve`, { force: true });
  renameSync(markFileOf(unfinished), markFileOf(file));
  renameSync(unfinished, file);
  await database.run(`ALTER SCHEMA dag RENAME TO ${schema}`);
  rmSync(bindingOf(data), { force: true });
  return { queries, kept: `the schema ${schema}` };
}

/** @throws {StartError} when a service uses the database */
async function requireNoProcess(database: Database): Promise<void> {
  const [running] = await database.run<{ place: string }>(
    `SELECT place FROM dag.processes AS p WHERE ${isAlive} LIMIT 1`,
  );
  if (running) {
    throw new StartError(
      `the database is in use by the service process ${running.place}: stop all of them, and wait 10 seconds`,
    );
  }
}

async function requireEmpty(transaction: Transaction): Promise<void> {
  const [used] = await transaction.run(
    "SELECT 1 FROM dag.queries UNION ALL SELECT 1 FROM dag.catalog UNION ALL SELECT 1 FROM dag.clusters LIMIT 1",
  );
  if (used) throw new StartError("the database already has the record of a service: name an empty one with --to");
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

async function insertAttempt(transaction: Transaction, row: AttemptRow): Promise<void> {
  const { query_id, epoch, name, bucket, manifest, published, discarded } = row;
  await transaction.run(
    `INSERT INTO dag.attempts (query_id, epoch, name, bucket, manifest, published, discarded)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [query_id, epoch, name, bucket, manifest, Boolean(published), Boolean(discarded)],
  );
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

function insertIntoFile(target: DatabaseSync, row: QueryRow): void {
  const values = {
    id: row.id,
    type: row.type,
    status: row.status,
    cluster_name: row.cluster_name,
    access_key_id: row.access_key_id,
    label: row.label,
    start_time: row.start_time,
    end_time: row.end_time,
    progress: row.progress,
    stage: row.stage,
    job_id: row.job_id,
    request: row.request,
    excerpt: row.excerpt === null ? null : (JSON.parse(row.excerpt) as string),
    columns: row.columns,
    checked: Number(row.checked),
    epoch: row.epoch,
    publishing: Number(row.publishing),
    published_epoch: row.published_epoch,
    engine_handle: row.engine_handle,
  };
  const names = Object.keys(values);
  target
    .prepare(`INSERT INTO queries (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`)
    .run(...Object.values(values));
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

/** The time as a part of a name, such as `2026-11-22T18-30-00`. */
function timestamp(): string {
  return new Date().toISOString().slice(0, 19).replaceAll(":", "-");
}
