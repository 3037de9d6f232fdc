/** What may begin, in PostgreSQL: each decision is one transaction or one statement. */
import { errors, type Location, type QueryStatus } from "../../../contract";
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
import { insertQuery, insertReservation, lockBucket, storeRestart } from "./admission-transactions";
import type { Database, Transaction } from "./connection";
import { endCancelled } from "./ends";
import { storeLineageRun } from "./lineage-runs";
import type { OwnAttempts } from "./own-attempts";
import { isAlive, type ProcessRegistry } from "./process-registry";
import { readQueries } from "./queries";
import { notify, type Signals } from "./signals";

/** Milliseconds that a cancelled query of another process has to end by itself. */
const cancelGrace = 700;
/** Milliseconds between two readings of a query that is awaited, besides notifications. */
const pollInterval = 100;

/** A reservation with its number in the table. */
interface NumberedReservation extends Reservation {
  readonly id: number;
}

interface AdmissionParts {
  readonly database: Database;
  readonly processes: ProcessRegistry;
  readonly attempts: OwnAttempts;
  readonly signals: Signals;
  readonly now: () => number;
}

export class PostgresAdmission implements Admission {
  /** Clusters whose logs this process exports. */
  readonly #exporting = new Set<string>();

  constructor(private readonly parts: AdmissionParts) {}

  async accept(submission: AcceptedQuery, conditions: AcceptConditions): Promise<Acceptance> {
    const { id: reservation } = (conditions.reservation as NumberedReservation | undefined) ?? {};
    const { database, attempts, processes } = this.parts;
    const accepted = await database.transaction(async (transaction): Promise<Acceptance> => {
      if (reservation !== undefined) await requireReservation(transaction, reservation);
      const result = await insertQuery(transaction, submission, conditions, { process: processes.id, reservation });
      if (!("id" in result)) return result;
      if (conditions.lineageRun) await storeLineageRun(transaction, result.id, conditions.lineageRun);
      const [query] = await readQueries(transaction, [result.id]);
      return { query: query! };
    });
    if (!accepted.refused) attempts.add(accepted.query);
    return accepted;
  }

  async cancel(id: number): Promise<boolean> {
    const rows = await this.parts.database.run(
      `UPDATE dag.queries SET cancelling = true WHERE id = $1 AND status = 'running' AND NOT publishing RETURNING id`,
      [id],
    );
    if (rows.length > 0) await notify(this.parts.database);
    return rows.length > 0;
  }

  async waitForCancelEnd(id: number): Promise<QueryStatus | undefined> {
    const started = performance.now();
    for (;;) {
      const [row] = await this.parts.database.run<{ status: QueryStatus }>(
        "SELECT status FROM dag.queries WHERE id = $1",
        [id],
      );
      if (row?.status !== "running") return row?.status;
      const isLate = performance.now() - started > cancelGrace;
      if (isLate && (await endCancelled(this.parts.database, id, this.parts.now()))) continue;
      await this.parts.signals.ended(id, pollInterval);
    }
  }

  async reserve(folder: Location, owner: string): Promise<Reservation | Overlap> {
    const { database, processes } = this.parts;
    let inserted: number | undefined;
    try {
      const result = await database.transaction(async (transaction) => {
        const found = await insertReservation(transaction, folder, owner, processes.id);
        if (!found.refused) inserted = found.id;
        return found;
      });
      if (result.refused) return result;
      const { id } = result;
      const release = () => this.#release("DELETE FROM dag.reservations WHERE id = $1", [id]);
      const reservation: NumberedReservation = { id, release };
      return reservation;
    } catch (error) {
      // At the latest, it ends with this process.
      if (inserted !== undefined) void this.#releaseLost(inserted, folder).catch(() => undefined);
      throw error;
    }
  }

  /** Releases a reservation whose commit was not answered: it may have been stored, or be stored yet. */
  #releaseLost(id: number, { bucket }: Location): Promise<void> {
    return this.#persistently(() =>
      this.parts.database.transaction(async (transaction) => {
        // The transaction that is not answered has the lock until it ends.
        await lockBucket(transaction, bucket);
        await transaction.run("DELETE FROM dag.reservations WHERE id = $1", [id]);
      }),
    );
  }

  async beginExport(clusterName: string): Promise<Reservation | undefined> {
    if (this.#exporting.has(clusterName)) return undefined;
    this.#exporting.add(clusterName);
    const { database, processes } = this.parts;
    const sql = "UPDATE dag.clusters SET exporter = NULL WHERE name = $1 AND exporter = $2";
    const release = async () => {
      try {
        await this.#release(sql, [clusterName, processes.id]);
      } finally {
        this.#exporting.delete(clusterName);
      }
    };
    try {
      // This process exports nothing of it: what the table says is left of an answer that was lost.
      const rows = await database.transaction(async (transaction) => {
        // A statement that waits for the row of another process does not look at its processes again: the next one does.
        await transaction.run("SELECT FROM dag.clusters WHERE name = $1 FOR UPDATE", [clusterName]);
        return await transaction.run(
          `UPDATE dag.clusters AS c SET exporter = $2 WHERE name = $1 AND NOT EXISTS
             (SELECT FROM dag.processes AS p WHERE p.id = c.exporter AND p.id <> $2 AND ${isAlive}) RETURNING name`,
          [clusterName, processes.id],
        );
      });
      if (rows.length > 0) return { release };
      this.#exporting.delete(clusterName);
      return undefined;
    } catch (error) {
      // It may have been stored; at the latest, it ends with this process.
      void release().catch(() => undefined);
      throw error;
    }
  }

  async registerCluster(name: string, { type, debug }: ClusterSettings): Promise<ClusterState> {
    const [row] = await this.parts.database.run<ClusterState & object>(
      `INSERT INTO dag.clusters AS c (name, type, debug, configured) VALUES ($1, $2, $3, $4)
       ON CONFLICT (name) DO UPDATE SET
         type = CASE WHEN c.configured = excluded.configured THEN c.type ELSE excluded.type END,
         debug = CASE WHEN c.configured = excluded.configured THEN c.debug ELSE excluded.debug END,
         configured = excluded.configured
       RETURNING type, debug, generation`,
      [name, type, debug, JSON.stringify({ type, debug })],
    );
    return row!;
  }

  async restartCluster(name: string, settings: ClusterSettings, force: boolean): Promise<RestartResult> {
    const result = await this.parts.database.transaction((transaction) =>
      storeRestart(transaction, name, settings, force),
    );
    if (!result.refused) await notify(this.parts.database);
    return result;
  }

  /** Releases what the end of the process releases too. */
  #release(sql: string, values: readonly unknown[]): Promise<void> {
    return this.#persistently(() => this.parts.database.run(sql, values));
  }

  async #persistently(work: () => Promise<unknown>): Promise<void> {
    try {
      await this.parts.database.persistently(work);
    } catch (error) {
      if (!(error instanceof errors.ServiceUnavailable)) throw error;
    }
  }
}

/** @throws ServiceUnavailable when the lease under which it was made has expired in between */
async function requireReservation(transaction: Transaction, id: number): Promise<void> {
  const found = await transaction.run("SELECT 1 FROM dag.reservations WHERE id = $1", [id]);
  if (found.length > 0) return;
  throw new errors.ServiceUnavailable("the service lost its reservation of the output folder: try again", {
    retryAfter: 1000,
  });
}
