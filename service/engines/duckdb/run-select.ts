/** Runs selects: tables become views, the statement becomes DuckDB SQL, its rows become the result objects. */
import { mkdir, rm } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Logger } from "pino";
import { errors } from "../../../contract";
import { HiveQLError } from "../../../hiveql/syntax";
import type { Database } from "./process/database";
import { duckdbErrorKind, EngineError } from "./errors";
import { formatBytes } from "./process/exit";
import { guardStatement } from "./statement-guard";
import { copyStatement, resultFile, storeResult } from "./output";
import type { EngineSettings, OperationInput } from "./process/protocol";
import type { JobTables, Tables } from "./tables";
import type { Translation } from "./translation";
import type { Translator } from "./process/translator";

/** How a running job is followed and ended. */
export interface Follower {
  readonly signal: AbortSignal;
  progress(percent: number, stage: number): void;
  log(line: string): void;
  jobId(id: string): void;
}

/** What selects run with. */
export interface SelectContext {
  readonly settings: EngineSettings;
  readonly database: Database;
  readonly tables: Tables;
  readonly translator: Translator;
  readonly log: Logger;
}

/** Stages of a select, as its record's `stage` counts them. */
const selectStages = {
  /** The beginnings of the tables' files are read, their columns found, the statement translated. */
  prepare: 1,
  /** DuckDB reads the tables, computes, and writes the rows. */
  execute: 2,
  /** The rows are cut into objects where they are many, and brought to the disk. */
  store: 3,
} as const;

/** Milliseconds between two looks at DuckDB's progress. */
const progressInterval = 200;
/** Share of the progress that is left for the last stage. */
const storePercent = 2;

/** Checks a statement against its tables, down to DuckDB's own binding of names and types. */
export async function checkSelect(context: SelectContext, { statement, tables }: OperationInput<"checkSelect">) {
  await context.database.withConnection((connection) =>
    context.tables.withViews(connection, tables, "if-small", async (job) => {
      const { sql } = await translated(context, connection, statement, job);
      try {
        (await connection.prepare(sql)).destroySync();
      } catch (error) {
        const reason = describe(error, context.settings);
        throw new errors.InvalidDMLStatement(`query cannot run on the embedded engine: ${reason}`, { field: "query" });
      }
    }),
  );
}

/** Runs a statement into its output folder. */
export async function runSelect(context: SelectContext, job: OperationInput<"select">, follower: Follower) {
  const { settings, database, tables } = context;
  follower.progress(0, selectStages.prepare);
  try {
    await mkdir(job.output, { recursive: true });
    await database.withConnection((connection) =>
      interruptible(connection, follower.signal, () =>
        tables.withViews(
          connection,
          job.tables,
          "always",
          (views) => execute(context, connection, job, views, follower),
          follower.signal,
        ),
      ),
    );
    follower.signal.throwIfAborted();
    follower.progress(100 - storePercent, selectStages.store);
    const { objects, bytes } = await storeResult(
      job.output,
      job.outputFormat,
      settings.resultObjectBytes,
      follower.signal,
    );
    follower.log(`stored ${bytes} bytes in ${objects} ${objects === 1 ? "object" : "objects"}`);
    follower.progress(100, selectStages.store);
  } catch (error) {
    throw isOurs(error) ? error : new EngineError(describe(error, settings), { cause: error });
  }
}

async function execute(
  context: SelectContext,
  connection: DuckDBConnection,
  job: OperationInput<"select">,
  views: JobTables,
  follower: Follower,
): Promise<void> {
  const { sql, columnCount } = await translated(context, connection, job.statement, views, follower.signal);
  const path = resultFile(job.output);
  // A first attempt, before the tables were read in another way, may have left it.
  await rm(path, { force: true });
  const copy = copyStatement(sql, columnCount, job.outputFormat, path);
  await explain(context, connection, job.queryId, copy);
  follower.progress(0, selectStages.execute);
  const timer = setInterval(() => {
    const { percentage } = connection.progress;
    const share = Math.min(100, Math.max(0, percentage)) / 100;
    follower.progress(share * (100 - storePercent), selectStages.execute);
  }, progressInterval);
  try {
    const result = await connection.run(copy);
    follower.log(`wrote ${result.rowsChanged} rows`);
  } finally {
    clearInterval(timer);
  }
}

/** The statement as SQL that the guard has let pass. */
async function translated(
  { translator }: SelectContext,
  connection: DuckDBConnection,
  statement: string,
  { tables, relations }: JobTables,
  signal?: AbortSignal,
): Promise<Translation> {
  const translation = await translator.translate(statement, tables, signal);
  await guardStatement(connection, translation.sql, { relations });
  return translation;
}

/** Under `debug`, the translated SQL and DuckDB's plan go to the engine's log. */
async function explain({ log, settings }: SelectContext, connection: DuckDBConnection, queryId: number, sql: string) {
  if (!settings.debug) return;
  const reader = await connection.runAndReadAll(`EXPLAIN ${sql}`);
  log.debug({ queryId, sql, plan: reader.getRowsJson().map((row) => row.at(-1)) }, "translated statement");
}

async function interruptible<Result>(
  connection: DuckDBConnection,
  signal: AbortSignal,
  run: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  // One interrupt ends the statement that runs; another may begin before the job sees the signal.
  let timer: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    timer ??= setInterval(() => connection.interrupt(), 20);
  };
  signal.addEventListener("abort", interrupt);
  try {
    return await run();
  } finally {
    signal.removeEventListener("abort", interrupt);
    clearInterval(timer);
  }
}

const isOurs = (error: unknown) =>
  error instanceof EngineError || error instanceof HiveQLError || error instanceof errors.InvalidDMLStatement;

/** What a DuckDB error says to the person whose query it ended. */
function describe(error: unknown, { memoryBytes }: EngineSettings): string {
  const text = error instanceof Error ? error.message : String(error);
  if (duckdbErrorKind(error) !== "out-of-memory") return text;
  // Behind the first line stand remedies that only the engine's owner could apply.
  return `the query ran out of memory (the cluster's limit is ${formatBytes(memoryBytes)}): ${text.split("\n", 1)[0]}`;
}
