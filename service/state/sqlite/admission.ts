/** What may begin, in the state file: a method that checks and changes does so in one turn, because it waits for nothing. */
import { excerptOf, limits, type Location, type QueryStatus } from "../../../contract";
import type {
  AcceptConditions,
  Acceptance,
  AcceptedQuery,
  Admission,
  ClusterSettings,
  ClusterState,
  Overlap,
  Reservation,
  RestartResult,
} from "../../core/ports/state";
import type { ClusterRecords } from "./clusters";
import type { SqliteDatabase } from "./database";
import type { SqliteLeases } from "./leases";
import { storeLineageRun } from "./lineage-runs";
import type { SqliteQueries } from "./queries";
import type { RunningQueries } from "./running-queries";
import type { StateFile } from "./state-file";

interface AdmissionTables {
  readonly database: SqliteDatabase;
  readonly file: StateFile;
  readonly queries: SqliteQueries;
  readonly clusters: ClusterRecords;
  readonly running: RunningQueries;
  readonly leases: SqliteLeases;
}

export class SqliteAdmission implements Admission {
  constructor(private readonly tables: AdmissionTables) {}

  async accept(submission: AcceptedQuery, conditions: AcceptConditions): Promise<Acceptance> {
    const { database, file, queries, running } = this.tables;
    const refusal = running.refusal(submission, conditions);
    if (refusal) return refusal;
    const { type, clusterName, accessKeyId, label, startTime, ...request } = submission;
    const statement = submission.type === "select" ? submission.query : "";
    const excerpt = statement.length > limits.listedStatement ? excerptOf(statement) : null;
    const { lineageRun } = conditions;
    const store = (id: number) => {
      database
        .sql(
          `INSERT INTO queries (id, type, status, cluster_name, access_key_id, label, start_time, request, excerpt, epoch)
         VALUES (?, ?, 'running', ?, ?, ?, ?, ?, ?, 1)`,
        )
        .run(id, type, clusterName, accessKeyId, label, startTime, JSON.stringify(request), excerpt);
      if (lineageRun) storeLineageRun(database, id, lineageRun);
    };
    return database.write(() => {
      const id = file.nextId();
      if (lineageRun) database.transaction(() => store(id));
      else store(id);
      running.add(id, submission, conditions);
      return { query: queries.read(id)! };
    });
  }

  async cancel(id: number): Promise<boolean> {
    const query = this.tables.running.get(id);
    if (!query || query.isPublishing) return false;
    query.isCancelled = true;
    // An acceptance may have been answered, and its run not begun yet.
    setImmediate(() => this.tables.leases.listener?.cancelled(id));
    return true;
  }

  async waitForCancelEnd(id: number): Promise<QueryStatus | undefined> {
    await this.tables.running.get(id)?.ended.promise;
    return this.tables.queries.read(id)?.status;
  }

  async reserve(folder: Location, owner: string): Promise<Reservation | Overlap> {
    return this.tables.running.reserve(folder, owner);
  }

  async beginExport(clusterName: string): Promise<Reservation | undefined> {
    return this.tables.running.beginExport(clusterName);
  }

  async registerCluster(name: string, configured: ClusterSettings): Promise<ClusterState> {
    const { clusters, running } = this.tables;
    return { ...clusters.register(name, configured), generation: running.generation(name) };
  }

  async restartCluster(name: string, { type, debug }: ClusterSettings, force: boolean): Promise<RestartResult> {
    const { clusters, queries, running } = this.tables;
    const ids = running.ids(name);
    if (ids.length > 0 && !force) return { refused: true, running: ids };
    clusters.restart(name, { type, debug });
    queries.forgetEnded();
    for (const id of ids) void this.cancel(id);
    return { cancelled: ids, cluster: { type, debug, generation: running.restart(name) } };
  }
}
