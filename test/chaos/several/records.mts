/** Watches the database: who runs which query, and how long a query waits for another process when its own has gone. */
import { setTimeout as sleep } from "node:timers/promises";
import { Pool, type QueryResultRow } from "pg";
import type { Findings } from "./findings.mts";

/** Milliseconds within which another process begins a query of a process that has gone, or ends it. */
const longestTakeover = 25_000;
/** Milliseconds between two looks. */
const interval = 50;

/** A query as the database has it. */
export interface StoredRecord {
  readonly id: number;
  readonly label: string;
  readonly type: "select" | "split";
  readonly cluster: string;
  readonly status: string;
  readonly epoch: number;
  readonly runner: string | null;
}

const fields = "id, convert_from(label, 'UTF8') AS label, type, cluster_name AS cluster, status, epoch, runner";

export class Records {
  /** Milliseconds from the end of a process to the begin of each of its queries elsewhere. */
  readonly takeovers: number[] = [];
  /** Attempts that began although the process of the earlier one was there: its lease had expired. */
  takenFromLiving = 0;
  /** Queries whose process went, and that ended before another one began them. */
  endedInstead = 0;
  /** The most queries that ran at a time, by cluster. */
  readonly most = new Map<string, number>();
  readonly #findings: Findings;
  /** When each process went, by its name. */
  readonly #gone = new Map<string, number>();
  readonly #known = new Set<string>();
  #running = new Map<number, StoredRecord>();
  readonly #late = new Set<number>();
  readonly #stop = new AbortController();
  readonly #watching: Promise<void>;

  readonly #pool: Pool;

  constructor(url: string, findings: Findings) {
    this.#findings = findings;
    this.#pool = new Pool({ connectionString: url, max: 2, connectionTimeoutMillis: 5000, query_timeout: 10_000 });
    // A connection that breaks is replaced by the next use.
    this.#pool.on("error", () => undefined);
    this.#watching = this.#watch();
  }

  /** Returns the name of the process that has just begun. */
  async newProcess(): Promise<string> {
    for (;;) {
      const rows = await this.#ask<{ id: string }>("SELECT id FROM dag.processes");
      const name = rows?.find(({ id }) => !this.#known.has(id))?.id;
      if (name !== undefined) {
        this.#known.add(name);
        return name;
      }
      await sleep(interval);
    }
  }

  /** Notes that a process runs nothing from now on. */
  hasGone(runner: string): void {
    this.#gone.set(runner, performance.now());
  }

  /** Notes that a stopped process goes on. */
  isBack(runner: string): void {
    this.#gone.delete(runner);
  }

  /** Returns the queries that a process ran when the database was looked at last. */
  runBy(runner: string): StoredRecord[] {
    return [...this.#running.values()].filter((query) => query.runner === runner);
  }

  /** Returns all queries. */
  async all(): Promise<StoredRecord[]> {
    return await this.#insist<StoredRecord & object>(`SELECT ${fields} FROM dag.queries ORDER BY id`);
  }

  /** Returns the number of attempts that are noted as not swept. */
  async attempts(): Promise<number> {
    return (await this.#insist("SELECT 1 FROM dag.attempts")).length;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const rows = await this.#ask<StoredRecord & object>(
        `SELECT ${fields} FROM dag.queries WHERE status = 'running' ORDER BY id`,
      );
      if (rows) this.#look(rows);
      await sleep(interval);
    }
    await this.#pool.end();
  }

  #look(rows: readonly StoredRecord[]): void {
    const now = performance.now();
    const before = this.#running;
    this.#running = new Map(rows.map((row) => [row.id, row]));
    for (const cluster of new Set(rows.map((row) => row.cluster))) {
      const { length } = rows.filter((row) => row.cluster === cluster);
      this.#most(cluster, length);
    }
    for (const { id, epoch, runner } of before.values()) {
      const gone = runner === null ? undefined : this.#gone.get(runner);
      const current = this.#running.get(id);
      if (!current) {
        if (gone !== undefined) this.endedInstead += 1;
      } else if (current.epoch !== epoch) {
        if (gone === undefined) this.takenFromLiving += 1;
        else this.takeovers.push(now - gone);
      } else if (gone !== undefined && now - gone > longestTakeover && !this.#late.has(id)) {
        this.#late.add(id);
        this.#findings.push(
          `late: query ${id} was not taken over ${longestTakeover / 1000} s after its process had gone`,
        );
      }
    }
  }

  #most(cluster: string, count: number): void {
    this.most.set(cluster, Math.max(count, this.most.get(cluster) ?? 0));
  }

  /** Asks the database until it answers. */
  async #insist<Row extends QueryResultRow>(sql: string): Promise<Row[]> {
    for (;;) {
      const rows = await this.#ask<Row>(sql);
      if (rows) return rows;
      await sleep(interval);
    }
  }

  /** Asks the database; undefined while it is not there. */
  async #ask<Row extends QueryResultRow>(sql: string): Promise<Row[] | undefined> {
    try {
      const { rows } = await this.#pool.query<Row>(sql);
      return rows.map((row) => ("epoch" in row ? { ...row, id: Number(row["id"]) } : row));
    } catch {
      return undefined;
    }
  }
}
