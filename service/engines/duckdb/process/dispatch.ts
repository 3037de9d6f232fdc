/** Runs the requests in an engine process. */
import { bucketPattern, bucketRule, errors } from "../../../../contract";
import { HiveQLError } from "../../../../hiveql/syntax";
import { Database } from "./database";
import { openEngineLog } from "./engine-log";
import { encodeFailure, type EngineSettings, type FromEngine } from "./protocol";
import type { EngineRequest, EngineOperationOutput } from "./protocol";
import { checkSelect, runSelect, type JobControl, type SelectContext } from "../run-select";
import { runSplitJob } from "../split";
import { Tables } from "../tables";
import { castFromText } from "../../../../hiveql/index";
import { createMacros, registerFunctions } from "../translation";
import { Translator } from "./translator";

/** Runs requests. */
export interface Dispatcher {
  /** Runs a request and sends its result or failure. */
  request(request: EngineRequest): Promise<void>;
  /** Cancels a request; no effect when it has ended. */
  cancel(id: number): void;
  /** Cancels all requests and flushes the log. */
  close(): Promise<void>;
}

/** Opens the database and the log of an engine, and returns its dispatcher. */
export async function createDispatcher(
  settings: EngineSettings,
  send: (message: FromEngine) => void,
): Promise<Dispatcher> {
  const {
    logger: log,
    written,
    close: closeLog,
  } = openEngineLog(settings.logDirectory, settings.clusterName, settings.debug);
  const database = await Database.open(settings, { instance: registerFunctions, connection: createMacros });
  const context: SelectContext = {
    settings,
    database,
    tables: new Tables({ cast: castFromText }),
    translator: new Translator(),
    log,
  };
  const running = new Map<number, AbortController>();
  const { memoryBytes, threads, tempBytes, debug } = settings;
  log.info({ memoryBytes, threads, tempBytes, debug }, "engine started");
  await written();
  return {
    async request(request) {
      const { id, operation } = request;
      const controller = new AbortController();
      running.set(id, controller);
      const started = performance.now();
      const queryId = "queryId" in request.input ? request.input.queryId : undefined;
      const milliseconds = () => Math.round(performance.now() - started);
      log.info({ operation, queryId }, "started");
      try {
        const output = await perform(context, request, jobControl(id, controller.signal, send));
        log.info({ operation, queryId, milliseconds: milliseconds() }, "finished");
        send({ type: "result", id, output });
      } catch (error) {
        const failure = encodeFailure(error, controller.signal.aborted, (message) => redactPaths(message, settings));
        log.warn({ operation, queryId, milliseconds: milliseconds(), failure }, "failed");
        send({ type: "failure", id, failure });
      } finally {
        running.delete(id);
      }
    },
    cancel: (id) => running.get(id)?.abort(new Error("the query was cancelled")),
    async close() {
      for (const controller of running.values()) controller.abort(new Error("the engine was closed"));
      log.info("engine closed");
      await closeLog();
    },
  };
}

async function perform(context: SelectContext, request: EngineRequest, control: JobControl): Promise<unknown> {
  switch (request.operation) {
    case "tablesRead":
      return withStatementErrors(() => readTableNames(context, request.input.statement));
    case "checkSelect":
      await withStatementErrors(() => checkSelect(context, request.input));
      return null;
    case "select":
      control.jobId(`select-${request.input.queryId}`);
      await withStatementErrors(() => runSelect(context, request.input, control));
      return null;
    case "split":
      control.jobId(`split-${request.input.queryId}`);
      return runSplitJob(request.input, control);
  }
}

/** Returns the tables that a statement reads. @throws InvalidDatabaseName, InvalidTableName */
async function readTableNames(
  { translator }: SelectContext,
  statement: string,
): Promise<EngineOperationOutput<"tablesRead">> {
  const references = await translator.tablesRead(statement);
  return references.map(({ database, table, position: { line, column } }) => {
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

/** Replaces paths of this machine in a message: the data directory by `dag://`, the temporary directory by `temp`. */
function redactPaths(message: string, { dataDirectory, tempDirectory }: EngineSettings): string {
  return message.replaceAll(`${dataDirectory}/`, "dag://").replaceAll(tempDirectory, "temp");
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

function jobControl(id: number, signal: AbortSignal, send: (message: FromEngine) => void): JobControl {
  return {
    signal,
    progress: (percent, stage) => send({ type: "progress", id, percent, stage }),
    log: (line) => send({ type: "log", id, line }),
    jobId: (jobId) => send({ type: "jobId", id, jobId }),
  };
}
