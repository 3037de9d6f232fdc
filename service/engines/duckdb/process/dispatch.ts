/** Runs the requests in an engine process. */
import { bucketPattern, bucketRule, errors } from "../../../../contract";
import { HiveQLError } from "../../../../hiveql/syntax";
import { Database } from "./database";
import { encodeFailure } from "./failure";
import { KeptMemory } from "./kept-memory";
import type { EngineRequest, EngineOperationOutput, EngineSettings, FromEngine } from "./protocol";
import { checkSelect, runSelect, type JobControl, type ProcessLog, type SelectContext } from "../run-select";
import { sampleTable } from "../sample-table";
import { runSplitJob, type SplitContext } from "../split-job";
import { columnNames } from "../column-names";
import { type EngineFiles, LocalEngineFiles } from "../files";
import { Tables } from "../tables";
import { RememberedFacts } from "../tables/remembered-facts";
import { castFromText } from "../../../../hiveql/index";
import { createMacros, registerFunctions } from "../translation";
import { readTables } from "./translator";

/** Runs requests. */
export interface Dispatcher {
  /** Runs a request, sends its result or failure, and gives back its memory. */
  request(request: EngineRequest): Promise<void>;
  /** Cancels a request; no effect when it has ended. */
  cancel(id: number): void;
  /** Sets DuckDB's memory limit. */
  limitMemory(bytes: number): void;
}

/** Opens the database of an engine process, and returns its dispatcher. */
export async function createDispatcher(
  settings: EngineSettings,
  send: (message: FromEngine) => void,
): Promise<Dispatcher> {
  const database = await Database.open(settings, { functions: registerFunctions, macros: createMacros });
  const log = engineLog(send);
  const { files, split } = await accessOf(settings);
  const { factsDirectory } = settings;
  const remembered = factsDirectory === undefined ? undefined : new RememberedFacts(factsDirectory);
  const tables = new Tables({ cast: castFromText, files, remembered });
  const context: ProcessContext = { settings, database, tables, files, log, split };
  const running = new Map<number, AbortController>();
  const memory = new KeptMemory(database, settings.memoryBytes);
  const redact = (text: string) => redactPaths(text, settings);
  return {
    async request(request) {
      const { id, operation } = request;
      const controller = new AbortController();
      running.set(id, controller);
      await memory.beforeRequest();
      // An earlier request may have used more than the limit allows.
      void database.limitMemory();
      const started = performance.now();
      const queryId = "queryId" in request.input ? request.input.queryId : undefined;
      const milliseconds = () => Math.round(performance.now() - started);
      log.info({ operation, queryId }, "started");
      try {
        const output = await perform(context, request, jobControl(id, controller.signal, send, redact)).finally(() =>
          files.release(),
        );
        log.info({ operation, queryId, milliseconds: milliseconds() }, "finished");
        send({ type: "result", id, output });
      } catch (error) {
        const failure = encodeFailure(error, controller.signal.aborted, redact);
        log.warn({ operation, queryId, milliseconds: milliseconds(), failure }, "failed");
        await database.renewIfInvalidated();
        send({ type: "failure", id, failure });
      } finally {
        running.delete(id);
      }
      if (running.size > 0) return;
      const keptBytes = await memory.afterRequest();
      send({ type: "idle", rssBytes: process.memoryUsage.rss(), keptBytes });
    },
    cancel: (id) => running.get(id)?.abort(new Error("the query was cancelled")),
    limitMemory: (bytes) => void database.limitMemory(bytes),
  };
}

interface ProcessContext extends SelectContext {
  /** Runs a split. */
  readonly split: typeof runSplitJob;
}

/** Returns what reads and writes the objects; that of S3 is loaded only where they are there. */
async function accessOf(settings: EngineSettings): Promise<{ files: EngineFiles; split: typeof runSplitJob }> {
  if (!settings.s3) return { files: new LocalEngineFiles(settings.dataDirectory), split: runSplitJob };
  const { openS3Access } = await import("../s3/index.js");
  const { files, split } = await openS3Access({ ...settings, s3: settings.s3 });
  return { files, split: (context: SplitContext, input, control) => split(context, input, control) };
}

/** Writes to the log of the cluster's engine, which the parent keeps. */
function engineLog(send: (message: FromEngine) => void): ProcessLog {
  const record =
    (level: "debug" | "info" | "warn" | "error") =>
    (fields: object, message: string): void =>
      send({ type: "record", level, fields: { ...fields }, message });
  return { debug: record("debug"), info: record("info"), warn: record("warn"), error: record("error") };
}

async function perform(context: ProcessContext, request: EngineRequest, control: JobControl): Promise<unknown> {
  switch (request.operation) {
    case "tablesRead":
      return withStatementErrors(async () => readTableNames(request.input.statement));
    case "columnNames":
      return (await columnNames(context, request.input, control)) ?? null;
    case "checkSelect":
      return (await withStatementErrors(() => checkSelect(context, request.input, control))) ?? null;
    case "sampleTable":
      return sampleTable(context, request.input, control.signal);
    case "prepare":
      return withStatementErrors(async () => {
        const { prepareExternal } = await import("../external/prepare.js");
        return prepareExternal(context, request.input, control.signal);
      });
    case "select":
      control.jobId(`select-${request.input.queryId}`);
      return withStatementErrors(() =>
        context.files.withOutput(request.input.output, control.signal, (output) =>
          runSelect(context, { ...request.input, output }, control),
        ),
      );
    case "split":
      control.jobId(`split-${request.input.queryId}`);
      return context.split(context, request.input, control);
  }
}

/** Returns the tables that a statement reads. @throws InvalidDatabaseName, InvalidTableName */
function readTableNames(statement: string): EngineOperationOutput<"tablesRead"> {
  return readTables(statement).map(({ database, table, position: { line, column } }) => {
    const at = `query at ${line}:${column} names`;
    if (!bucketPattern.test(database)) {
      throw new errors.InvalidDatabaseName(`${at} the database "${database}", which must be ${bucketRule}`, field);
    }
    if (!tablePattern.test(table)) {
      throw new errors.InvalidTableName(
        `${at} the table "${table}", which must be 1 to 128 of a-z, 0-9 and '_'`,
        field,
      );
    }
    return { database, table };
  });
}

/** Replaces paths of this machine in a text for users: the data directory by `dag://`, the temporary directory by `temp`. */
function redactPaths(text: string, { dataDirectory, tempDirectory }: EngineSettings): string {
  return text.replaceAll(`${dataDirectory}/`, "dag://").replaceAll(tempDirectory, "temp");
}

const field = { field: "query" } as const;
const tablePattern = /^[a-z0-9_]{1,128}$/;

/** Converts a refusal of the translator to InvalidDMLStatement. */
function toStatementError(error: unknown): unknown {
  return error instanceof HiveQLError ? new errors.InvalidDMLStatement(`query ${error.message}`, field) : error;
}

async function withStatementErrors<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw toStatementError(error);
  }
}

function jobControl(
  id: number,
  signal: AbortSignal,
  send: (message: FromEngine) => void,
  redact: (text: string) => string,
): JobControl {
  return {
    signal,
    progress: (percent, stage) => send({ type: "progress", id, percent, stage }),
    log: (line) => send({ type: "log", id, line: redact(line) }),
    jobId: (jobId) => send({ type: "jobId", id, jobId }),
  };
}
