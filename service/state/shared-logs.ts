/** Log files whose query logs are in a store that every service process reads. */
import type { QueryLogStore, LogPart } from "./query-logs";
import type { Clock, LogFile, LogFiles, Logger } from "../core/ports/platform";
import { logEntry, type LocalLogFiles } from "./log-files";

export interface SharedLogOptions {
  /** The files of this process: the clusters' logs, and those of the engines. */
  readonly local: LocalLogFiles;
  readonly store: QueryLogStore;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Milliseconds that lines wait for others, to be stored together. */
const delay = 200;
/** Milliseconds after which lines that could not be stored are tried again. */
const retryDelay = 2000;

export class SharedLogFiles implements LogFiles {
  #parts: LogPart[] = [];
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> | undefined;

  constructor(private readonly options: SharedLogOptions) {}

  query(clusterName: string, queryId: number, line: string): void {
    this.#parts.push({ clusterName, queryId, text: logEntry(this.options.clock.now(), line) });
    this.cluster(clusterName, `query ${queryId} ${line}`);
    this.#storeIn(delay);
  }

  cluster(clusterName: string, line: string): void {
    this.options.local.cluster(clusterName, line);
  }

  /** A log of before the state was moved to PostgreSQL is a file. */
  async readQuery(clusterName: string, queryId: number): Promise<string> {
    const { store, local } = this.options;
    await this.flush();
    return (await local.readQuery(clusterName, queryId)) + (await store.read(queryId));
  }

  dropQueries(clusterName: string): void {
    this.options.local.dropQueries(clusterName);
    const drop = async () => {
      await this.flush();
      await this.options.store.drop(clusterName);
    };
    drop().catch((error: unknown) => this.#logFailure(error));
  }

  async deleteQuery(clusterName: string, queryId: number): Promise<number> {
    const { store, local } = this.options;
    return (await local.deleteQuery(clusterName, queryId)) + (await store.delete(queryId));
  }

  async queryBytes(clusterName: string): Promise<number> {
    const { store, local } = this.options;
    return (await local.queryBytes(clusterName)) + (await store.bytes(clusterName));
  }

  async list(clusterName: string): Promise<LogFile[]> {
    await this.flush();
    const queries = await this.options.store.all(clusterName);
    return [...(await this.options.local.list(clusterName)), { name: "service/queries.log", ...queries }];
  }

  async flush(): Promise<void> {
    while (this.#parts.length > 0 || this.#storing) {
      if (this.#storing) await this.#storing;
      else if (!(await this.#store())) return;
    }
  }

  /** Stores what is there. @returns false when it could not be stored */
  async #store(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const parts = this.#parts.splice(0);
    const storing = this.options.store.append(parts);
    this.#storing = storing.then(
      () => undefined,
      () => undefined,
    );
    try {
      await storing;
      return true;
    } catch (error) {
      this.#parts.unshift(...parts);
      this.#logFailure(error);
      this.#storeIn(retryDelay);
      return false;
    } finally {
      this.#storing = undefined;
    }
  }

  #storeIn(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, milliseconds).unref();
  }

  #logFailure(error: unknown): void {
    this.options.log.warn({ err: error }, "logs of queries could not be stored");
  }
}
