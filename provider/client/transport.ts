/** Sends one request and reads its answer whole. Nothing is repeated and no redirect is followed here. */
import { buildConnector, errors, Pool } from "undici";
import { CallTimeoutError, ConnectionError, MalformedAnswerError, TlsError, type ClientErrorDetails } from "./errors";
import type { ClientSettings } from "./options";

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path and query string below the endpoint. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Milliseconds to wait for the head of the answer. */
  readonly headersTimeout: number;
  readonly signal: AbortSignal;
}

/** An answer, whatever its status. */
export interface WireAnswer {
  readonly status: number;
  /** A header's value by its name in lower case. */
  header(name: string): string | undefined;
  readonly text: string;
}

/** The connections to one endpoint. */
export class Transport {
  readonly #pool: Pool;
  readonly #basePath: string;
  #closed: Promise<void> | undefined;

  constructor(
    private readonly settings: Pick<ClientSettings, "endpoint" | "timeouts" | "connections" | "maxResponseBytes">,
  ) {
    const { endpoint, timeouts, connections, maxResponseBytes } = settings;
    this.#basePath = endpoint.pathname.replace(/\/+$/, "");
    this.#pool = new Pool(endpoint.origin, {
      connect: taggingConnector(timeouts.connect),
      connections,
      bodyTimeout: timeouts.body,
      maxResponseSize: maxResponseBytes,
      pipelining: 1,
      allowH2: false,
    });
  }

  /**
   * Sends a request.
   * @throws {ConnectionError} {CallTimeoutError} {MalformedAnswerError} with `details`, and the signal's reason.
   */
  async send(request: WireRequest, details: ClientErrorDetails): Promise<WireAnswer> {
    const { method, target, headers, body, headersTimeout, signal } = request;
    let status: number | undefined;
    try {
      const answer = await this.#pool.request({
        method,
        path: this.#basePath + target,
        headers,
        body: body ?? null,
        headersTimeout,
        signal,
      });
      status = answer.statusCode;
      return {
        status,
        text: await answer.body.text(),
        header: (name) => [answer.headers[name]].flat()[0],
      };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw this.#failure(
        error as SystemError,
        { ...details, ...(status !== undefined && { status }) },
        headersTimeout,
      );
    }
  }

  /** Lets running requests end, then closes every connection. */
  close(): Promise<void> {
    this.#closed ??= this.#pool.close();
    return this.#closed;
  }

  #failure(error: SystemError, details: ClientErrorDetails, headersTimeout: number): Error {
    const { endpoint, timeouts, maxResponseBytes } = this.settings;
    const at = `${details.operation} at ${endpoint.href}`;
    if (error instanceof ConnectFailure) return this.#connectFailure(error.cause as SystemError, at, details);
    const failed = { ...details, sent: true, cause: error };
    if (error instanceof errors.HeadersTimeoutError) {
      return new CallTimeoutError("headers", `${at}: no answer within ${headersTimeout} ms`, failed);
    }
    if (error instanceof errors.BodyTimeoutError) {
      return new CallTimeoutError("body", `${at}: the answer stopped coming for ${timeouts.body} ms`, failed);
    }
    if (error instanceof errors.ResponseExceededMaxSizeError) {
      return new MalformedAnswerError(`${at}: the answer is longer than maxResponseBytes ${maxResponseBytes}`, failed);
    }
    if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
      return new MalformedAnswerError(`${at}: the answer is not HTTP (${reason(error)}); check the endpoint`, failed);
    }
    return new ConnectionError(
      `${at}: the connection broke before the whole answer was there (${reason(error)})`,
      failed,
    );
  }

  #connectFailure(cause: SystemError, at: string, details: ClientErrorDetails): Error {
    const unsent = { ...details, sent: false, cause };
    if (cause instanceof errors.ConnectTimeoutError) {
      const message = `${at}: no connection within ${this.settings.timeouts.connect} ms; check the endpoint and the network`;
      return new CallTimeoutError("connect", message, unsent);
    }
    if (tlsCode.test(cause.code ?? "")) {
      const remedy =
        "check that the endpoint is an https one; NODE_EXTRA_CA_CERTS names certificates of an authority of your own";
      return new TlsError(`${at}: no TLS connection (${reason(cause)}); ${remedy}`, unsent);
    }
    const remedy = "check that the service runs and that the endpoint is right";
    return new ConnectionError(`${at}: no connection (${reason(cause)}); ${remedy}`, unsent);
  }
}

/** An error of Node.js or OpenSSL. */
type SystemError = Error & { readonly code?: string; readonly reason?: string };

/** Codes of OpenSSL and of Node's checks of certificates. */
const tlsCode =
  /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_|PATH_LENGTH_|EPROTO)/;

/** The connection was never made, so that nothing was sent. */
class ConnectFailure extends Error {}

function taggingConnector(timeout: number): buildConnector.connector {
  const connect = buildConnector({ timeout, allowH2: false });
  return (options, callback) => {
    connect(options, (...[error, socket]) => {
      if (error) callback(new ConnectFailure("not connected", { cause: error }), null);
      else callback(null, socket!);
    });
  };
}

function reason(error: SystemError): string {
  // A host name with several addresses fails with one error for each.
  const causes: SystemError[] = error instanceof AggregateError ? error.errors : [error];
  return causes.map((cause) => cause.reason || cause.message || error.code || error.name).join("; ");
}
