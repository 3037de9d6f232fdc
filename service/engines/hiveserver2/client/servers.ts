/** Opens connections to the first of several servers that takes them. */
import { HiveConnection, type ServerAddress } from "./connection";
import { HiveConnectionError } from "./errors";

/**
 * Connects to the first server that takes the connection, in the order of the list.
 * @throws HiveConnectionError of the last one when none does; a refused login is not tried elsewhere
 */
export async function connectToAny(servers: readonly ServerAddress[], signal: AbortSignal): Promise<HiveConnection> {
  let last: unknown;
  for (const server of servers) {
    try {
      return await HiveConnection.open(server, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof HiveConnectionError) || error.problem === "login") throw error;
      last = error;
    }
  }
  throw last;
}
