/** Runs selects: reads the tables, translates the statement to DuckDB SQL and writes the result objects. */
import { mkdirSync, rmSync, statSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type Column, errors, noteLine, type QueryNote } from "../../../contract";
import type { JobContext } from "../../core/ports/engine";
import { HiveQLError } from "../../../hiveql/syntax";
import type { Database } from "./process/database";
import { duckdbErrorKind, EngineError } from "./engine-errors";
import { failureReason, type FailureReason, type ParquetObjects } from "./failure-reasons";
import { checkedObjects, type EngineFiles, type EngineTable } from "./files";
import { guardStatement } from "./statement-guard";
import { copyStatement, resultFile, storeResult } from "./output";
import type { EngineSettings, EngineOperationInput, EngineOperationOutput } from "./process/protocol";
import type { JobTables, Tables } from "./tables";
import type { ResultQuery } from "./translation";
import { translateInferred } from "./inferred-types";
import { readStatement, type Statement } from "./process/translator";

/** The part of a job's context that reaches the process: it has nothing that outlives the process. */
export type JobControl = Omit<JobContext, "keep">;

/** A running check: it reports when it has listed the objects, and begins with the statement. */
export type CheckProgress = Pick<JobControl, "signal" | "progress">;

/** Adds records to the log of the cluster's engine: never rows of tables; statements only with `debug`, but for what the message of a failure quotes. */
export type ProcessLog = Readonly<
  Record<"debug" | "info" | "warn" | "error", (fields: object, message: string) => void>
>;

/** The dependencies of selects. */
export interface SelectContext {
  readonly settings: EngineSettings;
  readonly database: Database;
  readonly tables: Tables;
  readonly files: EngineFiles;
  readonly log: ProcessLog;
}

/** The stages of a select, as in its record's `stage`. */
const selectStages = {
  /** Reads the heads of the tables' files, infers their columns and translates the statement. */
  prepare: 1,
  /** DuckDB runs the statement and writes the rows. */
  execute: 2,
  /** Cuts a large result into objects and flushes them to the disk. */
  store: 3,
} as const;

/** Interval in which DuckDB's progress is polled. */
const progressIntervalMilliseconds = 200;
/** Percentage of the progress that the last stage takes. */
const storePercent = 2;

/**
 * Checks a statement against its tables, including DuckDB's binding of names and types. Computes nothing but the types of
 * undeclared columns. Returns what the run need not read again.
 */
export async function checkSelect(
  context: SelectContext,
  { statement, user, tables, views }: EngineOperationInput<"checkSelect">,
  control: CheckProgress,
): Promise<Uint8Array | undefined> {
  const connection = context.database.forChecks;
  const { signal } = control;
  const definitions = await context.files.tables(tables, signal, checkedObjects);
  control.progress(0, selectStages.prepare);
  try {
    const query = readStatement(statement, views, user);
    await context.tables.withRelations(
      connection,
      definitions,
      query,
      { scanMode: "if-small", signal },
      async (job) => {
        const { sql } = await translateGuarded(connection, query, job);
        (await connection.prepare(`${job.withClause}SELECT * FROM (${sql})`)).destroySync();
      },
    );
    return query.encode();
  } catch (error) {
    if (error instanceof HiveQLError || error instanceof errors.InvalidDMLStatement) throw error;
    if (signal.aborted || error instanceof errors.StorageAccessError) throw error;
    // The select would fail in the same way: because of the data of its tables, or of a fault of the translator.
    const reason = loggedReason(context, error, "check failed", parquetOf(definitions));
    if (["files", "denied"].includes(duckdbErrorKind(error)))
      throw new errors.StorageAccessError(reason, { field: "query" });
    throw new errors.InvalidDMLStatement(`query cannot run on the embedded engine: ${reason}`, { field: "query" });
  }
}

/** Runs a statement and writes the result to its output folder. Returns the columns of the result and how many rows it has. */
export async function runSelect(
  context: SelectContext,
  job: EngineOperationInput<"select">,
  control: JobControl,
): Promise<EngineOperationOutput<"select">> {
  const { settings, database, tables, files } = context;
  control.progress(0, selectStages.prepare);
  const listed = await files.tables(job.tables, control.signal);
  const remote = files.remote?.(listed, job.tables);
  try {
    // A few calls that return at once take less time than as many turns of other threads.
    mkdirSync(job.output, { recursive: true });
    const query = readStatement(job.statement, job.views, job.user, job.read);
    const { signal } = control;
    const run = ({ forSelects: connection }: Database) =>
      withInterrupt(connection, signal, () =>
        tables.withRelations(connection, remote?.tables ?? listed, query, { scanMode: "always", signal }, (relations) =>
          writeResultFile(context, connection, { ...job, query }, relations, control),
        ),
      );
    const { columns, rows } = await (remote ? remote.run(database, signal, run) : run(database));
    control.signal.throwIfAborted();
    control.progress(100 - storePercent, selectStages.store);
    const { objects, bytes } = await storeResult(
      job.output,
      job.outputFormat,
      settings.resultObjectBytes,
      control.signal,
    );
    control.log(`stored ${bytes} bytes in ${objects} ${objects === 1 ? "object" : "objects"}`);
    control.progress(100, selectStages.store);
    return { columns: columns.map(({ name, type }) => ({ name, type })), rows };
  } catch (error) {
    throw isUserError(error) || control.signal.aborted
      ? error
      : new EngineError(loggedReason(context, error, "select failed", parquetOf(listed)));
  }
}

