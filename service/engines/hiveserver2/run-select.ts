/** Runs one attempt of a select in a session of its own. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Column } from "../../../contract";
import { type JobContext, JobLeft, type SelectJob } from "../../core/ports/engine";
import { HiveConnectionError, HiveServerError } from "./client/errors";
import type { HiveSession } from "./client/session";
import type { Handle } from "./client/thrift";
import type { PreparedStatement } from "../prepared-statement";
import type { LocalWork } from "./local-work";
import { isAccessProblem } from "./storage/access";
import type { ServerStorage, WrittenResult } from "./storage/server-storage";
import { cancelMilliseconds } from "./control";
import type { Dialect, ResultText } from "./dialect";
import type { RunningStatement } from "./running-statement";
import { insertStatement } from "./insert";
import { follow, selectStages, storePercent } from "./follow";
import { renderStatement, statementRefused, tableName } from "./statement";

/** Milliseconds between two polls of a cancelled statement. */
const reapInterval = 1000;
/** Milliseconds for which the end of a cancelled statement is awaited, to delete what it writes. */
const reapMilliseconds = 1_800_000;

/** Partitions that a check makes known to the server. */
const checkedFolders = 8;

/** A statement with the folders of its tables, as URLs. */
export interface StatementOfTables {
  readonly statement: string;
  readonly prepared: PreparedStatement;
  readonly folders: readonly string[];
  readonly dialect: Dialect;
}

/**
 * Checks a statement in a session: the server compiles it for the columns of its result, and Hive also as it will run.
 * @throws InvalidDMLStatement, HiveConnectionError
 */
export async function check(session: HiveSession, statement: StatementOfTables): Promise<void> {
  // A statement is compiled with any of a table's partitions.
  const tables = statement.prepared.tables.map((table) => ({
    ...table,
    folders: table.folders.slice(0, checkedFolders),
  }));
  const prepared = { ...statement.prepared, tables };
  const { insert, compiling } = await insertOf(session, { ...statement, prepared }, { format: "csv" });
  if (statement.dialect.explainsInsert) {
    const explain = "EXPLAIN ";
    await compiling(explain.length, () => session.run(explain + insert));
  }
}

/**
 * Makes the statement that writes a result, and the session's tables for it.
 * @returns also a function that runs what compiles the statement, and says where the submitted one is wrong
 */
async function insertOf(
  session: HiveSession,
  { statement, prepared, folders, dialect }: StatementOfTables,
  output: { readonly format: "csv" | "tsv"; readonly folder?: string },
) {
  for (const [index, known] of prepared.tables.entries()) {
    const statements = dialect.createTable(tableName(index), known, folders[index]!);
    for (const each of statements) await session.run(each);
  }
  const rendered = renderStatement(prepared, dialect);
  const sent = { ...rendered, submitted: statement, tables: prepared.tables, dialect };
  const result = await refusing({ ...sent, prefix: dialect.describePrefix.length }, () =>
    dialect.resultTexts(session, rendered.text),
  );
  const insert = insertStatement(rendered.text, result, { ...output, dialect });
  const compiling = <Result>(before: number, run: () => Promise<Result>) =>
    refusing({ ...sent, prefix: before + insert.indexOf(rendered.text) }, run);
  return { insert, compiling, columns: columnsOf(result, prepared.names) };
}

/** Returns the columns of a result; those without a name of their own are named as in Hive, also by Spark. */
function columnsOf(result: readonly ResultText[], known: readonly string[] | null): Column[] {
  const names = known?.length === result.length ? known : undefined;
  return result.map(({ column: { name, type } }, index) => ({ name: names?.[index] ?? name, type }));
}

/** A job, and what its attempt needs. */
export interface Attempt {
  readonly job: SelectJob;
  readonly dialect: Dialect;
  readonly storage: ServerStorage;
  readonly objectBytes: number;
  readonly local: LocalWork;
  /** Sends a cancellation; resolves when the server has answered. */
  readonly cancel: (operation: Handle) => Promise<void>;
  /** Called with work that goes on when the attempt has ended; `keepsSession` when that work closes the session. */
  readonly behind: (work: Promise<void>, keepsSession: boolean) => void;
  /** Stores the handle of a statement, and lets it outlive its connection; absent when it ends with that. */
  readonly keep?: ((running: RunningStatement) => Promise<void>) | undefined;
}

/** Runs an attempt. Returns the columns of the result. @throws InvalidDMLStatement, HiveServerError, HiveConnectionError, or the signal's reason */
export async function runAttempt(
  session: HiveSession,
  statement: StatementOfTables,
  attempt: Attempt,
  context: JobContext,
): Promise<readonly Column[]> {
  const { job, storage, keep } = attempt;
  const written = storage.attemptFolder(job.output, randomBytes(6).toString("hex"));
  const folder = storage.urlOf(written);
  const { operation, columns } = await closingOnAbort(session, context.signal, async () => {
    const { insert, compiling, ...result } = await insertOf(session, statement, { format: job.outputFormat, folder });
    return { operation: await compiling(0, () => session.start(insert)), columns: result.columns };
  });
  const running = { address: session.connection.address, session: session.handle, operation, written, columns };
  if (!keep) {
    await finish(session, running, false, attempt, context);
    return columns;
  }
  try {
    await unlessAborted(context.signal, keep(running));
  } catch (error) {
    endBehind(session, running, attempt);
    throw error;
  }
  await finish(session, running, true, attempt, context);
  return columns;
}

