/** A running engine: gives each check and each query a process of its own. */
import { errors, type Location } from "../../../contract";
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
import { ProcessEnded } from "./engine-errors";
import type { EngineLog } from "./process/engine-log";
import type { EngineProcess, RequestListener } from "./process/engine-process";
import { checkMilliseconds, lateCheckEnd, lateListEnd, listMilliseconds } from "./process/limits";
import type { ProcessPool } from "./process/pool";
import type { Reader } from "../prepared-statement";
import type { EngineOperation, EngineOperationInput, EngineOperationOutput } from "./process/protocol";

/** Processes that are tried for one request, when those before have ended by no fault of it. */
const maxAttempts = 3;
/** Milliseconds after which a check is not tried again: clients wait for 30 s, and one more try may take 10. */
const retryMilliseconds = 15_000;

export class DuckDBEngine implements Engine {
  readonly ended: Promise<EngineEnd>;
  readonly #end = Promise.withResolvers<EngineEnd>();
  #closing: Promise<void> | undefined;

  constructor(
    private readonly pool: ProcessPool,
    /** Returns the path of a location. */
    private readonly pathOf: (location: Location) => string,
    private readonly log: EngineLog,
  ) {
    this.ended = this.#end.promise;
    void pool.broken.then((reason) => this.#close({ expected: false, reason }));
  }

  tablesRead(statement: string, control: CheckControl) {
    return this.#check("tablesRead", { statement }, control);
  }

  async columnNames(query: CheckedQuery, control: CheckControl) {
    return (await this.#check("columnNames", checkInput(query), control)) ?? undefined;
  }

  async checkSelect(query: CheckedQuery, control: CheckControl) {
    return (await this.#check("checkSelect", checkInput(query), control)) ?? undefined;
  }

  sampleTable(table: TableDefinition, limit: number, control: CheckControl) {
    return this.#check("sampleTable", { table, limit }, control);
  }

  /** Prepares a statement for another engine, as `hiveserver2/local-work.ts` describes it. */
  prepare(
    query: CheckedQuery,
    mode: { readonly scanMode: "always" | "if-small"; readonly reader: Reader },
    control: CheckControl,
  ) {
    return this.#check("prepare", { ...checkInput(query), ...mode }, control);
  }

  async select({ tables, views = [], output, ...job }: SelectJob, context: JobContext) {
    const input = { ...job, tables, views, output: this.pathOf(output) };
    return await this.#run("select", input, context);
  }

  async split({ queryId, inputs, format, columns, output, objectBytes }: SplitJob, context: JobContext) {
    const declared = columns === undefined ? {} : { columns: [...columns] };
    const input = { queryId, inputs: [...inputs], format, ...declared, objectBytes, output: this.pathOf(output) };
    return this.#run("split", input, context);
  }

  close(): Promise<void> {
    return this.#close({ expected: true, reason: "the engine was closed" });
  }

  #close(end: EngineEnd): Promise<void> {
    return (this.#closing ??= this.#closeNow(end));
  }

  async #closeNow(end: EngineEnd): Promise<void> {
    await this.pool.close();
    this.log.logger.info(end, "engine closed");
    await this.log.close();
    this.#end.resolve(end);
  }

  /** Runs a query. One whose process had ended before the query began is begun in another. */
  async #run<Name extends "select" | "split">(
    operation: Name,
    input: EngineOperationInput<Name>,
    context: JobContext,
  ): Promise<EngineOperationOutput<Name>> {
    const { signal } = context;
    for (let attempt = 1; ; attempt += 1) {
      let begun = false;
      const listener: RequestListener = {
        progress: (percent, stage) => context.progress(percent, stage),
        log: (line) => context.log(line),
        jobId: (id) => {
          begun = true;
          context.jobId(id);
        },
      };
      try {
        return await this.pool.use("query", signal, (process) => process.request(operation, input, signal, listener));
      } catch (error) {
        const wasDead = error instanceof ProcessEnded && error.endCause === "crash" && !begun;
        if (!wasDead || attempt === maxAttempts) throw error;
      }
    }
  }

  /**
   * Runs a check, within the limits of time and memory if it is one of a submission. A check whose process was killed or
   * stopped, or for which the machine had no time, which is not the statement's fault, is tried again.
   */
  async #check<Name extends "tablesRead" | "columnNames" | "checkSelect" | "sampleTable" | "prepare">(
    operation: Name,
    input: EngineOperationInput<Name>,
    control: CheckControl,
  ): Promise<EngineOperationOutput<Name>> {
    const began = performance.now();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.pool.use("check", control.signal, (process) => checkIn(process, operation, input, control));
      } catch (error) {
        if (!(error instanceof ProcessEnded)) throw error;
        if (error.endCause === "closed") throw closedDuringCheck(error.message);
        if (error.endCause === "memory" || error.endCause === "time") throw beyondLimits(error.message);
        if (attempt < maxAttempts && performance.now() - began < retryMilliseconds) continue;
        throw new errors.ServiceUnavailable(`the statement could not be checked (${error.message}): try again`);
      }
    }
  }
}

const checkInput = ({ statement, user, tables, views = [] }: CheckedQuery) => ({
  statement,
  ...(user === undefined ? {} : { user }),
  tables,
  views: [...views],
});

/** The checks that list the tables first, and report when they have. */
const listing: ReadonlySet<EngineOperation> = new Set(["columnNames", "checkSelect"]);

const ignore = () => undefined;

async function checkIn<Name extends EngineOperation>(
  process: EngineProcess,
  operation: Name,
  input: EngineOperationInput<Name>,
  { signal, limited }: CheckControl,
): Promise<EngineOperationOutput<Name>> {
  let timer: NodeJS.Timeout | undefined;
  const limitStatement = () => {
    const before = process.processorMilliseconds;
    clearTimeout(timer);
    timer = setTimeout(() => {
      const { cause, reason } = lateCheckEnd(process.processorMilliseconds - before);
      process.end(cause, reason);
    }, checkMilliseconds);
  };
  if (limited && listing.has(operation)) {
    timer = setTimeout(() => process.end(lateListEnd.cause, lateListEnd.reason), listMilliseconds);
  } else if (limited) limitStatement();
  const listener = { progress: limited ? limitStatement : ignore, log: ignore, jobId: ignore };
  try {
    return await process.request(operation, input, signal, listener);
  } finally {
    clearTimeout(timer);
  }
}

function closedDuringCheck(reason: string) {
  return new errors.InvalidClusterState(
    `the cluster's engine ended while it checked the statement: ${reason}. Try again later`,
    { field: "clusterName" },
  );
}

function beyondLimits(reason: string) {
  return new errors.InvalidDMLStatement(
    `query 1:1 statement: cannot be checked by the embedded engine: ${reason}. Shorten it, or submit it in parts; if it is short, let it read fewer objects: name partitions in WHERE, or write larger objects with a split or a select`,
    { field: "query" },
  );
}
