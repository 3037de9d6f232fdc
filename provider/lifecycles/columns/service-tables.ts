/**
 * What the service tells about statements and tables during a preview, where it has such answers: `dag-service` does, the
 * API itself does not. One run asks a few things at a time, and nothing more after the first failure.
 */
import {
  errors,
  type CatalogDatabase,
  type CatalogTableSummary,
  type CatalogView,
  type CheckAnswer,
} from "../../../contract";
import type { Client } from "../../client";
import { describeError } from "../describe-error";
import type { TableName } from "../freshness/program-tables";

/** Timeout of a question, in milliseconds: a preview does not wait long for a service that does not answer. */
const timeout = 10_000;
/** Questions at a time. The service checks two statements of a key at a time. */
const concurrency = 4;

/** A problem of a statement. */
type StatementProblem = CheckAnswer["problems"][number] & {
  /** True when the engine of the statement's own cluster found it, and not that of another one because it is down. */
  readonly isOfCluster: boolean;
};

type Asked = Pick<Client, "checkStatement" | "listTables">;

/** The service, as one run asks it. */
export class ServiceTables {
  /** False after an answer of a service without a check, or after a failure. */
  #isAvailable = true;
  readonly #databases = new Map<string, Promise<CatalogDatabase | undefined>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param warn prints a warning of the whole run. */
  constructor(
    private readonly client: Asked,
    private readonly warn: (text: string) => void,
  ) {}

  /** Returns the first problem of a statement with the tables as they are; undefined when nothing is certain. */
  async problemOf(query: string, clusterName: string): Promise<StatementProblem | undefined> {
    const answer = await this.#ask(() => this.#check(query, clusterName));
    const problem = answer?.problems.find(({ severity }) => severity === "error");
    return problem && { ...problem, isOfCluster: answer?.clusterName === clusterName };
  }

  /** A cluster that does not exist is another check's problem. */
  async #check(query: string, clusterName: string): Promise<CheckAnswer | undefined> {
    try {
      return await this.client.checkStatement({ query, clusterName }, { timeout, maxRetries: 0 });
    } catch (error) {
      if (error instanceof errors.ClusterNotFound) return { problems: [], clusterName };
      throw error;
    }
  }

  /** Returns what the service lists of a table: null when it has none, undefined when that is not known. */
  async table({ database, table }: TableName): Promise<CatalogTableSummary | null | undefined> {
    const listed = await this.#database(database);
    if (!listed || listed.views.some(({ view }) => view === table)) return undefined;
    return listed.tables.find((each) => each.table === table) ?? (listed.isCut ? undefined : null);
  }

  /** Returns a view of the service's config; undefined when it has none of that name, or that is not known. */
  async view({ database, table }: TableName): Promise<CatalogView | undefined> {
    return (await this.#database(database))?.views.find(({ view }) => view === table);
  }

  #database(database: string): Promise<CatalogDatabase | undefined> {
    let found = this.#databases.get(database);
    if (!found) {
      found = this.#ask(() => this.client.listTables({ database }, { timeout, maxRetries: 0 }));
      this.#databases.set(database, found);
    }
    return found;
  }

  async #ask<Answer>(question: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
    if (this.#running >= concurrency) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running += 1;
    try {
      if (!this.#isAvailable) return undefined;
      const answer = await question();
      if (answer === undefined) this.#isAvailable = false;
      return answer;
    } catch (error) {
      if (this.#isAvailable) {
        this.warn(`the columns of statements are not checked before they run: ${describeError(error)}`);
      }
      this.#isAvailable = false;
      return undefined;
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }
}