/** Goes on with a statement that was kept. Parameters and errors are those of {@link runAttempt}. */
export function resumeAttempt(
  session: HiveSession,
  running: RunningStatement,
  attempt: Attempt,
  context: JobContext,
): Promise<void> {
  return finish(session, running, true, attempt, context);
}

/**
 * Follows a statement to its end, and stores its result.
 * @param isKept true when another attempt may resume it: then it is cancelled for a cancelled query only
 */
async function finish(
  session: HiveSession,
  running: RunningStatement,
  isKept: boolean,
  attempt: Attempt,
  context: JobContext,
): Promise<void> {
  const { job, storage, objectBytes, local } = attempt;
  const { operation, written } = running;
  try {
    context.progress(0, selectStages.execute);
    await unlessAborted(context.signal, follow(session, operation, attempt, context));
  } catch (error) {
    const { aborted, reason } = context.signal;
    if (isKept && (aborted || error instanceof HiveConnectionError)) {
      // A later attempt resumes it, or it is ended by its handle; a cancelled one soon, if the server answers now.
      if (aborted && !(reason instanceof JobLeft)) attempt.behind(attempt.cancel(operation), true);
      session.connection.close();
    } else if (aborted || error instanceof HiveConnectionError) endBehind(session, running, attempt);
    else attempt.behind(storage.discard(written), false);
    throw aborted ? reason : error;
  }
  context.progress(100 - storePercent, selectStages.store);
  const result: WrittenResult = {
    queryId: job.queryId,
    output: job.output,
    attempt: written,
    format: job.outputFormat,
    objectBytes,
  };
  const { objects, bytes } = await storage.store(result, local, context).catch((error: unknown) => {
    if (!isKept) attempt.behind(storage.discard(written), false);
    throw error;
  });
  context.log(`stored ${bytes} bytes in ${objects} ${objects === 1 ? "object" : "objects"}`);
  context.progress(100, selectStages.store);
}

/** Cancels a statement, and deletes what it writes when it has ended. */
function endBehind(
  session: HiveSession,
  { operation, written }: RunningStatement,
  { cancel, behind, storage }: Pick<Attempt, "cancel" | "behind" | "storage">,
): void {
  const cancelled = cancel(operation);
  behind(
    reap(session, operation, cancelled, () => storage.discard(written)),
    true,
  );
}

/** Rejects at once when the signal is aborted: a call that waits for its answer may take long. */
async function unlessAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  work.catch(() => undefined);
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * Waits until the server says that a cancelled statement has ended and answers its cancellation, or that it does not know
 * the statement. A server that stops to answer is noticed before the cancellation is late, which may take minutes.
 * @throws HiveConnectionError when it does not say so
 */
export async function untilEnded(session: HiveSession, operation: Handle, cancelled: Promise<void>): Promise<void> {
  const { address } = session.connection;
  const end = performance.now() + reapMilliseconds;
  const cancellation = { isAnswered: false };
  const answered = cancelled.then(() => (cancellation.isAnswered = true));
  answered.catch(() => undefined);
  try {
    while ((await session.progress(operation)).state === "running" || !cancellation.isAnswered) {
      if (performance.now() > end)
        throw new HiveConnectionError("timeout", address, "still runs a cancelled statement");
      const pause = sleep(reapInterval);
      // A cancellation that fails ends the wait.
      await (cancellation.isAnswered ? pause : Promise.race([answered, pause]));
    }
  } catch (error) {
    if (!(error instanceof HiveServerError)) throw error;
  }
}

/** Waits for the end of a cancelled statement, and deletes what it has written. */
async function reap(
  session: HiveSession,
  operation: Handle,
  cancelled: Promise<void>,
  discard: () => Promise<void>,
): Promise<void> {
  try {
    await untilEnded(session, operation, cancelled);
  } catch {
    // The statement has ended with its connection.
  }
  await session.close(cancelMilliseconds);
  await discard();
}

/** Runs the calls that prepare a statement; an abort closes the connection, with which the session ends. */
async function closingOnAbort<Result>(
  session: HiveSession,
  signal: AbortSignal,
  run: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const abort = () => session.connection.close();
  signal.addEventListener("abort", abort);
  try {
    return await run();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function refusing<Result>(
  sent: Parameters<typeof statementRefused>[1],
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof HiveServerError && !isAccessProblem(error) ? statementRefused(error, sent) : error;
  }
}
