/** The job of a query: the engine writes the result to a temporary folder. */
import { errors, limits, noteLine, parseColumns, parseLocation, type Column, type Location } from "../../../contract";
import { headerWarning } from "../../../storage";
import type { Engine, JobContext } from "../ports/engine";
import type { ReadInput } from "../ports/read-records";
import type { StoredQuery } from "../ports/state";
import type { QueryContext } from "./query-context";
import { splitInputs, statementInputs, type SeenObjects } from "./read-states";
import { statementReads, type StatementReads } from "./reads";
import { tableDefinitions } from "./table-definitions";
import { whileUnchanged } from "./unchanged-objects";

/** What an engine wrote. */
export interface EngineResult {
  /** The columns of the result or table; null when they are not known. */
  readonly columns: readonly Column[] | null;
  readonly checked: boolean;
  /** Rows of a select's result; null when they are not known. */
  readonly rows: number | null;
  /** What the query read, as it was before; empty when an earlier attempt has read it. */
  readonly reads: readonly ReadInput[];
}

/** Where a job writes its result, and what its statement reads when that is known. */
export interface JobPlan {
  readonly output: Location;
  readonly reads: StatementReads | undefined;
}

/** Runs the job of a query on an engine. */
export async function runEngineJob(
  context: QueryContext,
  query: StoredQuery,
  { output, reads }: JobPlan,
  engine: Engine,
  job: JobContext,
): Promise<EngineResult> {
  if (query.type === "select") {
    const { id: queryId, query: statement, accessKeyId: user, outputFormat, engineHandle } = query;
    const control = { signal: job.signal, limited: false };
    const found = reads ?? (await statementReads(context.catalog, engine, statement, control));
    const { tables: names, views, statement: read } = found;
    const select = async () => {
      const tables = await whenAvailable(context, job.signal, () => tableDefinitions(context, names));
      const resume = engineHandle === null ? {} : { resume: engineHandle };
      for (const { note: text } of tables) if (text !== undefined) job.log(noteLine({ severity: "warning", text }));
      job.signal.throwIfAborted();
      return engine.select({ queryId, statement, read, user, tables, views, outputFormat, output, ...resume }, job);
    };
    // A job that goes on read its tables before this attempt.
    const look = async (seen: SeenObjects) =>
      engineHandle === null ? statementInputs(context.storage, found, seen) : [];
    const { inputs, result } = await whileUnchanged(look, select, job.signal);
    const { columns = null, rows = null } = result;
    return { columns, checked: false, rows, reads: inputs };
  }
  const { inputFormat: format } = query;
  const inputs = query.inputObjectKeys.map(parseLocation);
  const columns = query.schema === null ? undefined : parseColumns(query.schema);
  const warning = columns && (await headerWarning(context.storage, { inputs, format, columns }));
  if (warning !== undefined) job.log(noteLine({ severity: "warning", text: warning }));
  const split = () => {
    job.signal.throwIfAborted();
    const given = { queryId: query.id, inputs, format, ...(columns && { columns }), output };
    return engine.split({ ...given, objectBytes: limits.splitObjectBytes }, job);
  };
  const look = (seen: SeenObjects) => splitInputs(context.storage, query.inputObjectKeys, seen);
  const { inputs: sources, result } = await whileUnchanged(look, split, job.signal);
  return { columns: result.columns, checked: result.checked, rows: null, reads: sources };
}

/** Milliseconds between two tries to read the state. */
const stateRetryInterval = 500;

/** Repeats a reading while the state is not available: an accepted query waits for it instead of failing. */
async function whenAvailable<Result>(
  { platform }: QueryContext,
  signal: AbortSignal,
  read: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof errors.ServiceUnavailable) || signal.aborted) throw error;
      await platform.clock.sleep(stateRetryInterval, signal);
    }
  }
}
