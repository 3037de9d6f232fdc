/** Moves the record from a PostgreSQL database to a SQLite file. */
import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StartError } from "../../config/start-error";
import { bindingOf, openFile } from "../open";
import { lineageRunColumns, type LineageRunRow } from "../lineage-run-rows";
import type { Database } from "../postgres/connection";
import type { PublishedRow } from "../published-rows";
import { readColumns, type ReadRow } from "../read-rows";
import { markFileOf } from "../sqlite/high-water-mark";
import { moveLogs } from "./logs";
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

/** Moves the record of a database to a new file, and renames the database's schema. */
export async function moveToFile(database: Database, file: string, data: string): Promise<MoveSummary> {
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
    for (const row of await database.run<PublishedRow & object>("SELECT * FROM dag.published")) {
      const { query_id, type, bucket, folder, format, columns, fingerprint, content } = row;
      target
        .prepare(
          "INSERT INTO published (query_id, type, bucket, folder, format, columns, fingerprint, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .run(query_id, type, bucket, folder, format, columns, fingerprint, content);
    }
    for (const row of await database.run<ReadRow & object>("SELECT * FROM dag.reads")) {
      const { query_id, kind, bucket, folder, direct, objects, bytes, fingerprint } = row;
      target
        .prepare(`INSERT INTO reads (${readColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
        .run(query_id, kind, bucket, folder, Number(direct), objects, bytes, fingerprint);
    }
    for (const row of await database.run<LineageRunRow & object>("SELECT * FROM dag.lineage_runs")) {
      const { query_id, request, started, failure } = row;
      target
        .prepare(`INSERT INTO lineage_runs (${lineageRunColumns}) VALUES (?, ?, ?, ?)`)
        .run(query_id, request, Number(started), failure);
    }
    for (const row of await database.run<AttemptRow & object>("SELECT * FROM dag.attempts")) {
      const { query_id, epoch, name, bucket, manifest, published, discarded } = row;
      target
        .prepare(
          "INSERT INTO attempts (query_id, epoch, name, bucket, manifest, published, discarded) VALUES (?, ?, ?, ?, ?, ?, ?)",
        )
        .run(query_id, epoch, name, bucket, manifest, Number(published), Number(discarded));
    }
    for (const row of await database.run<JobRow & object>("SELECT * FROM dag.jobs_to_end ORDER BY id")) {
      target
        .prepare("INSERT INTO jobs_to_end (query_id, cluster_name, handle, since) VALUES (?, ?, ?, ?)")
        .run(row.query_id, row.cluster_name, row.handle, row.since);
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
  await moveLogs(database, data);
  rmSync(`${unfinished}.reserve`, { force: true });
  renameSync(markFileOf(unfinished), markFileOf(file));
  renameSync(unfinished, file);
  await database.run(`ALTER SCHEMA dag RENAME TO ${schema}`);
  rmSync(bindingOf(data), { force: true });
  return { queries, kept: `the schema ${schema}` };
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
    row_count: row.row_count,
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
