/** A running engine of a cluster on HiveServer2s: its selects run there, all other work in processes of this machine. */
import { setTimeout as sleep } from "node:timers/promises";
import { errors, noteLine } from "../../../contract";
import type {
  CheckControl,
  CheckedQuery,
  Engine,
  EngineEnd,
  JobContext,
  SelectJob,
  SelectResult,
  SplitJob,
  TableDefinition,
} from "../../core/ports/engine";
import type { ServerAddress } from "./client/connection";
import { CanceledStatementError, HiveConnectionError, HiveServerError, UnknownStatementError } from "./client/errors";
import type { HiveSession } from "./client/session";
import type { Handle } from "./client/thrift";
import { cancelMilliseconds, type ControlConnections } from "./control";
import type { Dialect } from "./dialect";
import type { PreparedStatement } from "../prepared-statement";
import type { LocalWork } from "./local-work";
import { selectStages } from "./follow";
import type { ServerHealth } from "./health";
import { type Attempt, check, resumeAttempt, runAttempt, untilEnded } from "./run-select";
import { fromKept, toKept } from "./running-statement";
import { Sessions } from "./sessions";
import { withTableNames } from "./statement";
import { accessError, isAccessProblem } from "./storage/access";
import { MissingResultError, type ServerStorage } from "./storage/server-storage";

/** Attempts of a select whose connection breaks. Each is complete or leaves nothing, so another one is safe. */
const maxAttempts = 3;
const attemptPause = 1000;
/** Milliseconds for which a select waits for a server that opens a session: longer than the health of the servers does. */
const outageMilliseconds = 45_000;
/** Milliseconds that the servers may take for the check of a submission. */
const checkMilliseconds = 60_000;
/** Milliseconds that a cancelled query waits for the cancellation to reach the server. */
const cancelGrace = 500;
/** Milliseconds for which the server's answer is awaited that a session outlives its connection. */
const outliveMilliseconds = 2000;
/** Milliseconds that the end of the engine waits for its cancellations. */
const closeGrace = 5000;

export interface HiveEngineOptions {
  readonly servers: readonly ServerAddress[];
  readonly dialect: Dialect;
  readonly health: ServerHealth;
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
  readonly #sessions: Sessions;
  #closing: Promise<void> | undefined;

