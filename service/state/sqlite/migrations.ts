/** The schema of the state file as migrations: a file of an older version gets the later steps. */
import type { DatabaseSync } from "node:sqlite";
import { StateVersionError } from "../state-errors";

/** One migration per version. A released migration never changes. */
const migrations: readonly string[] = [
  `
  CREATE TABLE clusters (
    name TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    debug INTEGER NOT NULL,
    configured TEXT NOT NULL,
    rebooted_to INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE queries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    cluster_name TEXT NOT NULL,
    access_key_id TEXT NOT NULL,
    label TEXT,
    start_time INTEGER NOT NULL,
    progress REAL NOT NULL DEFAULT 0,
    stage INTEGER NOT NULL DEFAULT 0,
    job_id TEXT,
    publishing INTEGER NOT NULL DEFAULT 0,
    request TEXT NOT NULL,
    columns TEXT,
    checked INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX queries_by_state ON queries (cluster_name, status, type, id);
  CREATE INDEX queries_by_label ON queries (cluster_name, label, id, status, type) WHERE label IS NOT NULL;

  CREATE TABLE catalog (
    database TEXT NOT NULL,
    name TEXT NOT NULL,
    format TEXT NOT NULL,
    columns TEXT NOT NULL,
    fingerprint TEXT,
    PRIMARY KEY (database, name)
  ) STRICT, WITHOUT ROWID;
  `,
  "CREATE INDEX queries_by_block ON queries (id >> 13, cluster_name, label, status, type) WHERE label IS NOT NULL;",
  `
  ALTER TABLE queries ADD COLUMN excerpt TEXT;
  ALTER TABLE queries ADD COLUMN end_time INTEGER;

  CREATE TABLE marks (
    starts INTEGER NOT NULL,
    ids_to INTEGER NOT NULL,
    closed INTEGER NOT NULL
  ) STRICT;
  INSERT INTO marks VALUES (0, 0, 1);
  `,
  `
  CREATE TABLE attempts (
    query_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    bucket TEXT NOT NULL,
    manifest TEXT,
    published INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (query_id, name)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE queries ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE queries ADD COLUMN published_epoch INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE attempts ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE attempts ADD COLUMN discarded INTEGER NOT NULL DEFAULT 0;
  `,
  "ALTER TABLE queries ADD COLUMN engine_handle TEXT;",
  // Of earlier selects, only the formats are known.
  `
  CREATE TABLE published (
    query_id INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    bucket TEXT NOT NULL,
    folder TEXT NOT NULL,
    format TEXT NOT NULL,
    columns TEXT,
    fingerprint TEXT,
    content TEXT
  ) STRICT;
  INSERT INTO published (query_id, type, bucket, folder, format)
    SELECT id, type, substr(path, 1, instr(path, '/') - 1), rtrim(substr(path, instr(path, '/') + 1), '/') || '/', format
    FROM (
      SELECT id, type, substr(json_extract(request, '$.outputResourcePath'), 7) AS path,
        json_extract(request, '$.outputFormat') AS format
      FROM queries WHERE type = 'select' AND status = 'finished'
    ) WHERE instr(path, '/') > 1;
  CREATE INDEX published_by_folder ON published (bucket, folder, query_id);
  CREATE INDEX published_by_content ON published (content, query_id) WHERE content IS NOT NULL;
  `,
  `
  CREATE TABLE jobs_to_end (
    id INTEGER PRIMARY KEY,
    query_id INTEGER NOT NULL,
    cluster_name TEXT NOT NULL,
    handle TEXT NOT NULL,
    since INTEGER NOT NULL
  ) STRICT;
  `,
  "ALTER TABLE queries ADD COLUMN row_count INTEGER;",
  `
  CREATE TABLE reads (
    query_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    bucket TEXT NOT NULL,
    folder TEXT NOT NULL,
    direct INTEGER NOT NULL,
    objects INTEGER,
    bytes INTEGER,
    fingerprint TEXT,
    PRIMARY KEY (query_id, kind, bucket, folder)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX reads_by_folder ON reads (bucket, folder, query_id);
  `,
  `
  CREATE TABLE lineage_runs (
    query_id INTEGER PRIMARY KEY,
    request TEXT NOT NULL,
    started INTEGER NOT NULL DEFAULT 0,
    failure TEXT
  ) STRICT;
  `,
];

/** First version of the schema that has the table `marks`. */
export const versionWithMarks = 3;

/** Returns the version of a state file; 0 for a new one. */
export function versionOf(database: DatabaseSync): number {
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  return version;
}

/** Migrates a state file to the newest version. @throws StateVersionError when a newer service wrote it */
export function migrate(database: DatabaseSync): void {
  const version = versionOf(database);
  if (version > migrations.length) {
    throw new StateVersionError(
      `its version ${version} was written by a newer dag-service, this one supports versions up to ${migrations.length}`,
    );
  }
  for (const [index, statements] of migrations.entries()) {
    if (index < version) continue;
    database.exec(`BEGIN IMMEDIATE; ${statements} PRAGMA user_version = ${index + 1}; COMMIT`);
  }
}
