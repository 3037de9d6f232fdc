/** The typed client of the Query and Cluster Management Service. */
import { OperationCaller } from "./call";
import { checkStatement, describeOutput, listObjects, listTables } from "./extension";
import { clientSettings, type CallOptions, type ClientOptions } from "./options";
import { paginate } from "./pagination";
import { QueryPoller, type QueryWait } from "./poller";
import type { OperationRequest } from "./operation-request";
import type {
  CatalogDatabase,
  CheckAnswer,
  ClusterPage,
  ClusterRecord,
  ClusterStatistics,
  OperationRequests,
  OperationResponses,
  QueryLog,
  QueryPage,
  QueryRecord,
  QuerySummary,
  Submission,
  ObjectPage,
  OutputFolder,
} from "./types";

type Operations = {
  [Name in keyof OperationRequests]: (
    request: OperationRequest<Name>,
    options?: CallOptions,
  ) => Promise<OperationResponses[Name]>;
};

/**
 * Client of the service. Every method validates its request before it sends it (and throws the error that the service
 * would return), retries when that is safe, and validates the response.
 *
 * Errors: an {@link ApiError} class for errors that the service returns, a `ClientError` class for all others.
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
  readonly #accessKeyId: string;
  readonly #caller: OperationCaller;
  readonly #poller: QueryPoller;

  /** @throws {InvalidClientOptionError} that names the invalid option. */
  constructor(options: ClientOptions) {
    const settings = clientSettings(options);
    this.endpoint = settings.endpoint.href;
    this.#accessKeyId = settings.accessKeyId;
    this.#caller = new OperationCaller(settings);
    // The poller itself continues after failures, so its calls must not use up the retry quota.
    const source = {
      running: (clusterName: string, signal: AbortSignal) =>
        this.queries({ clusterName, status: ["running"] }, { signal, maxRetries: 0 }),
      getQuery: (queryId: number, signal: AbortSignal) => this.getQuery({ queryId }, { signal, maxRetries: 0 }),
    };
    this.#poller = new QueryPoller(source, settings.clock, { longest: settings.pollInterval });
  }

  /** Access key identifier with which it signs its requests. It is not printed with the client. */
  get accessKeyId(): string {
    return this.#accessKeyId;
  }

  /** Submits a HiveQL statement. Never retried once the request was sent. */
  submitSelect(request: OperationRequest<"submitSelect">, options?: CallOptions): Promise<Submission> {
    return this.#caller.call("submitSelect", request, options);
  }

  /** Submits a split of input objects into a table. Never retried once the request was sent. */
  submitSplit(request: OperationRequest<"submitSplit">, options?: CallOptions): Promise<Submission> {
    return this.#caller.call("submitSplit", request, options);
  }

  /** Returns one page of queries; {@link queries} iterates over all pages. */
  listQueries(request: OperationRequest<"listQueries"> = {}, options?: CallOptions): Promise<QueryPage> {
    return this.#caller.call("listQueries", request, options);
  }

  /** Returns the record of a query. */
  getQuery(request: OperationRequest<"getQuery">, options?: CallOptions): Promise<QueryRecord> {
    return this.#caller.call("getQuery", request, options);
  }

  /**
   * Cancels a query. Retried when the response was lost. The retry may then fail with
   * InvalidQueryState because the first attempt succeeded; if so, the query's status is `canceled`.
   */
  cancelQuery(request: OperationRequest<"cancelQuery">, options?: CallOptions): Promise<undefined> {
    return this.#caller.call("cancelQuery", request, options);
  }

  /** Returns the log of a select query. A restart of the cluster deletes it. */
  getQueryLog(request: OperationRequest<"getQueryLog">, options?: CallOptions): Promise<QueryLog> {
    return this.#caller.call("getQueryLog", request, options);
  }

  /** Restarts a cluster. Never retried once the request was sent. */
  restartCluster(request: OperationRequest<"restartCluster">, options?: CallOptions): Promise<undefined> {
    return this.#caller.call("restartCluster", request, options);
  }

  /** Returns one page of clusters; {@link clusters} iterates over all pages. */
  listClusters(request: OperationRequest<"listClusters"> = {}, options?: CallOptions): Promise<ClusterPage> {
    return this.#caller.call("listClusters", request, options);
  }

  /** Returns the record of a cluster. */
  getCluster(request: OperationRequest<"getCluster">, options?: CallOptions): Promise<ClusterRecord> {
    return this.#caller.call("getCluster", request, options);
  }

  /** Returns the disk usage of the storage, which all clusters share, in equal parts for the instances of the cluster. */
  getClusterStatistics(
    request: OperationRequest<"getClusterStatistics">,
    options?: CallOptions,
  ): Promise<ClusterStatistics> {
    return this.#caller.call("getClusterStatistics", request, options);
  }

  /**
   * Exports a cluster's log files, which may take long. Never retried once the request was sent.
   */
  exportClusterLog(request: OperationRequest<"exportClusterLog">, options?: CallOptions): Promise<undefined> {
    return this.#caller.call("exportClusterLog", request, options);
  }

  /** Iterates over all queries that match the parameters. `max` is the page size; the options apply to each call. */
  queries(
    parameters: OperationRequest<"listQueries"> = {},
    options?: CallOptions,
  ): AsyncGenerator<QuerySummary, void, undefined> {
    return paginate(
      "listQueries",
      (marker: number | undefined) =>
        this.listQueries(marker === undefined ? parameters : { ...parameters, marker }, options),
      (page) => page.queries,
      ({ id }) => id,
    );
  }

  /** Iterates over all clusters that match the parameters. `max` is the page size; the options apply to each call. */
  clusters(
    parameters: OperationRequest<"listClusters"> = {},
    options?: CallOptions,
  ): AsyncGenerator<ClusterRecord, void, undefined> {
    return paginate(
      "listClusters",
      (marker: string | undefined) =>
        this.listClusters(marker === undefined ? parameters : { ...parameters, marker }, options),
      (page) => page.clusters,
      ({ name }) => name,
    );
  }

  /**
   * Returns the problems of a statement with the tables as they are now, without running it. Not of the API: undefined
   * when the service has no such check, as only `dag-service` has. A cluster that is down leaves the check to another
   * one, which the answer names.
   * @throws ClusterNotFound
   */
  checkStatement(
    request: { readonly query: string; readonly clusterName: string },
    options: CallOptions = {},
  ): Promise<CheckAnswer | undefined> {
    return checkStatement(this.#caller, request, options);
  }

  /**
   * Returns the tables and views of a database, with their columns where they are declared. Not of the API: undefined
   * when the service has no such list, as only `dag-service` has. A database that does not exist has no tables.
   */
  listTables(request: { readonly database: string }, options: CallOptions = {}): Promise<CatalogDatabase | undefined> {
    return listTables(this.#caller, request, options);
  }

  /**
   * Returns the first objects of a folder, by name, as the service sees its storage. Not of the API: undefined when the
   * service has no such list, as only `dag-service` has. A bucket that does not exist has no objects.
   */
  listObjects(
    request: { readonly folder: string; readonly max: number },
    options: CallOptions = {},
  ): Promise<ObjectPage | undefined> {
    return listObjects(this.#caller, request, options);
  }

  /**
   * Returns what a result in a folder would replace. Not of the API: undefined when the service does not say, as only
   * `dag-service` does.
   */
  describeOutput(
    { folder }: { readonly folder: string },
    options: CallOptions = {},
  ): Promise<OutputFolder | undefined> {
    return describeOutput(this.#caller, folder, options);
  }

  /**
   * Waits until the query is no longer `running` and resolves with its record, whatever its final status is. All waits
   * for queries on one cluster share the same polling requests.
   * @throws {WaitError} at the timeout or when the signal is aborted, with the last observed record.
   */
  waitForQuery(wait: QueryWait): Promise<QueryRecord> {
    return this.#poller.wait(wait);
  }

  /** Aborts running calls (CallAborted) and waits (WaitAborted) and closes every connection. */
  async close(): Promise<void> {
    const reason = new Error("the client was closed");
    this.#poller.close(reason);
    await this.#caller.close(reason);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
