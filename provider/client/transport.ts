/** Sends one request and reads its whole response. Does not retry and does not follow redirects. */
import { errors, type Dispatcher } from "undici";
import { CallTimeoutError, ConnectionError, MalformedAnswerError, TlsError, type ClientErrorDetails } from "./errors";
import { ConnectFailure, openDispatcher } from "./dispatcher";
import type { ClientSettings } from "./options";

/** A signed HTTP request. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path and query string below the endpoint. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Timeout for the response headers, in milliseconds. */
  readonly headersTimeout: number;
  readonly signal: AbortSignal;
}

/** An HTTP response with any status. */
export interface HttpResponse {
  readonly status: number;
  /** Returns the value of a header; `name` is in lower case. */
  header(name: string): string | undefined;
  readonly text: string;
}

/** The connections to one endpoint. */
export class Transport {
  readonly #dispatcher: Dispatcher;
  readonly #basePath: string;
  #closed: Promise<void> | undefined;

  constructor(
    private readonly settings: Pick<ClientSettings, "endpoint" | "timeouts" | "connections" | "maxResponseBytes">,
  ) {
    this.#basePath = settings.endpoint.pathname.replace(/\/+$/, "");
    this.#dispatcher = openDispatcher(settings, process.env);
  }

  /**
   * Sends a request.
   * @throws {ConnectionError} {TlsError} {CallTimeoutError} {MalformedAnswerError} with `details`; the signal's reason.
   */
  async send(request: HttpRequest, details: ClientErrorDetails): Promise<HttpResponse> {
    const { method, target, headers, body, headersTimeout, signal } = request;
    let status: number | undefined;
    try {
      const response = await this.#dispatcher.request({
        origin: this.settings.endpoint.origin,
        method,
        path: this.#basePath + target,
        headers,
        body: body ?? null,
        headersTimeout,
        signal,
      });
      status = response.statusCode;
      return {
        status,
        text: await response.body.text(),
        header: (name) => [response.headers[name]].flat()[0],
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

  /** Waits for running requests, then closes every connection. */
  close(): Promise<void> {
    this.#closed ??= this.#dispatcher.close();
    return this.#closed;
  }

  #failure(error: SystemError, details: ClientErrorDetails, headersTimeout: number): Error {
    const { endpoint, timeouts, maxResponseBytes } = this.settings;
    const at = `${details.operation} at ${endpoint.href}`;
    if (error instanceof ConnectFailure) return this.#connectFailure(error.cause as SystemError, at, details);
    const sentDetails = { ...details, sent: true, cause: error };
    if (error instanceof errors.HeadersTimeoutError) {
      return new CallTimeoutError("headers", `${at}: no response within ${headersTimeout} ms`, sentDetails);
    }
    if (error instanceof errors.BodyTimeoutError) {
      return new CallTimeoutError(
        "body",
        `${at}: no data of the response body received for ${timeouts.body} ms`,
        sentDetails,
      );
    }
    if (error instanceof errors.ResponseExceededMaxSizeError) {
      return new MalformedAnswerError(
        `${at}: the response is larger than maxResponseBytes ${maxResponseBytes}`,
        sentDetails,
      );
    }
    if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
      return new MalformedAnswerError(
        `${at}: the response is not valid HTTP (${reason(error)}); check the endpoint`,
        sentDetails,
      );
    }
    return new ConnectionError(
      `${at}: the connection broke before the whole response was received (${reason(error)})`,
      sentDetails,
    );
  }

  #connectFailure(cause: SystemError, at: string, details: ClientErrorDetails): Error {
    const unsentDetails = { ...details, sent: false, cause };
    if (cause instanceof errors.ConnectTimeoutError) {
      const message = `${at}: cannot connect within ${this.settings.timeouts.connect} ms; check the endpoint and the network`;
      return new CallTimeoutError("connect", message, unsentDetails);
    }
    if (tlsCode.test(cause.code ?? "")) {
      const remedy =
        "check that the endpoint supports https; set NODE_EXTRA_CA_CERTS to trust your own certificate authority";
      return new TlsError(`${at}: the TLS handshake failed (${reason(cause)}); ${remedy}`, unsentDetails);
    }
    const remedy = "check that the service is running and that the endpoint is correct";
    return new ConnectionError(`${at}: cannot connect (${reason(cause)}); ${remedy}`, unsentDetails);
  }
}

/** An error of Node.js or OpenSSL. */
type SystemError = Error & { readonly code?: string; readonly reason?: string };

/** Error codes of OpenSSL and of Node's certificate validation. */
const tlsCode =
  /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_|PATH_LENGTH_|EPROTO)/;

function reason(error: SystemError): string {
  // A host name with several addresses fails with one error per address.
  const causes: SystemError[] = error instanceof AggregateError ? error.errors : [error];
  return causes.map((cause) => cause.reason || cause.message || error.code || error.name).join("; ");
}
