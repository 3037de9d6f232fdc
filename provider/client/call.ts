/** Makes one call of an operation: checked, signed, repeated where that is safe, and decoded. */
import { ApiError, authorization, type OperationName, type ResponseBody } from "../../contract";
import { decodeAnswer } from "./answer";
import { CallAbortedError, CallTimeoutError, mayHaveBeenCarriedOut } from "./errors";
import { milliseconds, wholeNumber, type CallOptions, type ClientSettings } from "./options";
import { encodeRequest, type EncodedRequest } from "./request";
import { RetryPolicy } from "./retry";
import { ServiceTime } from "./skew";
import { Transport, type WireAnswer } from "./transport";
import { judgeFailure } from "./verdict";

/** Makes calls under one set of connections, one retry quota and one notion of the service's time. */
export class Caller {
  readonly #transport: Transport;
  readonly #time: ServiceTime;
  readonly #retry: RetryPolicy;
  readonly #closed = new AbortController();
  readonly #settings: ClientSettings;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
    this.#transport = new Transport(settings);
    this.#time = new ServiceTime(settings.clock);
    this.#retry = new RetryPolicy(settings.clock);
  }

  /**
   * Calls an operation.
   * @throws the ApiError of the answer, or of the first field of the request that is wrong; a ClientError otherwise.
   */
  async call<Name extends OperationName>(
    name: Name,
    request: object,
    options: CallOptions = {},
  ): Promise<ResponseBody<Name>> {
    const encoded = encodeRequest(name, request);
    const { clock, timeouts } = this.#settings;
    const working = encoded.method === "PUT";
    const timeout = milliseconds("timeout", options.timeout ?? (working ? timeouts.work : timeouts.call));
    const maxRetries = wholeNumber("maxRetries", options.maxRetries ?? this.#settings.maxRetries, 0);
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new Error(`${timeout} ms are over`)), timeout);
    const signal = AbortSignal.any([limit.signal, this.#closed.signal, ...(options.signal ? [options.signal] : [])]);
    const judge = (error: unknown) => judgeFailure(encoded.method, error);
    let sent = false;
    const attempt = async () => {
      signal.throwIfAborted();
      const sentBefore = sent;
      sent = true;
      try {
        return await this.#try(encoded, working ? timeout : timeouts.headers, signal);
      } catch (error) {
        sent = sentBefore || mayHaveBeenCarriedOut(error);
        throw error;
      }
    };
    try {
      const deadline = clock.now() + timeout;
      const result = await this.#retry.run(attempt, { judge, maxRetries, signal, deadline });
      return result as ResponseBody<Name>;
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) throw error;
      const details = { operation: name, resource: encoded.resource, sent, cause: error };
      const at = `${name} at ${this.#settings.endpoint.href}`;
      if (error !== limit.signal.reason) throw new CallAbortedError(`${at}: interrupted`, details);
      throw new CallTimeoutError("call", `${at}: not done within ${timeout} ms`, details);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends calls that still run with CallAborted and closes every connection. */
  async close(reason: Error): Promise<void> {
    this.#closed.abort(reason);
    await this.#transport.close();
  }

  /** One try, or two where the first was refused for a clock that the answer then set right. */
  async #try(request: EncodedRequest, headersTimeout: number, signal: AbortSignal): Promise<unknown> {
    const answer = await this.#send(request, headersTimeout, signal);
    try {
      return this.#decode(request, answer);
    } catch (error) {
      const skewed = error instanceof ApiError && error.code === "RequestTimeTooSkewed";
      if (!skewed || !this.#time.learn(answer.header("date"))) throw error;
      return this.#decode(request, await this.#send(request, headersTimeout, signal));
    }
  }

  #send(
    { operation, method, target, resource, body }: EncodedRequest,
    headersTimeout: number,
    signal: AbortSignal,
  ): Promise<WireAnswer> {
    const contentType = body === undefined ? undefined : "application/json";
    const date = this.#time.dateHeader();
    const signed = { method, target, contentType, date };
    const headers = {
      accept: "application/json",
      date,
      authorization: authorization(signed, this.#settings, this.#settings.signatureScheme),
      ...(contentType !== undefined && { "content-type": contentType }),
    };
    return this.#transport.send({ method, target, headers, body, headersTimeout, signal }, { operation, resource });
  }

  #decode(request: EncodedRequest, answer: WireAnswer): unknown {
    const { headerPrefix, clock } = this.#settings;
    return decodeAnswer(request, answer, { headerPrefix, now: clock.now() });
  }
}
