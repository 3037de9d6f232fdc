/**
 * The lease of a service process. While it is renewed, nobody else runs the process's queries; when it has expired,
 * another process takes each of them over by beginning a later attempt, and this one learns at its next renewal, or at
 * its next step, which of its attempts it has lost.
 */
import { randomUUID } from "node:crypto";
import { errors } from "../../../contract";
import {
  confirmedMilliseconds,
  type ClusterState,
  type QueryAttempt,
  type QueryProgress,
  type StateListener,
} from "../../core/ports/state";
import { isAlive } from "./admission";
import type { Database, Transaction } from "./connection";

/** Milliseconds for which a lease holds after its renewal: longer than an answer of `confirm`, as clocks' rates differ. */
const leaseMilliseconds = 10_000;
/** Milliseconds between two renewals. */
const interval = 1000;
/** Queries that a process takes over at a time; others may take the rest. */
const takeOverBatch = 50;
/** Number of the lock of takeovers. */
const takeOverLock = 5_310_209;

const until = `now() + ${leaseMilliseconds} * interval '1 millisecond'`;

/** What other processes know of the config of this one. */
export interface ProcessConfig {
  /** The fields that all processes share, as hashes. */
  readonly shared: Readonly<Record<string, string>>;
  /** Names of its clusters. */
  readonly clusters: readonly string[];
}

export class Lease {
  readonly process = randomUUID();
  /** The attempts of this process, by the ID of their query. */
  readonly #attempts = new Map<number, number>();
  readonly #progress = new Map<number, QueryAttempt & QueryProgress>();
  /** Queries of this process that it does not know, as after an acceptance whose answer was lost. */
  #unknown = new Set<number>();
  #listener: StateListener | undefined;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;
  #isChanged = false;
  #closed = false;

  /** @param place name of the process on its machine, which no two running processes share. */
  constructor(
    private readonly database: Database,
    private readonly place: string,
    private readonly own: ProcessConfig | undefined,
  ) {}

