/** The typed client of the Query and Cluster Management Service. */
import {
  ApiError,
  authorization,
  type ClusterRecord,
  type OperationName,
  type QueryRecord,
  type QuerySummary,
  type ResponseBody,
} from "../api";
import { decodeAnswer } from "./answer";
import { CallAbortedError, CallTimeoutError, mayHaveBeenCarriedOut } from "./errors";
import {
  clientSettings,
  milliseconds,
  wholeNumber,
  type CallOptions,
  type ClientOptions,
  type ClientSettings,
} from "./options";
import { everyRecord } from "./pages";
import { QueryPoller, type QueryWait } from "./poller";
import { encodeRequest, type EncodedRequest, type OperationRequest } from "./request";
import { RetryPolicy } from "./retry";
import { ServiceTime } from "./skew";
import { Transport, type WireAnswer } from "./transport";
import { judgeFailure } from "./verdict";

type Operations = {
  [Name in OperationName]: (request: OperationRequest<Name>, options?: CallOptions) => Promise<ResponseBody<Name>>;
};

/**
 * Calls the service. Every method checks its request before anything is sent (the error is the one that the service
 * would answer), repeats what may be repeated, and checks the answer.
 *
 * Errors: an {@link ApiError} class for what the service answers, a `ClientError` class for everything else.
 *
 * @example
 * ```ts
 * const client = new dag.Client({ endpoint: "http://127.0.0.1:9393", accessKeyId, secretAccessKey });
 * const { queryId } = await client.submitSelect({ clusterName: "demo", query: "SELECT 1", outputResourcePath: "dag://results/one/" });
 * const { status } = await client.waitForQuery({ queryId, clusterName: "demo" });
 * await client.close();
 * ```
 */
export class Client implements Operations {
  /** Base URL of the service. */
  readonly endpoint: string;
  readonly #settings: ClientSettings;
  readonly #transport: Transport;
  readonly #time: ServiceTime;
  readonly #retry: RetryPolicy;
  readonly #poller: QueryPoller;
  readonly #closed = new AbortController();

