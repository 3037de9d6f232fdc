/** Opens the connections to an endpoint: direct, or through the proxy that the environment names. */
import { buildConnector, EnvHttpProxyAgent, Pool, type Dispatcher } from "undici";
import { InvalidClientOptionError } from "./errors";
import type { ClientSettings } from "./options";

type Environment = Readonly<Record<string, string | undefined>>;

/** The connection was not established, so nothing was sent. */
export class ConnectFailure extends Error {}

/**
 * Returns the dispatcher for an endpoint. Loopback addresses are always direct. Through a proxy, the same limits apply.
 * @throws {InvalidClientOptionError} when the URL of the proxy is not valid.
 */
export function openDispatcher(
  {
    endpoint,
    timeouts,
    connections,
    maxResponseBytes,
  }: Pick<ClientSettings, "endpoint" | "timeouts" | "connections" | "maxResponseBytes">,
  environment: Environment,
): Dispatcher {
  const connect = buildConnector({ timeout: timeouts.connect, allowH2: false });
  const limits = {
    connections,
    bodyTimeout: timeouts.body,
    maxResponseSize: maxResponseBytes,
    pipelining: 1,
    allowH2: false,
  };
  if (isLoopback(endpoint.hostname) || !namesProxy(environment)) {
    return new Pool(endpoint.origin, { ...limits, connect: taggingConnector(connect) });
  }
  try {
    return new EnvHttpProxyAgent({
      ...limits,
      connectTimeout: timeouts.connect,
      connect,
      // The agent passes the limits to some of its pools only.
      factory: (origin, options) => {
        const connector = (options as { readonly connect: buildConnector.connector }).connect;
        return new Pool(origin, { ...limits, connect: taggingConnector(connector) });
      },
    });
  } catch (cause) {
    throw new InvalidClientOptionError(
      "HTTP_PROXY or HTTPS_PROXY is not the URL of a proxy; set it to a URL such as http://proxy.example.com:3128",
      { cause },
    );
  }
}

function namesProxy(environment: Environment): boolean {
  return ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"].some((name) => Boolean(environment[name]));
}

/** Returns true for a name of this machine itself. */
export function isLoopback(hostname: string): boolean {
  return /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost)$/.test(hostname);
}

/** Makes the failures of a connector recognizable. */
function taggingConnector(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...[error, socket]) => {
      if (error) callback(new ConnectFailure("cannot connect", { cause: error }), null);
      else callback(null, socket!);
    });
  };
}
