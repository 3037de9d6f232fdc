/** The sessions of an engine, each on a connection of its own. */
import { addressOf, HiveConnection, type ServerAddress } from "./client/connection";
import { onFirst, openSession } from "./client/servers";
import { HiveSession } from "./client/session";
import type { Dialect } from "./dialect";
import type { RunningStatement } from "./running-statement";

export class Sessions {
  /** The server ends a session, and what it runs, with its connection, unless {@link outlive} has asked it not to. */
  readonly #connections = new Set<HiveConnection>();

  constructor(
    private readonly servers: readonly ServerAddress[],
    private readonly dialect: Dialect,
  ) {}

  /** Opens a session on the first server that answers. @throws HiveConnectionError, or the signal's reason */
  open(signal: AbortSignal): Promise<HiveSession> {
    return onFirst(this.servers, signal, (connection, isLast) => {
      this.#add(connection);
      return openSession(connection, isLast, this.dialect);
    });
  }

  /** Returns the server of a statement that was kept, if it is still one of the config. */
  serverOf({ address }: RunningStatement): ServerAddress | undefined {
    return this.servers.find((server) => addressOf(server) === address);
  }

  /** Connects to the session of a statement that was kept. @throws HiveConnectionError, or the signal's reason */
  async attach(server: ServerAddress, { session }: RunningStatement, signal: AbortSignal): Promise<HiveSession> {
    const connection = await HiveConnection.open(server, signal);
    this.#add(connection);
    return HiveSession.attached(connection, session, this.dialect);
  }

  /**
   * Runs the statement after which a session outlives its connection; over a connection of its own, because a server that
   * runs one statement of a session after the other answers late.
   */
  async outlive(
    { connection: { server }, handle }: HiveSession,
    statement: string,
    signal: AbortSignal,
  ): Promise<void> {
    const connection = await HiveConnection.open(server, signal);
    this.#add(connection);
    try {
      await HiveSession.attached(connection, handle, this.dialect).run(statement);
    } finally {
      connection.close();
    }
  }

  /** Closes all connections. */
  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  #add(connection: HiveConnection): void {
    this.#connections.add(connection);
    void connection.ended.then(() => this.#connections.delete(connection));
  }
}
