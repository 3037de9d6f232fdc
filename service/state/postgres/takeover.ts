/** Takes over the queries that no process runs, by beginning an attempt of each. */
import { errors } from "../../../contract";
import type { StateListener, StoredQuery } from "../../core/ports/state";
import type { Database } from "./connection";
import { locks } from "./locks";
import type { OwnAttempts } from "./own-attempts";
import { isAlive, isExpected, type ProcessRegistry } from "./process-registry";
import { readQueries } from "./queries";

/** Queries that a process takes over at a time; others may take the rest. */
const batchSize = 50;

/** SQL: the condition that no process runs a running query `q`, which is not being published under a hold. */
export const isOrphan = `q.status = 'running' AND coalesce(q.held_until, '-infinity') < now()
  AND NOT EXISTS (SELECT FROM dag.processes AS p WHERE p.id = q.runner AND ${isAlive})`;

/**
 * The condition that a process with the clusters $2 can run a running query `q`, or that no process has its cluster, nor had
 * it a short time ago: such a query can only fail, and a process that starts again runs it.
 */
const isForThis = `($2::text[] IS NULL OR q.cluster_name = ANY ($2)
  OR NOT EXISTS (SELECT FROM dag.processes AS p WHERE q.cluster_name = ANY (p.clusters) AND ${isExpected}))`;

export class Takeover {
  #running: Promise<void> | undefined;
  #isRequested = false;
  #isStopped = false;

  constructor(
    private readonly database: Database,
    private readonly processes: ProcessRegistry,
    private readonly attempts: OwnAttempts,
  ) {}

  /** Begins an attempt of each running query that no process runs. Returns these queries, oldest first. */
  async run(): Promise<StoredQuery[]> {
    const begun = await this.database.transaction(async (transaction) => {
      // One takeover after another: a row that another one has changed meanwhile is checked again by PostgreSQL, but not
      // the process that now runs it.
      await transaction.run("SELECT pg_advisory_xact_lock($1)", [locks.takeover]);
      await this.processes.renew(transaction);
      return await transaction.run<{ id: number; epoch: number }>(
        `UPDATE dag.queries SET runner = $1, epoch = epoch + 1, held_until = NULL WHERE id IN (
           SELECT id FROM dag.queries AS q WHERE ${isOrphan} AND ${isForThis} ORDER BY id LIMIT ${batchSize}
           FOR UPDATE SKIP LOCKED
         ) RETURNING id, epoch`,
        [this.processes.id, this.processes.clusters],
      );
    });
    for (const attempt of begun) this.attempts.add(attempt);
    try {
      return await readQueries(
        this.database,
        begun.map(({ id }) => id),
      );
    } catch (error) {
      // Nobody runs them here: the lease gives away the queries that this process does not know.
      for (const attempt of begun) this.attempts.remove(attempt);
      throw error;
    }
  }

  /** Takes over soon, and gives the queries to the listener. A request in the meantime is followed by another round. */
  request(listener: StateListener): void {
    this.#isRequested = true;
    if (!this.#isStopped) this.#running ??= this.#runRequested(listener);
  }

  /** Takes over no more: a query whose takeover is still answered is given up with the process. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Resolves after {@link stop} when nothing of this uses the database any more. */
  async stopped(): Promise<void> {
    await this.#running;
  }

  async #runRequested(listener: StateListener): Promise<void> {
    while (this.#isRequested && !this.#isStopped) {
      this.#isRequested = false;
      try {
        for (const query of await this.run()) if (!this.#isStopped) listener.takenOver(query);
      } catch (error) {
        // The next renewal finds them again when the database is available.
        if (!(error instanceof errors.ServiceUnavailable)) listener.takeoverFailed(error);
      }
    }
    this.#running = undefined;
  }
}
