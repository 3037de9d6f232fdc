/** Connections to PostgreSQL, with deadlines, and what its errors mean for a caller. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client, DatabaseError, Pool, types, type ClientConfig, type PoolClient, type QueryResultRow } from "pg";
import { errors } from "../../../contract";

/** Connections of a process besides the one that listens. */
const maxConnections = 10;
/** Milliseconds after which a connection, a statement, or the wait for one of the connections is given up. */
const deadlines = { connect: 5000, statement: 15_000, turn: 30_000 } as const;
/** Milliseconds between two tries of a step that waits for the database: growing from the first to the second. */
const retryPause = { first: 50, longest: 1000 } as const;
/** Milliseconds after which a caller should try again. */
const retryAfter = 1000;

/** SQLSTATE classes and codes of a database that cannot be used now: connection, resources, shutdown, read-only. */
const unavailable = /^(?:08|53|57P|58|25006|57014|XX000)/;
/** SQLSTATE codes of a transaction that succeeds when it is repeated. */
const conflicts: ReadonlySet<string | undefined> = new Set(["40001", "40P01", "23505"]);

/** One transaction, or a single statement. */
export interface Transaction {
  /** Runs a statement and returns its rows. */
  run<Row extends QueryResultRow = QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** The connections of a process. */
export class Database implements Transaction {
  readonly #pool: Pool;
  readonly #givenUp = new AbortController();
  #isAvailable = true;

  /** @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE` */
  constructor(readonly url: string) {
    this.#pool = new Pool({
      ...settingsOf(url),
      Client: PooledClient,
      connectionTimeoutMillis: deadlines.turn,
      max: maxConnections,
      idleTimeoutMillis: 30_000,
    });
    // A connection that breaks while it is idle is replaced by the next use.
    this.#pool.on("error", () => undefined);
  }

  async run<Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return await this.#noting(async () => (await this.#pool.query<Row>(sql, [...values])).rows);
  }

  /** False when the last statement found the database not available. The lease is renewed every few seconds. */
  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  async #noting<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await withMeaning(work);
      this.#isAvailable = true;
      return result;
    } catch (error) {
      this.#isAvailable = !(error instanceof errors.ServiceUnavailable);
      throw error;
    }
  }

  /** Runs work in one transaction; repeats it when it conflicts with another. @throws ServiceUnavailable */
  async transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(work);
      } catch (error) {
        if (!isConflict(error) || attempt === 5) throw error;
      }
    }
  }

  /**
   * Repeats work until the database is available: for the steps of a query that runs, which must not fail with the
   * database. The work may have succeeded before it is repeated.
   * @throws ServiceUnavailable when the process stops
   */
  async persistently<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let pause: number = retryPause.first; ; pause = Math.min(pause * 2, retryPause.longest)) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof errors.ServiceUnavailable) || this.#givenUp.signal.aborted) throw error;
        await sleep(pause, undefined, { signal: this.#givenUp.signal }).catch(() => undefined);
      }
    }
  }

  /** Ends the waiting of {@link persistently} after some milliseconds. */
  giveUpIn(milliseconds: number): void {
    setTimeout(() => this.#givenUp.abort(), milliseconds).unref();
  }

  /** Runs a task on a connection of its own while it holds a lock that one process can have; else does nothing. */
  async exclusively(lock: number, task: () => Promise<void>): Promise<void> {
    await using connection = await connect(this.url);
    const [row] = await connection.run<{ taken: boolean }>("SELECT pg_try_advisory_lock($1) AS taken", [lock]);
    if (row?.taken) await task();
  }

  async close(): Promise<void> {
    this.#givenUp.abort();
    if (!this.#pool.ending) await this.#pool.end();
  }

  #attempt<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.#noting(async () => {
      const client = await this.#pool.connect();
      // An error between two statements is that of the next statement too.
      const ignore = () => undefined;
      client.on("error", ignore);
      let failure: Error | undefined;
      try {
        await client.query("BEGIN");
        const result = await work(transactionOn(client));
        await client.query("COMMIT");
        return result;
      } catch (error) {
        failure = error as Error;
        await client.query("ROLLBACK").then(
          () => (failure = undefined),
          () => undefined,
        );
        throw error;
      } finally {
        client.off("error", ignore);
        // A connection on which even the rollback failed is not used again.
        client.release(failure);
      }
    });
  }
}

/** The pool's deadline counts the wait for others that use the connections, which may be long; connecting is not. */
class PooledClient extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: deadlines.connect });
  }
}

/** A connection of its own. */
export interface Connection extends Transaction, AsyncDisposable {
  /** Calls back with the payload of each notification on the channels listened to. */
  onNotification(onPayload: (payload: string) => void): void;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
}

/** Opens a connection. @throws ServiceUnavailable, DatabaseError when it is refused */
export async function connect(url: string): Promise<Connection> {
  const client = new Client({ ...settingsOf(url), keepAlive: true });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  client.on("error", () => resolve());
  client.on("end", () => resolve());
  await withMeaning(() => client.connect());
  return {
    run: transactionOn(client).run,
    onNotification: (onPayload) => void client.on("notification", ({ payload = "" }) => onPayload(payload)),
    ended,
    [Symbol.asyncDispose]: () => client.end().catch(() => undefined),
  };
}

/** Returns true when the database has refused a statement or a connection for good, such as a wrong password. */
export function isRefusal(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError;
}

/** Returns the code of the error for which the database is not available: an SQLSTATE or that of the network. */
export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : undefined;
}

/** Modes that the driver takes as verify-full, after a warning of several lines; libpq's meaning has to be asked for. */
const verifyingModes = /^(?!.*[?&]uselibpqcompat=true(?:&|$))(.*[?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;

function settingsOf(url: string): ClientConfig {
  return {
    connectionString: url.replace(verifyingModes, "$1verify-full"),
    application_name: "dag-service",
    connectionTimeoutMillis: deadlines.connect,
    statement_timeout: deadlines.statement,
    query_timeout: deadlines.statement + 1000,
    keepAlive: true,
    types: { getTypeParser: parserOf as typeof types.getTypeParser },
  };
}

function transactionOn(client: Client | PoolClient): Transaction {
  return {
    run: <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) =>
      withMeaning(async () => (await client.query<Row>(sql, values.length === 0 ? undefined : [...values])).rows),
  };
}

/** Type numbers of int8 and numeric, which our tables use for what is a number here too. */
const numberTypes: ReadonlySet<number> = new Set([20, 1700]);

function parserOf(type: number, format?: "text" | "binary") {
  return numberTypes.has(type) ? Number : types.getTypeParser(type, format as "text");
}

/** Converts an error of the driver: a database that is not available becomes ServiceUnavailable. */
async function withMeaning<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    const cause = new Error(`PostgreSQL is not available (${codeOf(error) ?? "the connection ended"})`, {
      cause: error,
    });
    throw new errors.ServiceUnavailable(
      "the database of the service's state is not available: try again when it is; a submission may have been accepted, look for it before you repeat it",
      { cause, retryAfter },
    );
  }
}

/** The driver's own errors have no class: what is neither the server's refusal nor ours is a broken connection. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseError) return unavailable.test(error.code ?? "");
  const { name } = error as Error;
  return error instanceof Error && (codeOf(error) !== undefined || name === "Error" || name === "AggregateError");
}

function isConflict(error: unknown): boolean {
  return error instanceof DatabaseError && conflicts.has(error.code);
}
