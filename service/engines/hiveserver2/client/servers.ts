/** Connects to the first of several servers that answers. */
import { HiveConnection, type ServerAddress } from "./connection";
import { HiveConnectionError, HiveServerError } from "./errors";
import { HiveSession, type SessionOptions, sessionMilliseconds } from "./session";

/** Milliseconds that a server may take to open a session when another one can be asked. */
const passedOverAfter = 20_000;

/**
 * Connects to the first server for which the use of the connection succeeds, in the order of the list: a connection alone
 * does not show that a server is there, because a load balancer takes it too. An abort closes the connection.
 * @param use gets the connection, and whether no other server can be tried
 * @throws HiveConnectionError of the last one, with what the others have, when none does; a refused login is not tried
 *   elsewhere, and a refused session is
 */
export async function onFirst<Result>(
  servers: readonly ServerAddress[],
  signal: AbortSignal,
  use: (connection: HiveConnection, isLast: boolean) => Promise<Result>,
): Promise<Result> {
  const failures: HiveConnectionError[] = [];
  for (const [index, server] of servers.entries()) {
    let connection: HiveConnection | undefined;
    const abort = () => connection?.close();
    signal.addEventListener("abort", abort);
    try {
      connection = await HiveConnection.open(server, signal);
      return await use(connection, index === servers.length - 1);
    } catch (error) {
      connection?.close();
      signal.throwIfAborted();
      const isFinal = !(error instanceof HiveConnectionError) || error.problem === "login" || error.problem === "other";
      if (isFinal) throw error;
      failures.push(error);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }
  const { problem, address, reason } = failures.pop()!;
  throw new HiveConnectionError(problem, address, [reason, ...failures.map(({ message }) => message)].join("; "));
}

/**
 * Opens a session on a connection of {@link onFirst}.
 * @param milliseconds that it may take when no other server can be tried
 * @throws HiveConnectionError, also when the server refuses it
 */
export async function openSession(
  connection: HiveConnection,
  isLast: boolean,
  sessionOptions: SessionOptions,
  milliseconds: number = sessionMilliseconds,
): Promise<HiveSession> {
  const user = connection.server.login?.user ?? "dag";
  const longest = isLast ? milliseconds : Math.min(milliseconds, passedOverAfter);
  try {
    return await HiveSession.open(connection, user, sessionOptions, longest);
  } catch (error) {
    if (!(error instanceof HiveServerError)) throw error;
    throw new HiveConnectionError("refused", connection.address, `refuses a session: ${error.message}`);
  }
}