  /** @throws {InvalidClientOptionError} naming the option that cannot be used. */
  constructor(options: ClientOptions) {
    this.#settings = clientSettings(options);
    const { clock, pollInterval } = this.#settings;
    this.endpoint = this.#settings.endpoint.href;
    this.#transport = new Transport(this.#settings);
    this.#time = new ServiceTime(clock);
    this.#retry = new RetryPolicy(clock);
    this.#poller = new QueryPoller(
      {
        // The loop goes on after a failure by itself, so its calls leave the retry quota to others.
        running: (clusterName, signal) => this.queries({ clusterName, status: ["running"] }, { signal, maxRetries: 0 }),
        getQuery: (queryId, signal) => this.getQuery({ queryId }, { signal, maxRetries: 0 }),
      },
      clock,
      { longest: pollInterval },
    );
  }

  /** Submits a HiveQL statement (specification §4.1). Never repeated once it may have been accepted. */
  submitSelect(request: OperationRequest<"submitSelect">, options?: CallOptions) {
    return this.#call("submitSelect", request, options);
  }

  /** Submits a split of input objects into a table (specification §4.2). Never repeated once it may have been accepted. */
  submitSplit(request: OperationRequest<"submitSplit">, options?: CallOptions) {
    return this.#call("submitSplit", request, options);
  }

  /** One page of queries (specification §4.3); {@link queries} goes through all. */
  listQueries(request: OperationRequest<"listQueries"> = {}, options?: CallOptions) {
    return this.#call("listQueries", request, options);
  }

  /** One query's record (specification §4.4). */
  getQuery(request: OperationRequest<"getQuery">, options?: CallOptions) {
    return this.#call("getQuery", request, options);
  }

  /**
   * Cancels a query (specification §4.5). Repeated where the answer was lost; an InvalidQueryState may then say that
   * an earlier try did it: the query's status, `canceled` or another, tells.
   */
  cancelQuery(request: OperationRequest<"cancelQuery">, options?: CallOptions) {
    return this.#call("cancelQuery", request, options);
  }

  /** A select query's log (specification §4.6); gone once its cluster was restarted. */
  getQueryLog(request: OperationRequest<"getQueryLog">, options?: CallOptions) {
    return this.#call("getQueryLog", request, options);
  }

  /** Restarts a cluster (specification §4.7). Never repeated once it may have begun. */
  restartCluster(request: OperationRequest<"restartCluster">, options?: CallOptions) {
    return this.#call("restartCluster", request, options);
  }

  /** One page of clusters (specification §4.8); {@link clusters} goes through all. */
  listClusters(request: OperationRequest<"listClusters"> = {}, options?: CallOptions) {
    return this.#call("listClusters", request, options);
  }

  /** One cluster's record (specification §4.9). */
  getCluster(request: OperationRequest<"getCluster">, options?: CallOptions) {
    return this.#call("getCluster", request, options);
  }

  /** A cluster's disk figures (specification §4.10). */
  getClusterStatistics(request: OperationRequest<"getClusterStatistics">, options?: CallOptions) {
    return this.#call("getClusterStatistics", request, options);
  }

  /** Exports a cluster's log files (specification §4.11); may take long. Never repeated once it may have begun. */
  exportClusterLog(request: OperationRequest<"exportClusterLog">, options?: CallOptions) {
    return this.#call("exportClusterLog", request, options);
  }

  /** Every query that the parameters select, page after page; `max` is the size of a page. The options hold for each call. */
  queries(
    parameters: OperationRequest<"listQueries"> = {},
    options?: CallOptions,
  ): AsyncGenerator<QuerySummary, void, undefined> {
    return everyRecord(
      "listQueries",
      (marker: number | undefined) =>
        this.listQueries(marker === undefined ? parameters : { ...parameters, marker }, options),
      (page) => page.queries,
    );
  }

  /** Every cluster that the parameters select, page after page; `max` is the size of a page. The options hold for each call. */
  clusters(
    parameters: OperationRequest<"listClusters"> = {},
    options?: CallOptions,
  ): AsyncGenerator<ClusterRecord, void, undefined> {
    return everyRecord(
      "listClusters",
      (marker: string | undefined) =>
        this.listClusters(marker === undefined ? parameters : { ...parameters, marker }, options),
      (page) => page.clusters,
    );
  }

  /**
   * Resolves with the query's record when it is no longer `running`, whatever it became. All who wait for queries of
   * one cluster share its looks.
   * @throws {WaitError} at the timeout and the signal, with the record that was seen last.
   */
  waitForQuery(wait: QueryWait): Promise<QueryRecord> {
    return this.#poller.wait(wait);
  }

  /** Ends waits and calls that still run (CallAborted, WaitAborted) and closes every connection. */
  async close(): Promise<void> {
    const reason = new Error("the client was closed");
    this.#poller.close(reason);
    this.#closed.abort(reason);
    await this.#transport.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #call<Name extends OperationName>(
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
      const result = await this.#retry.run(attempt, {
        judge,
        maxRetries,
        signal,
        deadline: clock.now() + timeout,
      });
      return result as ResponseBody<Name>;
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) throw error;
      const details = { operation: name, resource: encoded.resource, sent, cause: error };
      if (error !== limit.signal.reason)
        throw new CallAbortedError(`${name} at ${this.endpoint}: interrupted`, details);
      throw new CallTimeoutError("call", `${name} at ${this.endpoint}: not done within ${timeout} ms`, details);
    } finally {
      clearTimeout(timer);
    }
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
    const headers = {
      accept: "application/json",
      date,
      authorization: authorization(
        { method, target, contentType, date },
        this.#settings,
        this.#settings.signatureScheme,
      ),
      ...(contentType !== undefined && { "content-type": contentType }),
    };
    return this.#transport.send({ method, target, headers, body, headersTimeout, signal }, { operation, resource });
  }

  #decode(request: EncodedRequest, answer: WireAnswer): unknown {
    const { headerPrefix, clock } = this.#settings;
    return decodeAnswer(request, answer, { headerPrefix, now: clock.now() });
  }
}
