/** A running engine of a cluster on HiveServer2s: its selects run there, all other work in processes of this machine. */
import { setTimeout as sleep } from "node:timers/promises";
import { errors } from "../../../contract";
import type {
  CheckControl,
  CheckedQuery,
  Engine,
  EngineEnd,
  JobContext,
  SelectJob,
  SplitJob,
  TableDefinition,
} from "../../core/ports/engine";
import type { HiveConnection, ServerAddress } from "./client/connection";
import { HiveConnectionError, HiveServerError } from "./client/errors";
import { connectToAny } from "./client/servers";
import { HiveSession } from "./client/session";
import type { Handle } from "./client/thrift";
import type { ControlConnections } from "./control";
import type { Dialect } from "./dialect";
import type { LocalWork, PreparedStatement } from "./local-work";
import { compile, runAttempt, selectStages } from "./run-select";
import { withTableNames } from "./statement";
import type { ServerStorage } from "./storage/server-storage";

/** Attempts of a select whose connection breaks. Each is complete or leaves nothing, so another one is safe. */
const maxAttempts = 3;
const attemptPause = 1000;
/** Milliseconds that the servers may take for the check of a submission. */
const checkMilliseconds = 60_000;
/** Milliseconds that a cancelled query waits for the cancellation to reach the server. */
const cancelGrace = 500;
/** Milliseconds that the end of the engine waits for its cancellations. */
const closeGrace = 5000;

export interface HiveEngineOptions {
  readonly servers: readonly ServerAddress[];
  readonly dialect: Dialect;
  readonly control: ControlConnections;
  readonly local: LocalWork;
  readonly storage: ServerStorage;
  readonly resultObjectBytes: number;
}

export class HiveEngine implements Engine {
  readonly ended: Promise<EngineEnd>;
  readonly #end = Promise.withResolvers<EngineEnd>();
  readonly #closed = new AbortController();
  /** Cancellations and deletions that go on after their query has ended. */
  readonly #behind = new Set<Promise<void>>();
  /** Connections of sessions; the server ends a session, and what it runs, with its connection. */
  readonly #connections = new Set<HiveConnection>();
  #closing: Promise<void> | undefined;

