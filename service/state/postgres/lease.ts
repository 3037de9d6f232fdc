/**
 * The lease of a service process. While it is renewed, nobody else runs the process's queries; when it has expired,
 * another process takes each of them over by beginning a later attempt, and this one learns at its next renewal, or at
 * its next step, which of its attempts it has lost.
 */
import { errors } from "../../../contract";
import {
  confirmedMilliseconds,
  type ClusterState,
  type QueryAttempt,
  type StateListener,
} from "../../core/ports/state";
import type { Database } from "./connection";
import type { OwnAttempts } from "./own-attempts";
import { leaseEnd, leaseMilliseconds, type ProcessRegistry } from "./process-registry";
import { isOrphan, type Takeover } from "./takeover";

/** Milliseconds between two renewals. */
const renewalInterval = 1000;

/** What a lease needs of the process that has it. */
export interface LeaseParts {
  readonly database: Database;
  readonly processes: ProcessRegistry;
  readonly attempts: OwnAttempts;
  readonly takeover: Takeover;
}

export class Lease {
  /** Queries of this process that it does not know, as after an acceptance whose answer was lost. */
  #unknown = new Set<number>();
  #listener: StateListener | undefined;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;
  #isChanged = false;
  #closed = false;
  /** When the lease was renewed last, and from when on this process takes queries over, by `performance.now()`. */
  #renewedAt = 0;
  #takesOverFrom = 0;

  constructor(private readonly parts: LeaseParts) {}

  /** Begins to renew the lease, and to notify the listener of what others have changed. */
  listen(listener: StateListener): void {
    this.#listener = listener;
    this.#renewedAt = performance.now();
    this.#timer = setInterval(() => this.changed(), renewalInterval);
  }

  /** Reads soon what has changed. */
  changed(): void {
    if (!this.#listener || this.#closed) return;
    this.#isChanged = true;
    this.#renewing ??= this.#renewals().finally(() => (this.#renewing = undefined));
  }

  /**
   * Returns true when the attempt is the last one, and nobody takes the query over for some seconds. The answer holds
   * for the turn in which it arrives.
   */
  async confirm({ id, epoch }: QueryAttempt): Promise<boolean> {
    for (;;) {
      const sent = performance.now();
      const rows = await this.parts.database.persistently(() =>
        // A takeover at the same time waits for this row, and then sees that it is held.
        this.parts.database.run(
          `UPDATE dag.queries SET held_until = ${leaseEnd} WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING id`,
          [id, epoch],
        ),
      );
      if (rows.length === 0) return false;
      // False when the process was stopped, or the answer slow: the hold may have expired.
      if (performance.now() - sent < confirmedMilliseconds) return true;
    }
  }

  /** Ends the lease: other processes may take over at once. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#renewing;
    await this.parts.processes.remove();
  }

  async #renewals(): Promise<void> {
    while (this.#isChanged && !this.#closed) {
      this.#isChanged = false;
      try {
        await this.#renew();
      } catch (error) {
        // The next renewal may succeed; until then, nothing is published.
        if (!(error instanceof errors.ServiceUnavailable)) throw error;
      }
    }
  }

  async #renew(): Promise<void> {
    const listener = this.#listener!;
    const { database, processes, attempts, takeover } = this.parts;
    await processes.renew(database);
    this.#waitForOthers();
    await this.#storeProgress();
    const known = attempts.all();
    const rows = await database.run<QueryAttempt & { cancelling: boolean }>(
      "SELECT id, epoch, cancelling FROM dag.queries WHERE runner = $1 AND status = 'running'",
      [processes.id],
    );
    const stored = new Map(rows.map((row) => [row.id, row]));
    for (const attempt of known) {
      if (stored.get(attempt.id)?.epoch === attempt.epoch || !attempts.has(attempt)) continue;
      attempts.remove(attempt);
      listener.lost(attempt);
    }
    for (const { id, cancelling } of rows) if (cancelling) listener.cancelled(id);
    await this.#releaseUnknown(rows.map(({ id }) => id).filter((id) => !attempts.hasQuery(id)));
    const clusters = await database.run<ClusterState & { name: string }>(
      "SELECT name, type, debug, generation FROM dag.clusters",
    );
    for (const { name, ...cluster } of clusters) listener.restarted(name, cluster);
    const [orphan] = await database.run(`SELECT 1 FROM dag.queries AS q WHERE ${isOrphan} LIMIT 1`);
    if (orphan && performance.now() >= this.#takesOverFrom) takeover.request(listener);
  }

  /** After an outage of the database, the leases of all have expired: those who live get the time to renew them. */
  #waitForOthers(): void {
    const now = performance.now();
    if (now - this.#renewedAt > leaseMilliseconds / 2) this.#takesOverFrom = now + leaseMilliseconds;
    this.#renewedAt = now;
  }

  /** Gives queries away that were unknown at the last renewal too: an acceptance is not being answered for so long. */
  async #releaseUnknown(ids: readonly number[]): Promise<void> {
    const twice = ids.filter((id) => this.#unknown.has(id));
    this.#unknown = new Set(ids);
    if (twice.length === 0) return;
    await this.parts.database.run("UPDATE dag.queries SET runner = NULL WHERE id = ANY($1) AND runner = $2", [
      twice,
      this.parts.processes.id,
    ]);
  }

  async #storeProgress(): Promise<void> {
    const all = this.parts.attempts.takeProgress();
    if (all.length === 0) return;
    await this.parts.database.run(
      `UPDATE dag.queries AS q SET progress = n.progress, stage = n.stage, job_id = n.job_id,
         moved_time = n.moved_time
       FROM unnest($1::bigint[], $2::integer[], $3::double precision[], $4::integer[], $5::text[], $6::bigint[])
         AS n (id, epoch, progress, stage, job_id, moved_time)
       WHERE q.id = n.id AND q.epoch = n.epoch AND q.status = 'running'`,
      [
        all.map(({ id }) => id),
        all.map(({ epoch }) => epoch),
        all.map(({ progress }) => progress),
        all.map(({ stage }) => stage),
        all.map(({ jobId }) => jobId),
        all.map(({ movedTime }) => movedTime ?? null),
      ],
    );
  }
}
