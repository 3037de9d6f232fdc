/**
 * The state in a PostgreSQL database, for any number of service processes: every answer comes from the tables, and each
 * decision is one transaction or one statement.
 */
import type { QueryLogStore } from "../query-logs";
import type { StateAdapter } from "../state-adapter";
import { PostgresAdmission } from "./admission";
import { PostgresAttemptSteps } from "./attempt-steps";
import { catalogIn } from "./catalog";
import { Database } from "./connection";
import { jobsToEndIn } from "./jobs-to-end";
import { Lease } from "./lease";
import { lineageRunsIn } from "./lineage-runs";
import { outputRecordsIn } from "./output-records";
import { OwnAttempts } from "./own-attempts";
import { ProcessRegistry, type OtherProcess, type ProcessConfig } from "./process-registry";
import { queriesIn } from "./queries";
import { PostgresQueryLogs } from "./query-logs";
import { readsIn } from "./read-records";
import { retentionIn } from "./retention";
import { migrate } from "./schema";
import { notify, Signals } from "./signals";
import { Takeover } from "./takeover";

/** Milliseconds for which the steps of a process that stops wait for the database. */
const stopGrace = 3000;

export interface PostgresOptions {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE` */
  readonly url: string;
  /** Name of this process, which no two running processes share: the queries of its earlier run are taken over at once. */
  readonly processName: string;
  /** The service's clock, for the times at which queries end. @default the system clock */
  readonly now?: () => number;
  /** What other processes know of this one. @default nothing: it takes over the queries of every cluster */
  readonly config?: ProcessConfig | undefined;
}

/** A state that belongs to one data folder, or to several where processes share no folder. */
export interface SharedState extends StateAdapter {
  /** For processes that share no folder. */
  readonly queryLogs: QueryLogStore;
  /** The state's own name, and true for the first caller ever: its data folder is to be bound to it. */
  bind(): Promise<{ readonly id: string; readonly isFirst: boolean }>;
  /** The other living processes, and what they share of their config. */
  listProcesses(): Promise<OtherProcess[]>;
}

/** Tables whose rows {@link StateAdapter.reset} deletes. */
const resetTables = ["queries", "catalog", "published", "reads", "lineage_runs", "query_logs"] as const;

/**
 * Opens the state and creates or migrates its tables.
 * @throws {StateVersionError} for a newer version; ServiceUnavailable, DatabaseError when the database cannot be used.
 */
export async function openPostgresState(options: PostgresOptions): Promise<SharedState> {
  const { url, processName, now = Date.now, config } = options;
  const database = new Database(url);
  try {
    await database.transaction(migrate);
    const processes = new ProcessRegistry(database, processName, config);
    await processes.register();
    return stateIn(database, processes, now);
  } catch (error) {
    await database.close();
    throw error;
  }
}

function stateIn(database: Database, processes: ProcessRegistry, now: () => number): SharedState {
  const own = new OwnAttempts();
  const takeover = new Takeover(database, processes, own);
  const lease = new Lease({ database, processes, attempts: own, takeover });
  const signals = new Signals(database.url, () => lease.changed());
  let closing: Promise<void> | undefined;
  const close = async () => {
    takeover.stop();
    // A takeover renews the lease too.
    await takeover.stopped();
    await lease.close();
    await notify(database).catch(() => undefined);
    await signals.close();
    await database.close();
  };
  return {
    queries: queriesIn(database),
    admission: new PostgresAdmission({ database, processes, attempts: own, signals, now }),
    attempts: new PostgresAttemptSteps({ database, lease, attempts: own, now }),
    leases: {
      listen: (listener) => lease.listen(listener),
      takeOver: () => takeover.run(),
      beginShutdown: () => {
        takeover.stop();
        database.giveUpIn(stopGrace);
      },
    },
    catalog: catalogIn(database),
    retention: retentionIn(database),
    reads: readsIn(database),
    lineageRuns: lineageRunsIn(database),
    jobsToEnd: jobsToEndIn(database, processes.id),
    outputRecords: outputRecordsIn(database),
    queryLogs: new PostgresQueryLogs(database),
    bind: async () => {
      const first = await database.run("UPDATE dag.identity SET bound = true WHERE NOT bound RETURNING id");
      const [row] = await database.run<{ id: string }>("SELECT id FROM dag.identity");
      return { id: row!.id, isFirst: first.length > 0 };
    },
    listProcesses: () => processes.others(),
    problem: () =>
      database.isAvailable
        ? undefined
        : "the database of the service's state does not answer: start it, or check the network",
    reset: async () => {
      await database.transaction(async (transaction) => {
        for (const table of resetTables) await transaction.run(`DELETE FROM dag.${table}`);
        await transaction.run("UPDATE dag.clusters SET rebooted_to = 0");
      });
    },
    close: () => (closing ??= close()),
  };
}