  constructor(private readonly options: HiveEngineOptions) {
    const { local, control, dialect } = options;
    this.ended = this.#end.promise;
    void local.ended.then(({ reason }) => this.#close({ expected: false, reason }));
    void control.lost.then((reason) =>
      this.#close({ expected: false, reason: `no ${dialect.product} server answers: ${reason}` }),
    );
  }

  tablesRead(statement: string, control: CheckControl) {
    return this.options.local.tablesRead(statement, control);
  }

  columnNames(query: CheckedQuery, control: CheckControl) {
    return this.options.local.columnNames(query, control);
  }

  sampleTable(table: TableDefinition, limit: number, control: CheckControl) {
    return this.options.local.sampleTable(table, limit, control);
  }

  split(job: SplitJob, context: JobContext) {
    return this.options.local.split(job, context);
  }

  async checkSelect(query: CheckedQuery, control: CheckControl): Promise<void> {
    const prepared = await this.options.local.prepare(query, this.#mode("if-small"), control);
    const late = AbortSignal.timeout(checkMilliseconds);
    const signal = AbortSignal.any([control.signal, late]);
    try {
      const session = await this.#openSession(signal);
      const abort = () => session.connection.close();
      signal.addEventListener("abort", abort);
      try {
        await compile(session, this.#statementOf(query, prepared), { format: "csv" });
      } finally {
        signal.removeEventListener("abort", abort);
        this.#goOnBehind(session.close());
      }
    } catch (error) {
      control.signal.throwIfAborted();
      throw late.aborted ? lateCheck(this.options.dialect) : checkError(this.#shown(error, prepared));
    }
  }

  async select(job: SelectJob, context: JobContext): Promise<void> {
    const signal = AbortSignal.any([context.signal, this.#closed.signal]);
    const own: JobContext = {
      signal,
      progress: (percent, stage) => context.progress(percent, stage),
      log: (line) => context.log(line),
      jobId: (id) => context.jobId(id),
    };
    context.progress(0, selectStages.prepare);
    const prepared = await this.options.local.prepare(job, this.#mode("always"), { signal, limited: false });
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(job, prepared, own);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof HiveConnectionError) || error.problem === "login" || attempt === maxAttempts)
          throw error;
        context.log(`${error.message}: the statement is run again`);
        await sleep(attemptPause * attempt, undefined, { signal });
      }
    }
  }

  close(): Promise<void> {
    return this.#close({ expected: true, reason: "the engine was closed" });
  }

  async #attempt(job: SelectJob, prepared: PreparedStatement, context: JobContext) {
    const { local, resultObjectBytes: objectBytes, storage } = this.options;
    const session = await this.#openSession(context.signal);
    let goesOn = false;
    const sent = Promise.withResolvers<void>();
    const cancel = (operation: Handle) => {
      const cancelled = this.options.control.cancel(session.connection.server, operation);
      void cancelled.catch(() => undefined).then(() => sent.resolve());
      return cancelled;
    };
    try {
      await runAttempt(
        session,
        {
          job,
          statement: this.#statementOf(job, prepared),
          storage,
          objectBytes,
          local,
          cancel,
          behind: (work, keepsSession) => {
            goesOn ||= keepsSession;
            this.#goOnBehind(work);
          },
        },
        context,
      );
    } catch (error) {
      throw this.#shown(error, prepared);
    } finally {
      if (goesOn) await Promise.race([sent.promise, sleep(cancelGrace)]);
      else this.#goOnBehind(session.close());
    }
  }

  async #openSession(signal: AbortSignal): Promise<HiveSession> {
    const connection = await connectToAny(this.options.servers, signal);
    this.#connections.add(connection);
    void connection.ended.then(() => this.#connections.delete(connection));
    try {
      return await HiveSession.open(connection, connection.server.login?.user ?? "dag", this.options.dialect);
    } catch (error) {
      connection.close();
      if (!(error instanceof HiveServerError)) throw error;
      throw new HiveConnectionError("login", connection.address, `refuses a session: ${error.message}`);
    }
  }

  #mode(scanMode: "always" | "if-small") {
    return { scanMode, reader: this.options.dialect.name };
  }

  #statementOf({ statement, tables }: CheckedQuery, prepared: PreparedStatement) {
    const folders = tables.map(({ location }) => this.options.storage.urlOf(location));
    return { statement, prepared, folders, dialect: this.options.dialect };
  }

  /** Returns a failure on the server with the names that its reader knows. */
  #shown(error: unknown, { tables }: PreparedStatement): unknown {
    if (!(error instanceof HiveServerError)) return error;
    return new HiveServerError(this.options.storage.redact(withTableNames(error.message, tables)), error.sqlState);
  }

  #goOnBehind(work: Promise<void>): void {
    const settled = work.catch(() => undefined).then(() => void this.#behind.delete(settled));
    this.#behind.add(settled);
  }

  #close(end: EngineEnd): Promise<void> {
    return (this.#closing ??= this.#closeNow(end));
  }

  async #closeNow(end: EngineEnd): Promise<void> {
    this.#closed.abort(new Error(end.reason));
    await this.options.local.close();
    await Promise.race([Promise.all(this.#behind), sleep(closeGrace)]);
    for (const connection of this.#connections) connection.close();
    this.options.control.close();
    this.#end.resolve(end);
  }
}

const lateCheck = ({ product }: Dialect) =>
  new errors.ServiceUnavailable(
    `the ${product} server did not check the statement within ${checkMilliseconds / 1000} s: try again later`,
  );

/** Converts what ends a check to an error for its caller. */
function checkError(error: unknown): unknown {
  if (error instanceof HiveConnectionError) {
    return new errors.ServiceUnavailable(`the statement could not be checked: ${error.message}. Try again later`);
  }
  if (error instanceof HiveServerError) {
    return new errors.InvalidDMLStatement(`query cannot run on this cluster: ${error.message}`, { field: "query" });
  }
  return error;
}
