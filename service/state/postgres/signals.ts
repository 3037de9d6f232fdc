/**
 * Notifies other processes of changes, by LISTEN and NOTIFY on a connection of its own. A notification that is lost costs
 * time only: what it reports is in the tables, which each process reads every second.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type Transaction } from "./connection";

const channel = "dag_service";
/** Milliseconds between two tries to listen. */
const reconnectPause = 500;

/** Notifies every process that something has changed; with an ID, that this query has ended. */
export async function notify(database: Transaction, ended?: number): Promise<void> {
  await database.run("SELECT pg_notify($1, $2)", [channel, ended === undefined ? "" : String(ended)]);
}

/** Listens until it is closed. */
export class Signals {
  readonly #closed = new AbortController();
  readonly #waiting = new Map<number, Set<() => void>>();
  readonly #listening: Promise<void>;

  /** @param onChange called for every notification, and when notifications may have been lost. */
  constructor(
    private readonly url: string,
    private readonly onChange: () => void,
  ) {
    this.#listening = this.#listen();
  }

  /** Resolves when the end of a query is notified, or after some milliseconds. */
  async ended(id: number, milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiting.add(resolve));
    const timer = setTimeout(resolve, milliseconds);
    await promise;
    clearTimeout(timer);
    waiting.delete(resolve);
    if (waiting.size === 0) this.#waiting.delete(id);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#listening;
  }

  async #listen(): Promise<void> {
    const { signal } = this.#closed;
    const closed = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    while (!signal.aborted) {
      try {
        await using connection = await connect(this.url);
        connection.onNotification((payload) => this.#notified(payload));
        await connection.run(`LISTEN ${channel}`);
        this.onChange();
        await Promise.race([connection.ended, closed]);
      } catch {
        // The tables have what is missed, and their reader reports that the database is not available.
      }
      await sleep(reconnectPause, undefined, { signal }).catch(() => undefined);
    }
  }

  #notified(payload: string): void {
    if (payload === "") this.onChange();
    else for (const resolve of this.#waiting.get(Number(payload)) ?? []) resolve();
  }
}