  constructor(private readonly options: HiveEngineOptions) {
    const { local, health, dialect, servers } = options;
    this.#sessions = new Sessions(servers, dialect);
    this.ended = this.#end.promise;
    void local.ended.then(({ reason }) => this.#close({ expected: false, reason }));
    void health.lost.then((reason) =>
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

  async checkSelect(query: CheckedQuery, control: CheckControl): Promise<undefined> {
    const prepared = await this.options.local.prepare(query, this.#mode("if-small"), control);
    const late = AbortSignal.timeout(checkMilliseconds);
    const signal = AbortSignal.any([control.signal, late]);
    try {
      const session = await this.#sessions.open(signal);
      const abort = () => session.connection.close();
      signal.addEventListener("abort", abort);
      try {
        await check(session, this.#statementOf(query, prepared));
      } finally {
        signal.removeEventListener("abort", abort);
        this.#goOnBehind(session.close());
      }
    } catch (error) {
      control.signal.throwIfAborted();
      throw late.aborted ? lateCheck(this.options.dialect) : checkError(this.#shown(error, query));
    }
  }

  async select(job: SelectJob, context: JobContext): Promise<SelectResult> {
    const signal = AbortSignal.any([context.signal, this.#closed.signal]);
    let kept = job.resume;
    let isGone = false;
    const own: JobContext = {
      signal,
      progress: (percent, stage) => context.progress(percent, stage),
      log: (line) => context.log(line),
      jobId: (id) => context.jobId(id),
      keep: async (handle) => {
        await context.keep?.(handle);
        kept = handle;
        isGone = false;
      },
    };
    context.progress(0, selectStages.prepare);
    let prepared: PreparedStatement | undefined;
    let attempts = 0;
    /** When the servers began to open no session. */
    let outage: number | undefined;
    for (;;) {
      let isTaken = true;
      try {
        if (kept !== undefined && !isGone) {
          const resumed = await this.#resume(kept, job, own);
          if (resumed) return resumed;
          isGone = true;
        }
        if (prepared === undefined) {
          prepared = await this.options.local.prepare(job, this.#mode("always"), { signal, limited: false });
          for (const note of prepared.notes) context.log(noteLine(note));
        }
        isTaken = false;
        const session = await this.#sessions.open(signal);
        isTaken = true;
        outage = undefined;
        return await this.#attempt(session, job, prepared, context.keep ? own : withoutKeeping(own));
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof HiveConnectionError) || isRefusal(error)) throw error;
        if (isTaken) {
          attempts += 1;
          if (attempts === maxAttempts) throw error;
          context.log(
            `${error.message}: the statement is ${kept === undefined || isGone ? "run" : "looked for"} again`,
          );
        } else {
          // The statement has reached no server, so this is no attempt of it.
          if (outage === undefined) context.log(`${error.message}: the statement waits for a server that answers`);
          outage ??= performance.now();
          if (performance.now() - outage > outageMilliseconds) throw error;
        }
        await sleep(attemptPause * Math.max(1, attempts), undefined, { signal });
      }
    }
  }

  async endJob(handle: string): Promise<void> {
    const { control, storage } = this.options;
    const running = fromKept(handle);
    if (!running) throw new Error("it runs on an engine of another kind");
    const server = this.#sessions.serverOf(running);
    if (!server) throw new Error(`its server ${running.address} is not in urls of the config any more`);
    let session: HiveSession | undefined;
    try {
      session = await this.#sessions.attach(server, running, this.#closed.signal);
      await untilEnded(session, running.operation, control.cancel(server, running.operation));
    } catch (error) {
      session?.connection.close();
      // A server that has ended writes nothing; it may only be out of reach.
      if (error instanceof HiveConnectionError && error.problem === "unreachable")
        await storage.discard(running.written);
      throw error;
    }
    // A cancellation of an earlier process may go on, and Hive then answers another one before the statement has ended.
    await session.close(cancelMilliseconds);
    await storage.discard(running.written);
  }

  close(): Promise<void> {
    return this.#close({ expected: true, reason: "the engine was closed" });
  }

  async #attempt(
    session: HiveSession,
    job: SelectJob,
    prepared: PreparedStatement,
    context: JobContext,
  ): Promise<SelectResult> {
    const statement = this.#statementOf(job, prepared);
    const run = (attempt: Attempt) => runAttempt(session, statement, attempt, context);
    return { columns: await this.#inSession(session, job, context, run) };
  }

  /**
   * Goes on with a statement that an earlier attempt has started.
   * @returns undefined when that is not possible, and the statement has to be run again
   */
  async #resume(handle: string, job: SelectJob, context: JobContext): Promise<SelectResult | undefined> {
    const { product } = this.options.dialect;
    const running = fromKept(handle);
    const server = running && this.#sessions.serverOf(running);
    if (!server) return undefined;
    let session: HiveSession;
    try {
      session = await this.#sessions.attach(server, running, context.signal);
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof HiveConnectionError)) throw error;
      context.log(`${error.message}: the statement is run again`);
      return undefined;
    }
    try {
      await this.#inSession(session, job, context, async (attempt) => {
        await session.progress(running.operation).catch(unlessFailed);
        context.log(`going on with the statement that ${product} runs already`);
        await resumeAttempt(session, running, attempt, context);
      });
      return running.columns === undefined ? {} : { columns: running.columns };
    } catch (error) {
      context.signal.throwIfAborted();
      if (!isGoneError(error)) throw error;
      context.log(`${product} has the statement or its result no longer: it is run again`);
      return undefined;
    }
  }

  /** Runs work in a session, which ends with it or goes on behind it. */
  async #inSession<Result>(
    session: HiveSession,
    job: SelectJob,
    context: JobContext,
    work: (attempt: Attempt) => Promise<Result>,
  ): Promise<Result> {
    const { local, resultObjectBytes: objectBytes, storage, dialect } = this.options;
    const { keep } = context;
    const { outliveConnection } = dialect;
    let goesOn = false;
    const sent = Promise.withResolvers<void>();
    const cancel = (operation: Handle) => {
      const cancelled = this.options.control.cancel(session.connection.server, operation);
      void cancelled.catch(() => undefined).then(() => sent.resolve());
      return cancelled;
    };
    try {
      return await work({
        job,
        dialect,
        storage,
        objectBytes,
        local,
        cancel,
        behind: (later, keepsSession) => {
          goesOn ||= keepsSession;
          this.#goOnBehind(later);
        },
        keep:
          keep && outliveConnection !== undefined
            ? async (running) => {
                await keep(toKept(running));
                const outlives = this.#sessions.outlive(session, outliveConnection, this.#closed.signal);
                this.#goOnBehind(outlives);
                // Where it is late or refused, the statement is followed all the same.
                await Promise.race([outlives.catch(() => undefined), sleep(outliveMilliseconds)]);
              }
            : undefined,
      });
    } catch (error) {
      throw isGoneError(error) ? error : this.#shown(error, job);
    } finally {
      if (goesOn) await Promise.race([sent.promise, sleep(cancelGrace)]);
      else this.#goOnBehind(session.close());
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
  #shown(error: unknown, { tables }: Pick<CheckedQuery, "tables">): unknown {
    if (!(error instanceof HiveServerError)) return error;
    const { message, sqlState, code } = error;
    const reason = this.options.storage.redact(withTableNames(message, tables));
    if (isAccessProblem(error)) return accessError(this.options.dialect.product, reason);
    return new HiveServerError(reason, sqlState, code);
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
    this.#sessions.close();
    this.options.control.close();
    this.options.health.close();
    this.#end.resolve(end);
  }
}

const withoutKeeping = ({ keep: _, ...context }: JobContext): JobContext => context;

/** A statement that has failed is followed like one that runs, for the lines of its log. */
function unlessFailed(error: unknown): void {
  if (isGoneError(error) || !(error instanceof HiveServerError)) throw error;
}

/** Returns true for an error after which a statement that was kept has to be run again. */
/** Returns true when servers answer, and none of them opens a session: no wait helps. */
const isRefusal = ({ problem }: HiveConnectionError) => problem === "login" || problem === "refused";

const isGoneError = (error: unknown) =>
  error instanceof UnknownStatementError ||
  error instanceof CanceledStatementError ||
  error instanceof MissingResultError;

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