async function writeResultFile(
  context: SelectContext,
  connection: DuckDBConnection,
  job: EngineOperationInput<"select"> & { readonly query: Statement },
  relations: JobTables,
  control: JobControl,
): Promise<{ readonly columns: readonly Column[]; readonly rows: number }> {
  const { sql, columns, notes } = await translateGuarded(connection, job.query, relations);
  const { withClause } = relations;
  const path = resultFile(job.output);
  // A first attempt with other relations may have left it.
  rmSync(path, { force: true });
  const copy = copyStatement({ sql, withClause }, columns.length, job.outputFormat, path);
  await logPlan(context, connection, job.queryId, copy);
  const all = [...relations.notes, ...notes.map((text): QueryNote => ({ severity: "warning", text }))];
  // A table that is read twice has its notes twice.
  for (const line of new Set(all.map(noteLine))) control.log(line);
  control.progress(0, selectStages.execute);
  const timer = setInterval(() => {
    const { percentage } = connection.progress;
    const share = Math.min(100, Math.max(0, percentage)) / 100;
    control.progress(share * (100 - storePercent), selectStages.execute);
  }, progressIntervalMilliseconds);
  try {
    const result = await connection.run(copy);
    control.log(`wrote ${result.rowsChanged} rows`);
    return { columns, rows: result.rowsChanged };
  } finally {
    clearInterval(timer);
  }
}

/** Translates the statement and checks the SQL with the statement guard. */
async function translateGuarded(connection: DuckDBConnection, query: Statement, job: JobTables): Promise<ResultQuery> {
  const translation = translateInferred(query, job);
  await guardStatement(connection, translation.sql, job);
  return translation;
}

/** Logs the translated SQL and DuckDB's plan when the cluster has `debug`. */
async function logPlan({ log, settings }: SelectContext, connection: DuckDBConnection, queryId: number, sql: string) {
  if (!settings.debug) return;
  const reader = await connection.runAndReadAll(`EXPLAIN ${sql}`);
  log.debug({ queryId, sql, plan: reader.getRowsJson().map((row) => row.at(-1)) }, "translated statement");
}

async function withInterrupt<Result>(
  connection: DuckDBConnection,
  signal: AbortSignal,
  run: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  // An interrupt ends only the current statement; the job may start another before it checks the signal.
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

/** Returns true for errors whose message is for the user. */
export const isUserError = (error: unknown) =>
  error instanceof EngineError || error instanceof HiveQLError || error instanceof errors.InvalidDMLStatement;

/** Returns the Parquet objects of a statement that have rows; undefined when it reads none. */
export function parquetOf(tables: readonly EngineTable[]): ParquetObjects | undefined {
  const read = tables.filter(({ format, files }) => format === "parquet" && files.some(({ size }) => size > 0));
  const all = read.flatMap(({ files }) => files.filter(({ size }) => size > 0));
  const [only, ...others] = all;
  if (only === undefined) return undefined;
  const names = [...new Set(read.map(({ database, table }) => `${database}.${table}`))];
  return {
    name: others.length === 0 ? only.location : `one of the Parquet objects of ${names.join(" and ")}`,
    isUnchanged: (path) =>
      all.some((file) => file.path === path && file.size === statSync(path, { throwIfNoEntry: false })?.size),
  };
}

/**
 * Returns why a query, a check or a sample failed, and logs what only operators of the service can use.
 * @param parquet the Parquet objects that the statement reads.
 */
export function loggedReason(
  { settings, log }: SelectContext,
  error: unknown,
  message: string,
  parquet?: ParquetObjects,
): string {
  const { reason, detail }: FailureReason =
    error instanceof EngineError ? { reason: error.message } : failureReason(error, settings, parquet);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.stack : undefined;
  log.warn({ reason, detail, cause }, message);
  return reason;
}
