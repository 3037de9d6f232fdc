/** The errors of a connection to a HiveServer2. None carries a message of a library. */

/** Why a server could not be used; `refused`: it opens no session, `other`: it is not the one that the config says. */
export type ConnectionProblem = "unreachable" | "timeout" | "lost" | "tls" | "login" | "refused" | "protocol" | "other";

/** A server could not be connected to, or its connection broke. */
export class HiveConnectionError extends Error {
  override readonly name = "HiveConnectionError";

  /** @param address such as `hive2://host:10000`. */
  constructor(
    readonly problem: ConnectionProblem,
    readonly address: string,
    readonly reason: string,
  ) {
    super(`${address} ${reason}`);
  }
}

/** The server refused a call, or a statement failed on it; the message is the server's reason, shortened. */
export class HiveServerError extends Error {
  override readonly name = "HiveServerError";

  constructor(
    reason: string,
    /** SQLSTATE, such as `42000`. */
    readonly sqlState: string | undefined,
    /** The server's own number of the error, such as Hive's 10007. */
    readonly code?: number | undefined,
  ) {
    super(reason);
  }
}

/** The server does not know a statement: it was restarted, or the statement's session has ended. */
export class UnknownStatementError extends HiveServerError {}

/** A statement was cancelled on the server, and not by its query. */
export class CanceledStatementError extends HiveServerError {}

/** The progress of a statement cannot be read; the statement goes on. */
export class ProgressError extends Error {
  override readonly name = "ProgressError";
}

/**
 * Describes the error of a socket by its code.
 * @param connected true when the connection had been made.
 */
export function socketError(address: string, error: NodeJS.ErrnoException, connected: boolean): HiveConnectionError {
  const { code = "unknown" } = error;
  if (tlsCodes.test(code)) {
    const why = certificateCodes[code] ?? `TLS failed (${code}): check tls in the config, and the server's settings`;
    return new HiveConnectionError("tls", address, why);
  }
  if (connected) return new HiveConnectionError("lost", address, `closed the connection (${code})`);
  return new HiveConnectionError("unreachable", address, connectCodes[code] ?? `cannot be connected to (${code})`);
}

const tlsCodes = /^(ERR_SSL|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|EPROTO)/;
const untrusted = "has a certificate that is not trusted: name its authority with tls.ca in the config";
const certificateCodes: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_HAS_EXPIRED: "has a certificate that has expired: renew it",
  ERR_TLS_CERT_ALTNAME_INVALID: "has a certificate for another host: use the name in its certificate in urls",
  ERR_SSL_WRONG_VERSION_NUMBER: "does not speak TLS: remove tls from the config, or turn on TLS in the server",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "does not speak TLS: remove tls from the config, or turn on TLS in the server",
};
const connectCodes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refuses connections: start the server, or correct urls in the config",
  ENOTFOUND: "has a host name that is not known: correct urls in the config",
  EAI_AGAIN: "has a host name that cannot be looked up now",
  EHOSTUNREACH: "cannot be reached from this machine",
  ENETUNREACH: "cannot be reached from this machine",
  ECONNRESET: "closed the connection while it was made: check urls and tls in the config",
  ETIMEDOUT: "did not answer",
};
