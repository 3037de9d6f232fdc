/** An in-memory service with the client's interface, which tests can control. */
import {
  errors,
  formatLocation,
  parseLocation,
  type CatalogTableSummary,
  type ClusterStatus,
  type OutputFolder,
  type QueryRecord,
  type SelectRecord,
  type SplitRecord,
} from "../../../../contract";
import type { Storage } from "../../../../storage";
import { ConnectionError, WaitError, type Client, type QueryWait } from "../../../../provider/client";

type Submitted = Partial<Omit<SelectRecord, "type"> & Omit<SplitRecord, "type">>;
type Operation =
  | "submitSelect"
  | "submitSplit"
  | "listQueries"
  | "getQuery"
  | "getQueryLog"
  | "cancelQuery"
  | "restartCluster"
  | "exportClusterLog"
  | "getCluster";

/** Decides the fate of a call; undefined lets it proceed. An error is returned instead of or, with `after`, after the work. */
type Trouble = (operation: Operation) => "drop before" | "drop after" | Error | { readonly after: Error } | undefined;

export class FakeService {
  readonly records: QueryRecord[] = [];
  readonly logs = new Map<number, string>();
  readonly calls: Operation[] = [];
  /** Number of queries that may run at the same time. */
  slots = Number.POSITIVE_INFINITY;
  /** True when queries run until {@link finish} is called. */
  manual = false;
  trouble: Trouble = () => undefined;
  /** The storage of which the service lists objects. @default it lists none, as a service that has only the API */
  storage: Storage | undefined;
  /** The tables that it lists. @default it lists none, as a service that has only the API */
  tables: readonly CatalogTableSummary[] | undefined;
  /** What it says of each folder of a result. @default nothing, as a service that has only the API */
  output: OutputFolder | undefined;
  /** The folders of which it has listed objects. */
  readonly listed: string[] = [];
  cluster = { name: "demo", status: "norm" as ClusterStatus, type: "duckdb", instances: [], debug: false };
  exporting = false;
  #waiters: { readonly queryId: number; tell(): void }[] = [];

