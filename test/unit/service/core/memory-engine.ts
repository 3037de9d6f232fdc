/** An engine family whose jobs the test completes. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errors } from "../../../../contract";
import type { FileStorage } from "../../../../storage/file";
import type {
  CheckControl,
  Engine,
  EngineEnd,
  EngineFamily,
  EngineOptions,
  JobContext,
  SelectJob,
  SelectResult,
  SplitJob,
  SplitResult,
} from "../../../../service/core/ports/engine";

/** A running job of the engine. */
export interface PendingJob {
  readonly queryId: number;
  readonly job: SelectJob | SplitJob;
  readonly context: JobContext;
  /** Writes one object with this content to the job's output and completes the job. */
  finish(content?: string): void;
  fail(error: Error): void;
}

export class MemoryFamily implements EngineFamily {
  readonly starts: EngineOptions[] = [];
  readonly jobs = new Map<number, PendingJob>();
  /** The handles of jobs that were to end, and how often this fails. */
  readonly endedJobs: string[] = [];
  failedEnds = 0;
  /** Errors with which the next starts fail. */
  readonly failStarts: Error[] = [];
  /** Holds starts back until it is resolved. */
  startDelay: PromiseWithResolvers<void> | undefined;
  engine: MemoryEngine | undefined;
  /** Holds checks back until it is resolved. */
  checkDelay: PromiseWithResolvers<void> | undefined;
  /** Checks that run now, and the most that ran at a time. */
  checking = 0;
  mostChecks = 0;

  constructor(
    private readonly storage: FileStorage,
    readonly type = "memory",
  ) {}

  async start(options: EngineOptions): Promise<Engine> {
    this.starts.push(options);
    const failure = this.failStarts.shift();
    if (failure) throw failure;
    await this.startDelay?.promise;
    return (this.engine = new MemoryEngine(this, this.storage));
  }

  job(queryId: number): PendingJob {
    const job = this.jobs.get(queryId);
    if (!job) throw new Error(`query ${queryId} does not run on the engine`);
    return job;
  }
}

export class MemoryEngine implements Engine {
  readonly #ended = Promise.withResolvers<EngineEnd>();
  readonly ended = this.#ended.promise;

  constructor(
    private readonly family: MemoryFamily,
    private readonly storage: FileStorage,
  ) {}

  async tablesRead(statement: string) {
    return tablesOf(statement);
  }

  async columnNames() {
    return undefined;
  }

  async sampleTable() {
    return { columns: [], rows: [], isTruncated: false };
  }

  async checkSelect({ statement }: Pick<SelectJob, "statement">, { signal }: CheckControl): Promise<undefined> {
    const { family } = this;
    family.checking += 1;
    family.mostChecks = Math.max(family.mostChecks, family.checking);
    const aborted = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    aborted.catch(() => undefined);
    await Promise.race([family.checkDelay?.promise, aborted]).finally(() => (family.checking -= 1));
    if (statement.includes("unknown_column"))
      throw new errors.InvalidDMLStatement("1:8 column unknown_column does not exist");
  }

  select(job: SelectJob, context: JobContext): Promise<SelectResult> {
    context.jobId(`memory-${job.queryId}`);
    return this.#run(job, context).then(() => ({ columns: [{ name: "line", type: "string" }] }));
  }

  split(job: SplitJob, context: JobContext): Promise<SplitResult> {
    context.jobId(`memory-${job.queryId}`);
    return this.#run(job, context).then(() => ({
      columns: job.columns ?? [{ name: "_c0", type: "string" }],
      checked: true,
    }));
  }

  async endJob(handle: string): Promise<void> {
    this.family.endedJobs.push(handle);
    this.family.failedEnds -= 1;
    if (this.family.failedEnds >= 0) throw new Error("the server does not answer");
  }

  async close(): Promise<void> {
    this.crash("closed", true);
  }

  crash(reason: string, expected = false): void {
    this.#ended.resolve({ expected, reason });
    for (const [id, job] of this.family.jobs) {
      this.family.jobs.delete(id);
      job.fail(new Error("channel closed"));
    }
  }

  #run(job: SelectJob | SplitJob, context: JobContext): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = (settle: () => void) => {
      this.family.jobs.delete(job.queryId);
      settle();
    };
    const pending: PendingJob = {
      queryId: job.queryId,
      job,
      context,
      finish: (content = `result of ${job.queryId}\n`) => {
        const folder = this.storage.path(job.output);
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, "000000_0"), content);
        end(resolve);
      },
      fail: (error) => end(() => reject(error)),
    };
    this.family.jobs.set(job.queryId, pending);
    const cancel = () => pending.fail(new Error("interrupted"));
    if (context.signal.aborted) cancel();
    else context.signal.addEventListener("abort", cancel);
    return promise;
  }
}

/** Parses `from <database>.<table>` or `from <table>`; refuses everything else. */
function tablesOf(statement: string) {
  if (!/^select\b/i.test(statement))
    throw new errors.InvalidDMLStatement("1:1 only SELECT is taken", { field: "query" });
  return [...statement.matchAll(/\bfrom (?:([a-z0-9.-]+)\.)?([a-z0-9_]+)/g)].map(
    ([, database = "default", table = ""]) => ({
      database,
      table,
    }),
  );
}
