/** Checks that a server is what the config says. */
import { HiveConnectionError } from "./client/errors";
import type { ServerAddress } from "./client/connection";
import { onFirst, openSession } from "./client/servers";
import type { HiveSession } from "./client/session";
import type { Dialect } from "./dialect";

/** Milliseconds that opening a session may take: less than the start of an engine may. */
const longest = 40_000;

/**
 * Returns a session of the first server that answers.
 * @throws HiveConnectionError that says what to correct when the server is another one or too old
 */
export function checkServer(
  servers: readonly ServerAddress[],
  dialect: Dialect,
  signal: AbortSignal,
): Promise<HiveSession> {
  // Another server may refuse the settings, with a reason that does not say which one it is.
  const sessionOptions = { settings: {}, reason: dialect.reason };
  return onFirst(servers, signal, async (connection, isLast) => {
    const session = await openSession(connection, isLast, sessionOptions, longest);
    const { name, version } = await session.server();
    const problem = serverProblem(dialect, name, version);
    if (problem !== undefined) throw new HiveConnectionError("other", connection.address, problem);
    return session;
  });
}

/**
 * Returns the error of the first contact with a server. One that expects TLS or a login, or neither, often closes the
 * connection without a word, or answers nothing, so the error names what may be wrong.
 */
export function firstContactError(error: unknown): unknown {
  if (!(error instanceof HiveConnectionError)) return error;
  const { problem, address, reason } = error;
  if (problem !== "lost" && problem !== "timeout" && problem !== "protocol") return error;
  return new HiveConnectionError(problem, address, `${reason}: check urls, auth and tls in the config`);
}

/** Returns what is wrong with a server of this name and version, as the end of a sentence. */
export function serverProblem(
  { server, product, name: dialect }: Dialect,
  name: string,
  version: string,
): string | undefined {
  if (name !== server.name) return `is "${name} ${version}" and not ${product}: correct dialect or urls in the config`;
  const [major = 0, minor = 0] = version.split(".").map((part) => Number.parseInt(part, 10) || 0);
  const [oldestMajor, oldestMinor] = server.oldest;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  return isOld
    ? `is ${product} ${version}, which the dialect ${dialect} does not support: use ${oldestMajor}.${oldestMinor} or later`
    : undefined;
}