  readonly client = {
    accessKeyId: "AK",
    submitSelect: (request: object) => this.#call("submitSelect", () => this.#submit("select", request)),
    submitSplit: (request: object) => this.#call("submitSplit", () => this.#submit("split", request)),
    getQuery: ({ queryId }: { readonly queryId: number }) => this.#call("getQuery", () => this.#find(queryId)),
    getQueryLog: ({ queryId }: { readonly queryId: number }) =>
      this.#call("getQueryLog", () => ({ log: this.logs.get(this.#find(queryId).id) ?? "done\n" })),
    cancelQuery: ({ queryId }: { readonly queryId: number }) => this.#call("cancelQuery", () => this.#cancel(queryId)),
    listQueries: (parameters: Parameters<Client["listQueries"]>[0] = {}) =>
      this.#call("listQueries", () => {
        const { status, type, labelPrefix = "", clusterName, clusterRebooted, max = 100, order } = parameters;
        const found = this.records.filter(
          (record) =>
            (!status || status.includes(record.status)) &&
            (!type || record.type === type) &&
            (!clusterName || record.clusterName === clusterName) &&
            (clusterRebooted === undefined || record.clusterRebooted === clusterRebooted) &&
            (record.label ?? "").startsWith(labelPrefix),
        );
        return { isTruncated: false, queries: (order === "asc" ? found : found.toReversed()).slice(0, max) };
      }),
    listTables: async ({ database }: { readonly database: string }) => {
      const { tables } = this;
      return tables && { database, tables: [...tables], views: [] };
    },
    listObjects: async ({ folder }: { readonly folder: string }) => {
      if (!this.storage) return undefined;
      this.listed.push(folder);
      const objects = await Array.fromAsync(this.storage.list(parseLocation(folder)));
      const listed = objects.map(({ location, size, lastModified }) => {
        return { location: formatLocation(location), size, lastModified: lastModified.toISOString() };
      });
      return { objects: listed, isTruncated: false };
    },
    describeOutput: () => Promise.resolve(this.output),
    queries: (parameters: Parameters<Client["queries"]>[0]) => this.#pages(parameters),
    waitForQuery: (wait: QueryWait) => this.#wait(wait),
    getCluster: () => this.#call("getCluster", () => ({ ...this.cluster })),
    restartCluster: ({ type, debug, force }: { type?: string; debug?: boolean; force?: boolean }) =>
      this.#call("restartCluster", () => {
        const running = this.records.filter(({ status }) => status === "running");
        if (running.length > 0 && !force) throw new errors.QueryIsRunning("queries run");
        for (const record of running) this.finish(record.id, "canceled");
        for (const record of this.records) record.clusterRebooted = true;
        this.cluster = {
          ...this.cluster,
          status: "restarting",
          type: type ?? this.cluster.type,
          debug: debug ?? this.cluster.debug,
        };
        setTimeout(() => (this.cluster.status = "norm"), 5);
      }),
    exportClusterLog: () =>
      this.#call("exportClusterLog", async () => {
        if (this.exporting) throw new errors.ExportLogIsAlreadyRunning("an export runs");
        this.exporting = true;
        await new Promise((resolve) => setTimeout(resolve, 10));
        this.exporting = false;
      }),
  } as unknown as Client;

  /** Returns the number of calls of an operation. */
  count(operation: Operation): number {
    return this.calls.filter((call) => call === operation).length;
  }

  /** Ends a query. */
  finish(queryId: number, status: "finished" | "error" | "canceled" = "finished", log?: string): void {
    const record = this.#find(queryId);
    Object.assign(record, { status, progress: status === "finished" ? "100%" : record.progress });
    if (log !== undefined) this.logs.set(queryId, log);
    for (const waiter of this.#waiters.filter((one) => one.queryId === queryId)) waiter.tell();
  }

  /** Removes the record of a query. */
  forget(queryId: number): void {
    this.records.splice(
      this.records.findIndex(({ id }) => id === queryId),
      1,
    );
    for (const waiter of this.#waiters.filter((one) => one.queryId === queryId)) waiter.tell();
  }

  /** Adds a query of another client. */
  add(type: "select" | "split", record: object): QueryRecord {
    const { queryId } = this.#submit(type, record);
    return Object.assign(this.#find(queryId), record);
  }

  async #call<Answer>(operation: Operation, work: () => Answer | Promise<Answer>): Promise<Answer> {
    await Promise.resolve();
    this.calls.push(operation);
    const trouble = this.trouble(operation);
    if (trouble instanceof Error) throw trouble;
    if (trouble === "drop before") throw new ConnectionError("the connection broke", { sent: true });
    const answer = await work();
    if (trouble === "drop after") throw new ConnectionError("the connection broke", { sent: true });
    if (trouble !== undefined) throw trouble.after;
    return answer;
  }

  async *#pages(parameters: Parameters<Client["queries"]>[0]) {
    yield* (await this.client.listQueries(parameters)).queries;
  }

  #submit(type: "select" | "split", request: Submitted): { readonly queryId: number } {
    if (this.records.filter(({ status }) => status === "running").length >= this.slots) {
      throw new errors.TooManyQueries("every slot is taken");
    }
    const taken = this.records.some(
      (record) =>
        type === "split" &&
        record.type === "split" &&
        record.outputTable === request.outputTable &&
        (record.status === "running" || record.status === "finished"),
    );
    if (taken) throw new errors.OutputTableAlreadyExists("the table exists");
    const id = (this.records.at(-1)?.id ?? 0) + 1;
    const record = {
      outputFormat: "csv",
      inputFormat: "csv",
      stage: 1,
      ...Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)),
      id,
      type,
      status: "running",
      clusterName: request.clusterName ?? "demo",
      processEngine: "mapreduce",
      dsl: "hive",
      clusterRebooted: false,
      accessKeyId: "AK",
      startTime: "2026-11-20 12:00:00",
      progress: "0%",
    } as unknown as QueryRecord;
    this.records.push(record);
    if (!this.manual) setTimeout(() => this.records.includes(record) && this.finish(id), 5);
    return { queryId: id };
  }

  #find(queryId: number): QueryRecord {
    const record = this.records.find(({ id }) => id === queryId);
    if (!record) throw new errors.QueryNotFound(`query ${queryId} does not exist`);
    return record;
  }

  #cancel(queryId: number): void {
    if (this.#find(queryId).status !== "running") throw new errors.InvalidQueryState("it does not run");
    this.finish(queryId, "canceled");
  }

  #wait({ queryId, timeout, signal, observed }: QueryWait): Promise<QueryRecord> {
    const { promise, resolve, reject } = Promise.withResolvers<QueryRecord>();
    const tell = () => {
      try {
        const record = this.#find(queryId);
        if (record.status === "running") observed?.(record);
        else resolve(record);
      } catch (error) {
        reject(error);
      }
    };
    const last = () => this.records.find(({ id }) => id === queryId);
    const timer =
      timeout === undefined
        ? undefined
        : setTimeout(() => reject(new WaitError("WaitTimedOut", "timeout", last())), timeout);
    const abort = () => reject(new WaitError("WaitAborted", "interrupted", last()));
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    const waiter = { queryId, tell };
    this.#waiters.push(waiter);
    tell();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiters = this.#waiters.filter((one) => one !== waiter);
    });
  }
}
