/**
 * The state in one SQLite file (`node:sqlite`), with a write-ahead log: a write is on the disk when its method returns.
 */
import type { StateAdapter } from "../state-adapter";
import { SqliteAdmission } from "./admission";
import { SqliteAttemptSteps } from "./attempt-steps";
import { SqliteCatalog } from "./catalog";
import { ClusterRecords } from "./clusters";
import { SqliteDatabase } from "./database";
import { jobsToEndIn } from "./jobs-to-end";
import { SqliteLeases } from "./leases";
import { lineageRunsIn } from "./lineage-runs";
import { outputRecordsIn } from "./output-records";
import { SqliteQueries } from "./queries";
import { QueryPages } from "./query-pages";
import { readsIn } from "./reads";
import { SqliteRetention } from "./retention";
import { RunningQueries } from "./running-queries";
import { openStateFile, type StateFileOptions } from "./state-file";

export interface StateOptions extends StateFileOptions {
  /** The service's clock, for the times at which queries end. @default the system clock */
  readonly now?: () => number;
}

/** Tables whose rows {@link StateAdapter.reset} deletes. */
const resetTables = ["queries", "catalog", "published", "reads", "lineage_runs"] as const;

/**
 * Opens or creates a state file.
 * @throws {StateLossError} when the file is damaged or lost its end; {StateVersionError} for a newer version.
 */
export function openState(path: string, { now = Date.now, ...options }: StateOptions = {}): StateAdapter {
  const file = openStateFile(path, options);
  const database = new SqliteDatabase(path, file.database);
  const pages = new QueryPages(file.database);
  const clusters = new ClusterRecords(database);
  const running = new RunningQueries();
  const queries = new SqliteQueries({ database, clusters, running, pages });
  const catalog = new SqliteCatalog(database);
  const leases = new SqliteLeases(database, queries, running);
  return {
    queries,
    admission: new SqliteAdmission({ database, file, queries, clusters, running, leases }),
    attempts: new SqliteAttemptSteps({ database, running, catalog, now }),
    leases,
    catalog,
    retention: new SqliteRetention(database, () => queries.forgetEnded()),
    reads: readsIn(database),
    lineageRuns: lineageRunsIn(database),
    jobsToEnd: jobsToEndIn(database),
    outputRecords: outputRecordsIn(database),
    problem: () => database.problem(),
    reset: async () => {
      database.write(() =>
        database.transaction(() => {
          for (const table of resetTables) database.sql(`DELETE FROM ${table}`).run();
          clusters.reset();
        }),
      );
      queries.forgetEnded();
    },
    close: async () => file.close(),
  };
}
