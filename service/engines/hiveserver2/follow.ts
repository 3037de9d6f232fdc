/** Follows a statement on the server: its progress and its log. */
import { setTimeout as sleep } from "node:timers/promises";
import type { JobContext, SelectJob } from "../../core/ports/engine";
import { CanceledStatementError, HiveServerError, ProgressError } from "./client/errors";
import type { HiveSession } from "./client/session";
import type { Handle } from "./client/thrift";
import type { Dialect } from "./dialect";
import { withTableNames } from "./statement";
import type { ServerStorage } from "./storage/server-storage";

/** The stages of a select, as in its record's `stage`; the same as those of the embedded engine. */
export const selectStages = { prepare: 1, execute: 2, store: 3 } as const;
/** Percentage of the progress that the last stage takes. */
export const storePercent = 2;
/** Milliseconds between two polls of a running statement: growing from the first to the second. */
const pollInterval = { first: 100, longest: 1000 } as const;
/** Milliseconds for which the last line of an ended statement's log is awaited, and between two polls for it. */
const lastLog = { longest: 2000, interval: 50 } as const;

/** What is known of a statement that is followed. */
interface FollowedStatement {
  readonly job: Pick<SelectJob, "tables">;
  readonly dialect: Dialect;
  readonly storage: Pick<ServerStorage, "redact">;
}

/** Follows a statement to its end. @throws HiveServerError, HiveConnectionError */
export async function follow(
  session: HiveSession,
  operation: Handle,
  { storage, dialect, job }: FollowedStatement,
  context: JobContext,
): Promise<void> {
  const { signal } = context;
  const jobId = await dialect.jobId(session, operation);
  context.jobId(jobId);
  context.log(`${dialect.product} runs the statement as ${jobId} on ${session.connection.address}`);
  const log = new ServerLog(session, operation, dialect.lastLogLine, (line) =>
    context.log(storage.redact(withTableNames(line, job.tables))),
  );
  let isUnread = false;
  const unread = ({ message }: ProgressError) => {
    if (!isUnread) context.log(`the progress of the statement is not known: ${message}`);
    isUnread = true;
  };
  let interval: number = pollInterval.first;
  for (;;) {
    signal.throwIfAborted();
    const { state, percent } = await settled(session.progress(operation));
    await log.read();
    if (state !== "running") await log.readToEnd(signal);
    if (state instanceof Error) throw state;
    if (state === "finished") return;
    if (state === "canceled") throw new CanceledStatementError("the statement was cancelled on the server", undefined);
    const done = (await ownProgress(dialect, operation, signal, unread)) ?? percent;
    context.progress((Math.min(100, done) * (100 - storePercent)) / 100, selectStages.execute);
    await sleep(interval, undefined, { signal });
    interval = Math.min(interval * 1.5, pollInterval.longest);
  }
}

/** Returns the progress that the server's own API reports. @param unread called when it cannot be read */
async function ownProgress(
  dialect: Dialect,
  operation: Handle,
  signal: AbortSignal,
  unread: (error: ProgressError) => void,
): Promise<number | undefined> {
  try {
    return await dialect.progress?.(operation, signal);
  } catch (error) {
    if (!(error instanceof ProgressError)) throw error;
    unread(error);
    return undefined;
  }
}

/** The server's log of a statement. */
class ServerLog {
  #isKept = false;
  #isComplete = false;

  constructor(
    private readonly session: HiveSession,
    private readonly operation: Handle,
    private readonly lastLine: RegExp | undefined,
    private readonly add: (line: string) => void,
  ) {}

  /** Adds the lines since the last call. */
  async read(): Promise<void> {
    for (const line of await this.session.log(this.operation)) {
      this.add(line);
      this.#isKept = true;
      this.#isComplete ||= this.lastLine?.test(line) === true;
    }
  }

  /** Reads until the last line is there: the server writes its log behind the statement. */
  async readToEnd(signal: AbortSignal): Promise<void> {
    const end = performance.now() + lastLog.longest;
    // A server that has logged nothing keeps no log.
    while (this.lastLine && this.#isKept && !this.#isComplete && performance.now() < end) {
      await sleep(lastLog.interval, undefined, { signal });
      await this.read();
    }
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
