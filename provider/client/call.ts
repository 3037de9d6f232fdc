/** Calls operations: validates and signs requests, retries them when that is safe, and decodes responses. */
import {
  ApiError,
  apiError,
  authorization,
  dateHeaderName,
  formatParentRun,
  parentRunHeader,
  type ApiErrorDetails,
  type OperationName,
  type ResponseBody,
} from "../../contract";
import { isLoopback } from "./dispatcher";
import { decodeResponse } from "./response";
import { CallAbortedError, CallTimeoutError, ClientError, mayHaveBeenCarriedOut } from "./errors";
import { requireMilliseconds, requireWholeNumber, type CallOptions, type ClientSettings } from "./options";
import { encodeRequest, type EncodedRequest } from "./request";
import { RetryPolicy } from "./retry";
import { ServiceTime } from "./service-time";
import { Transport, type HttpResponse } from "./transport";
import { withoutSignature } from "./without-signature";
import { classifyFailure } from "./failure-classification";

/** Options of one attempt of a call. */
interface AttemptOptions extends Pick<CallOptions, "parentRun"> {
  readonly headersTimeout: number;
  readonly signal: AbortSignal;
}

/** Makes calls that share one connection pool, one retry quota and one clock offset. */
export class OperationCaller {
  readonly #transport: Transport;
  readonly #time: ServiceTime;
  readonly #retry: RetryPolicy;
  readonly #closed = new AbortController();
  readonly #settings: ClientSettings;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
    this.#transport = new Transport(settings);
    this.#time = new ServiceTime(
      settings.clock,
      isLoopback(settings.endpoint.hostname) ? Number.POSITIVE_INFINITY : undefined,
    );
    this.#retry = new RetryPolicy(settings.clock);
  }

  /**
   * Calls an operation.
   * @throws the ApiError of the response or of the first invalid field of the request; a ClientError for any other
   * failure.
   */
  async call<Name extends OperationName>(
    name: Name,
    request: object,
    options: CallOptions = {},
  ): Promise<ResponseBody<Name>> {
    return (await this.send(encodeRequest(name, request), options)) as ResponseBody<Name>;
  }

  /** Sends an encoded request and returns the body of its response. Throws like {@link call}. */
  async send(encoded: EncodedRequest, options: CallOptions = {}): Promise<unknown> {
    const { clock, timeouts } = this.#settings;
    const longRunning = encoded.method === "PUT";
    const timeout = requireMilliseconds("timeout", options.timeout ?? (longRunning ? timeouts.work : timeouts.call));
    const maxRetries = requireWholeNumber("maxRetries", options.maxRetries ?? this.#settings.maxRetries, 0);
    const timeoutController = new AbortController();
    const timer = setTimeout(() => timeoutController.abort(new Error(`timeout of ${timeout} ms reached`)), timeout);
    const signal = AbortSignal.any([
      timeoutController.signal,
      this.#closed.signal,
      ...(options.signal ? [options.signal] : []),
    ]);
    const classify = (error: unknown) => classifyFailure(encoded.method, error);
    let sent = false;
    const attempt = async () => {
      signal.throwIfAborted();
      const sentBefore = sent;
      sent = true;
      try {
        return await this.#attempt(encoded, {
          headersTimeout: longRunning ? timeout : timeouts.headers,
          signal,
          parentRun: options.parentRun,
        });
      } catch (error) {
        sent = sentBefore || mayHaveBeenCarriedOut(error);
        throw error;
      }
    };
    try {
      const deadline = clock.now() + timeout;
      return await this.#retry.run(attempt, { classify, maxRetries, signal, deadline });
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) {
        // The last try may not have arrived, but an earlier one may have.
        if (sent && error instanceof ClientError) Object.assign(error, { sent });
        throw error;
      }
      const { operation, resource } = encoded;
      const details = { operation, resource, sent, cause: error };
      const at = `${operation} at ${this.#settings.endpoint.href}`;
      if (error !== timeoutController.signal.reason) throw new CallAbortedError(`${at}: the call was aborted`, details);
      throw new CallTimeoutError("call", `${at}: the call did not finish within ${timeout} ms`, details);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Aborts running calls with CallAborted and closes every connection. */
  async close(reason: Error): Promise<void> {
    this.#closed.abort(reason);
    await this.#transport.close();
  }

  /** Sends the request once, and once more when the service rejects its date: then with the time of the response. */
  async #attempt(request: EncodedRequest, options: AttemptOptions): Promise<unknown> {
    const response = await this.#send(request, options);
    try {
      return this.#decode(request, response);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "RequestTimeTooSkewed") throw error;
      const problem = this.#time.synchronize(response.header("date"));
      if (problem !== undefined) {
        throw apiError(error.code, `${error.message}; ${problem}`, { ...error, cause: error } as ApiErrorDetails);
      }
      return this.#decode(request, await this.#send(request, options));
    }
  }

  async #send(
    { operation, method, target, resource, body }: EncodedRequest,
    { headersTimeout, signal, parentRun }: AttemptOptions,
  ): Promise<HttpResponse> {
    const contentType = body === undefined ? undefined : "application/json";
    const date = this.#time.dateHeader();
    const { ownDateHeader, headerPrefix } = this.#settings;
    const dateHeader = ownDateHeader ? dateHeaderName(headerPrefix) : undefined;
    const signed = { method, target, contentType, date, dateHeader };
    const credentials = authorization(signed, this.#settings, this.#settings.signatureScheme);
    const headers = {
      accept: "application/json",
      [dateHeader ?? "date"]: date,
      authorization: credentials,
      ...(contentType !== undefined && { "content-type": contentType }),
      ...(parentRun && { [parentRunHeader]: formatParentRun(parentRun) }),
    };
    const sent = { method, target, headers, body, headersTimeout, signal };
    const response = await this.#transport.send(sent, { operation, resource });
    return withoutSignature(response, credentials.slice(credentials.lastIndexOf(":") + 1));
  }

  #decode(request: EncodedRequest, response: HttpResponse): unknown {
    const { headerPrefix, clock } = this.#settings;
    return decodeResponse(request, response, { headerPrefix, now: clock.now() });
  }
}