  /** Registers the process. An earlier process of the same place has ended. */
  async begin(): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.run("DELETE FROM dag.processes WHERE place = $1", [this.place]);
      await this.#renew(transaction);
    });
  }

  /** Returns what the other living processes share, with their places. Those of older versions are left out. */
  async others(): Promise<{ readonly place: string; readonly config: Readonly<Record<string, string>> }[]> {
    return await this.database.run(
      `SELECT place, config FROM dag.processes AS p WHERE id <> $1 AND config IS NOT NULL AND ${isAlive} ORDER BY place`,
      [this.process],
    );
  }

  /** Begins to renew the lease and to tell the listener. */
  listen(listener: StateListener): void {
    this.#listener = listener;
    this.#timer = setInterval(() => this.changed(), interval);
  }

  /** Reads soon what has changed. */
  changed(): void {
    if (!this.#listener || this.#closed) return;
    this.#isChanged = true;
    this.#beating ??= this.#beats().finally(() => (this.#beating = undefined));
  }

  /** Notes an attempt that this process has begun. */
  add({ id, epoch }: QueryAttempt): void {
    this.#attempts.set(id, epoch);
    this.#unknown.delete(id);
  }

  /** Forgets an attempt that has ended. */
  remove({ id, epoch }: QueryAttempt): void {
    if (this.#attempts.get(id) === epoch) this.#attempts.delete(id);
    this.#progress.delete(id);
  }

  /** Notes the progress of an attempt, which the next renewal stores. */
  progress(attempt: QueryAttempt, { progress, stage, jobId, movedTime = null }: QueryProgress): void {
    const { id, epoch } = attempt;
    this.#progress.set(id, { id, epoch, progress, stage, jobId, movedTime });
  }

  /**
   * Returns true when the attempt is the last one, and nobody takes the query over for some seconds. The answer holds
   * for the turn in which it arrives.
   */
  async holds({ id, epoch }: QueryAttempt): Promise<boolean> {
    for (;;) {
      const sent = performance.now();
      const rows = await this.database.persistently(() =>
        // A takeover at the same time waits for this row, and then sees that it is held.
        this.database.run(
          `UPDATE dag.queries SET held_until = ${until} WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING id`,
          [id, epoch],
        ),
      );
      if (rows.length === 0) return false;
      // False when the process was stopped, or the answer slow: the hold may have expired.
      if (performance.now() - sent < confirmedMilliseconds) return true;
    }
  }

  /** Begins an attempt of each running query that no process runs. Returns their IDs. */
  async takeOver(): Promise<number[]> {
    const rows = await this.database.transaction(async (transaction) => {
      // One takeover after another: a row that another one has changed meanwhile is looked at again by PostgreSQL, but not
      // the process that now runs it.
      await transaction.run("SELECT pg_advisory_xact_lock($1)", [takeOverLock]);
      await this.#renew(transaction);
      return await transaction.run<{ id: number; epoch: number }>(
        `UPDATE dag.queries SET runner = $1, epoch = epoch + 1, held_until = NULL WHERE id IN (
           SELECT id FROM dag.queries AS q WHERE ${isOrphan} AND ${isForThis} ORDER BY id LIMIT ${takeOverBatch}
           FOR UPDATE SKIP LOCKED
         ) RETURNING id, epoch`,
        [this.process, this.own?.clusters],
      );
    });
    for (const row of rows) this.add(row);
    return rows.map(({ id }) => id).sort((a, b) => a - b);
  }

  /** Ends the lease: other processes may take over at once. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#beating;
    await this.database.run("DELETE FROM dag.processes WHERE id = $1", [this.process]).catch((error: unknown) => {
      // Without the database, the lease expires.
      if (!(error instanceof errors.ServiceUnavailable)) throw error;
    });
  }

  async #beats(): Promise<void> {
    while (this.#isChanged && !this.#closed) {
      this.#isChanged = false;
      try {
        await this.#beat();
      } catch (error) {
        // The next renewal may succeed; until then, nothing is published.
        if (!(error instanceof errors.ServiceUnavailable)) throw error;
      }
    }
  }

  async #beat(): Promise<void> {
    const listener = this.#listener!;
    await this.#renew(this.database);
    await this.#storeProgress();
    const known = new Map(this.#attempts);
    const rows = await this.database.run<QueryAttempt & { cancelling: boolean }>(
      "SELECT id, epoch, cancelling FROM dag.queries WHERE runner = $1 AND status = 'running'",
      [this.process],
    );
    const stored = new Map(rows.map((row) => [row.id, row]));
    for (const [id, epoch] of known) {
      if (stored.get(id)?.epoch === epoch || this.#attempts.get(id) !== epoch) continue;
      this.remove({ id, epoch });
      listener.lost({ id, epoch });
    }
    for (const { id, cancelling } of rows) if (cancelling) listener.cancelled(id);
    await this.#releaseUnknown(rows.map(({ id }) => id).filter((id) => !this.#attempts.has(id)));
    const clusters = await this.database.run<ClusterState & { name: string }>(
      "SELECT name, type, debug, generation FROM dag.clusters",
    );
    for (const { name, ...cluster } of clusters) listener.restarted(name, cluster);
    const [orphan] = await this.database.run(`SELECT 1 FROM dag.queries AS q WHERE ${isOrphan} LIMIT 1`);
    if (orphan) listener.orphaned();
  }

  /** Gives queries away that were unknown at the last renewal too: an acceptance is not being answered for so long. */
  async #releaseUnknown(ids: readonly number[]): Promise<void> {
    const twice = ids.filter((id) => this.#unknown.has(id));
    this.#unknown = new Set(ids);
    if (twice.length === 0) return;
    await this.database.run("UPDATE dag.queries SET runner = NULL WHERE id = ANY($1) AND runner = $2", [
      twice,
      this.process,
    ]);
  }

  async #storeProgress(): Promise<void> {
    const all = [...this.#progress.values()];
    if (all.length === 0) return;
    this.#progress.clear();
    await this.database.run(
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

  async #renew(database: Transaction): Promise<void> {
    await database.run(
      `INSERT INTO dag.processes (id, place, lease_until, config, clusters) VALUES ($1, $2, ${until}, $3, $4)
       ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`,
      [this.process, this.place, this.own && JSON.stringify(this.own.shared), this.own?.clusters],
    );
  }
}

/** The condition that no process runs a running query `q`, which is not being published under a hold. */
const isOrphan = `q.status = 'running' AND coalesce(q.held_until, '-infinity') < now()
  AND NOT EXISTS (SELECT FROM dag.processes AS p WHERE p.id = q.runner AND ${isAlive})`;

/** The condition that a process with the clusters $2 can run a running query `q`, or that no living process has its cluster. */
const isForThis = `($2::text[] IS NULL OR q.cluster_name = ANY ($2)
  OR NOT EXISTS (SELECT FROM dag.processes AS p WHERE q.cluster_name = ANY (p.clusters) AND ${isAlive}))`;
