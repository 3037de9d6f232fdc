/**
 * The connection over which statements are cancelled: an answer to a cancellation may take minutes, and must not wait
 * behind another call. It also tells that a server is there.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { HiveConnection, type ServerAddress } from "./client/connection";
import { HiveConnectionError } from "./client/errors";
import { connectToAny } from "./client/servers";
import { cancelOperation } from "./client/session";
import type { Handle } from "./client/thrift";

/** Milliseconds that a cancellation may take. */
const cancelMilliseconds = 300_000;
/** Milliseconds without any server after which the engine ends, and between two attempts to connect. */
const outage = { longest: 30_000, pause: 1000 } as const;

export class ControlConnections {
  /** Resolves with the reason when no server has answered for a while. */
  readonly lost: Promise<string>;
  readonly #lost = Promise.withResolvers<string>();
  readonly #closed = new AbortController();
  readonly #cancelling = new Set<HiveConnection>();

  /** Connects to a server. @throws HiveConnectionError when none takes the connection */
  static async open(servers: readonly ServerAddress[], signal: AbortSignal): Promise<ControlConnections> {
    return new ControlConnections(servers, await connectToAny(servers, signal));
  }

  private constructor(
    private readonly servers: readonly ServerAddress[],
    connection: HiveConnection,
  ) {
    this.lost = this.#lost.promise;
    void this.#watch(connection);
  }

  /** Cancels a statement on the server that runs it. @throws HiveConnectionError */
  async cancel(server: ServerAddress, operation: Handle): Promise<void> {
    const connection = await HiveConnection.open(server, this.#closed.signal);
    this.#cancelling.add(connection);
    try {
      await cancelOperation(connection, operation, cancelMilliseconds);
    } finally {
      this.#cancelling.delete(connection);
      connection.close();
    }
  }

  close(): void {
    this.#closed.abort(new HiveConnectionError("lost", "the engine", "was closed"));
    for (const connection of this.#cancelling) connection.close();
  }

  async #watch(first: HiveConnection): Promise<void> {
    const { signal } = this.#closed;
    let connection: HiveConnection | undefined = first;
    let since = performance.now();
    let reason = "";
    while (!signal.aborted) {
      if (connection) {
        const open = connection;
        const close = () => open.close();
        signal.addEventListener("abort", close);
        reason = (await open.ended).message;
        signal.removeEventListener("abort", close);
        since = performance.now();
        connection = undefined;
      }
      if (performance.now() - since > outage.longest) return this.#lost.resolve(reason);
      try {
        connection = await connectToAny(this.servers, signal);
      } catch (error) {
        reason = (error as Error).message;
        await sleep(outage.pause, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
