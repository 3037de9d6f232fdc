/** The typed client of the Query and Cluster Management Service. */
import type {
  ClusterPage,
  ClusterRecord,
  ClusterStatistics,
  OperationName,
  QueryLog,
  QueryPage,
  QueryRecord,
  QuerySummary,
  ResponseBody,
  Submission,
} from "../../contract";
import { Caller } from "./call";
import { clientSettings, type CallOptions, type ClientOptions } from "./options";
import { everyRecord } from "./pages";
import { QueryPoller, type QueryWait } from "./poller";
import type { OperationRequest } from "./request";

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
  readonly #caller: Caller;
  readonly #poller: QueryPoller;

  /** @throws {InvalidClientOptionError} naming the option that cannot be used. */
  constructor(options: ClientOptions) {
    const settings = clientSettings(options);
    this.endpoint = settings.endpoint.href;
    this.#caller = new Caller(settings);
    // The poller goes on after a failure by itself, so its calls leave the retry quota to others.
    const source = {
      running: (clusterName: string, signal: AbortSignal) =>
        this.queries({ clusterName, status: ["running"] }, { signal, maxRetries: 0 }),
      getQuery: (queryId: number, signal: AbortSignal) => this.getQuery({ queryId }, { signal, maxRetries: 0 }),
    };
    this.#poller = new QueryPoller(source, settings.clock, { longest: settings.pollInterval });
  }

  /** Submits a HiveQL statement (specification §4.1). Never repeated once it may have been accepted. */
  submitSelect(request: OperationRequest<"submitSelect">, options?: CallOptions): Promise<Submission> {
    return this.#caller.call("submitSelect", request, options);
  }

  /** Submits a split of input objects into a table (specification §4.2). Never repeated once it may have been accepted. */
  submitSplit(request: OperationRequest<"submitSplit">, options?: CallOptions): Promise<Submission> {
    return this.#caller.call("submitSplit", request, options);
  }

  /** One page of queries (specification §4.3); {@link queries} goes through all. */
  listQueries(request: OperationRequest<"listQueries"> = {}, options?: CallOptions): Promise<QueryPage> {
    return this.#caller.call("listQueries", request, options);
  }

  /** One query's record (specification §4.4). */
  getQuery(request: OperationRequest<"getQuery">, options?: CallOptions): Promise<QueryRecord> {
    return this.#caller.call("getQuery", request, options);
  }

  /**
   * Cancels a query (specification §4.5). Repeated where the answer was lost; an InvalidQueryState may then say that
   * an earlier try did it: the query's status, `canceled` or another, tells.
   */
  cancelQuery(request: OperationRequest<"cancelQuery">, options?: CallOptions): Promise<undefined> {
    return this.#caller.call("cancelQuery", request, options);
  }

  /** A select query's log (specification §4.6); gone once its cluster was restarted. */
  getQueryLog(request: OperationRequest<"getQueryLog">, options?: CallOptions): Promise<QueryLog> {
    return this.#caller.call("getQueryLog", request, options);
  }

  /** Restarts a cluster (specification §4.7). Never repeated once it may have begun. */
  restartCluster(request: OperationRequest<"restartCluster">, options?: CallOptions): Promise<undefined> {
    return this.#caller.call("restartCluster", request, options);
  }

  /** One page of clusters (specification §4.8); {@link clusters} goes through all. */
  listClusters(request: OperationRequest<"listClusters"> = {}, options?: CallOptions): Promise<ClusterPage> {
    return this.#caller.call("listClusters", request, options);
  }

  /** One cluster's record (specification §4.9). */
  getCluster(request: OperationRequest<"getCluster">, options?: CallOptions): Promise<ClusterRecord> {
    return this.#caller.call("getCluster", request, options);
  }

  /** A cluster's disk figures (specification §4.10). */
  getClusterStatistics(
    request: OperationRequest<"getClusterStatistics">,
    options?: CallOptions,
  ): Promise<ClusterStatistics> {
    return this.#caller.call("getClusterStatistics", request, options);
  }

  /** Exports a cluster's log files (specification §4.11); may take long. Never repeated once it may have begun. */
  exportClusterLog(request: OperationRequest<"exportClusterLog">, options?: CallOptions): Promise<undefined> {
    return this.#caller.call("exportClusterLog", request, options);
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
    await this.#caller.close(reason);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
