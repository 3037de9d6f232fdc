/** Runs one attempt of a select in a session of its own. */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { JobContext, SelectJob } from "../../core/ports/engine";
import { HiveConnectionError, HiveServerError } from "./client/errors";
import type { HiveSession } from "./client/session";
import type { Handle } from "./client/thrift";
import type { PreparedStatement } from "./local-work";
import type { LocalWork } from "./local-work";
import type { ServerStorage, WrittenResult } from "./storage/server-storage";
import type { Dialect } from "./dialect";
import { insertStatement, resultColumn } from "./insert";
import { renderStatement, statementRefused, tableName, withTableNames } from "./statement";

/** The stages of a select, as in its record's `stage`; the same as those of the embedded engine. */
export const selectStages = { prepare: 1, execute: 2, store: 3 } as const;
/** Percentage of the progress that the last stage takes. */
const storePercent = 2;
/** Milliseconds between two looks at a running statement: growing from the first to the second. */
const pollInterval = { first: 100, longest: 1000 } as const;
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
 * @returns the statement that writes the result
 * @throws InvalidDMLStatement, HiveConnectionError
 */
export async function compile(
  session: HiveSession,
  { statement, prepared, folders, dialect }: StatementOfTables,
  output: { readonly format: "csv" | "tsv"; readonly folder?: string },
): Promise<string> {
  for (const [index, table] of prepared.tables.entries()) {
    // A statement is compiled with any of a table's partitions.
    const known = output.folder === undefined ? { ...table, folders: table.folders.slice(0, checkedFolders) } : table;
    const statements = dialect.createTable(tableName(index), known, folders[index]!);
    for (const each of statements) await session.run(each);
  }
  const rendered = renderStatement(prepared, dialect);
  const sent = { ...rendered, submitted: statement, tables: prepared.tables, dialect };
  const texts = await refusing({ ...sent, prefix: dialect.describePrefix.length }, () =>
    dialect.resultTexts(session, rendered.text, resultColumn),
  );
  const insert = insertStatement(rendered.text, texts, { ...output, dialect });
  if (dialect.explainsInsert) {
    const prefix = insert.indexOf(rendered.text) + "EXPLAIN ".length;
    await refusing({ ...sent, prefix }, () => session.run(`EXPLAIN ${insert}`));
  }
  return insert;
}

/** A job, and what its attempt needs. */
export interface Attempt {
  readonly job: SelectJob;
  readonly statement: StatementOfTables;
  readonly storage: ServerStorage;
  readonly objectBytes: number;
  readonly local: LocalWork;
  /** Sends a cancellation; resolves when the server has answered. */
  readonly cancel: (operation: Handle) => Promise<void>;
  /** Called with work that goes on when the attempt has ended; `keepsSession` when that work closes the session. */
  readonly behind: (work: Promise<void>, keepsSession: boolean) => void;
}

/** Runs an attempt. @throws InvalidDMLStatement, HiveServerError, HiveConnectionError, or the signal's reason */
export async function runAttempt(session: HiveSession, attempt: Attempt, context: JobContext): Promise<void> {
  const { job, statement, storage, objectBytes, local } = attempt;
  const written = storage.attemptFolder(job.output, randomBytes(6).toString("hex"));
  const result: WrittenResult = {
    queryId: job.queryId,
    output: job.output,
    attempt: written,
    format: job.outputFormat,
    objectBytes,
  };
  const folder = storage.urlOf(written);
  const operation = await closingOnAbort(session, context.signal, async () => {
    const insert = await compile(session, statement, { format: job.outputFormat, folder });
    return session.start(insert);
  });
  try {
    context.progress(0, selectStages.execute);
    await unlessAborted(context.signal, follow(session, operation, attempt, context));
  } catch (error) {
    const { aborted } = context.signal;
    if (aborted || error instanceof HiveConnectionError) {
      const cancelled = attempt.cancel(operation);
      attempt.behind(
        reap(session, operation, cancelled, () => storage.discard(written)),
        true,
      );
    } else attempt.behind(storage.discard(written), false);
    throw aborted ? context.signal.reason : error;
  }
  context.progress(100 - storePercent, selectStages.store);
  const { objects, bytes } = await storage.store(result, local, context).catch((error: unknown) => {
    attempt.behind(storage.discard(written), false);
    throw error;
  });
  context.log(`stored ${bytes} bytes in ${objects} ${objects === 1 ? "object" : "objects"}`);
  context.progress(100, selectStages.store);
}

/** Follows a statement to its end. */
async function follow(
  session: HiveSession,
  operation: Handle,
  { storage, statement }: Attempt,
  context: JobContext,
): Promise<void> {
  const { signal } = context;
  const { dialect } = statement;
  const jobId = await dialect.jobId(session, operation);
  context.jobId(jobId);
  context.log(`${dialect.product} runs the statement as ${jobId}`);
  let interval: number = pollInterval.first;
  for (;;) {
    signal.throwIfAborted();
    const { state, percent } = await settled(session.progress(operation));
    for (const line of await session.log(operation)) {
      context.log(storage.redact(withTableNames(line, statement.prepared.tables)));
    }
    if (state instanceof Error) throw state;
    if (state === "finished") return;
    if (state === "canceled") throw new HiveServerError("the statement was cancelled on the server", undefined);
    const done = (await dialect.progress?.(operation, signal)) ?? percent;
    context.progress((Math.min(100, done) * (100 - storePercent)) / 100, selectStages.execute);
    await sleep(interval, undefined, { signal });
    interval = Math.min(interval * 1.5, pollInterval.longest);
  }
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

/** Returns a failure as a state, so that the log is read before it is thrown. */
async function settled(progress: ReturnType<HiveSession["progress"]>) {
  try {
    return await progress;
  } catch (error) {
    if (error instanceof HiveServerError) return { state: error, percent: 0 };
    throw error;
  }
}

/** Waits for the end of a cancelled statement, and deletes what it has written. */
async function reap(
  session: HiveSession,
  operation: Handle,
  cancelled: Promise<void>,
  discard: () => Promise<void>,
): Promise<void> {
  const end = performance.now() + reapMilliseconds;
  try {
    await cancelled;
    while (performance.now() < end && (await session.progress(operation)).state === "running") {
      await sleep(pollInterval.longest);
    }
  } catch {
    // The statement has ended with an error, or with its connection.
  }
  await session.close();
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
    throw error instanceof HiveServerError ? statementRefused(error, sent) : error;
  }
}
