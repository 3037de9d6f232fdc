/** Checks that a server is what the config says. */
import { HiveConnectionError, HiveServerError } from "./client/errors";
import type { ServerAddress } from "./client/connection";
import { connectToAny } from "./client/servers";
import { HiveSession } from "./client/session";
import type { Dialect } from "./dialect";

/** Milliseconds that connecting and opening a session may take: less than the start of an engine may. */
const longest = { connect: 60_000, session: 40_000 } as const;

/** @throws HiveConnectionError that says what to correct when the server is another one or too old */
export async function checkServer(
  servers: readonly ServerAddress[],
  dialect: Dialect,
  signal: AbortSignal,
): Promise<void> {
  const connection = await connectToAny(servers, AbortSignal.any([signal, AbortSignal.timeout(longest.connect)]));
  const abort = () => connection.close();
  signal.addEventListener("abort", abort);
  try {
    // Another server may refuse the settings, with a reason that does not tell which one it is.
    const manner = { settings: {}, reason: dialect.reason };
    const user = connection.server.login?.user ?? "dag";
    const session = await HiveSession.open(connection, user, manner, longest.session);
    const { name, version } = await session.server();
    await session.close();
    const problem = serverProblem(dialect, name, version);
    if (problem !== undefined) throw new HiveConnectionError("other", connection.address, problem);
  } catch (error) {
    if (!(error instanceof HiveServerError)) throw error;
    throw new HiveConnectionError("login", connection.address, `refuses a session: ${error.message}`);
  } finally {
    signal.removeEventListener("abort", abort);
    connection.close();
  }
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
