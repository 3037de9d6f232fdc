/**
 * The connection over which statements are cancelled: an answer to a cancellation may take minutes, and must not wait
 * behind another call.
 */
import { HiveConnection, type ServerAddress } from "./client/connection";
import { HiveConnectionError } from "./client/errors";
import { cancelOperation } from "./client/session";
import type { Handle } from "./client/thrift";

/** Milliseconds that a cancellation may take, and with it the end of its statement's session. */
export const cancelMilliseconds = 300_000;

export class ControlConnections {
  readonly #closed = new AbortController();
  readonly #cancelling = new Set<HiveConnection>();

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
}
