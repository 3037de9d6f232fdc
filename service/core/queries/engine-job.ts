/** The job of a query: the engine writes the result to a temporary folder. */
import { errors, limits, noteLine, parseColumns, parseLocation, type Column, type Location } from "../../../contract";
import { headerWarning } from "../../../storage";
import type { Engine, JobContext } from "../ports/engine";
import type { ReadInput } from "../ports/read-records";
import type { StoredQuery } from "../ports/state";
import type { QueryContext } from "./query-context";
import { splitInputs, statementInputs } from "./read-states";
import { statementReads, type StatementReads } from "./reads";
import { tableDefinitions } from "./table-definitions";

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
    const { tables: names, views } = found;
    const tables = await whenAvailable(context, job.signal, () => tableDefinitions(context, names));
    const resume = engineHandle === null ? {} : { resume: engineHandle };
    for (const { note: text } of tables) if (text !== undefined) job.log(noteLine({ severity: "warning", text }));
    // A job that goes on read its tables before this attempt.
    const inputs = engineHandle === null ? await statementInputs(context.storage, found) : [];
    job.signal.throwIfAborted();
    const select = { queryId, statement, user, tables, views, outputFormat, output, ...resume };
    const { columns = null, rows = null } = await engine.select(select, job);
    return { columns, checked: false, rows, reads: inputs };
  }
  const { inputFormat: format } = query;
  const inputs = query.inputObjectKeys.map(parseLocation);
  const columns = query.schema === null ? undefined : parseColumns(query.schema);
  const warning = columns && (await headerWarning(context.storage, { inputs, format, columns }));
  if (warning !== undefined) job.log(noteLine({ severity: "warning", text: warning }));
  const sources = await splitInputs(context.storage, query.inputObjectKeys);
  job.signal.throwIfAborted();
  const result = await engine.split(
    {
      queryId: query.id,
      inputs,
      format,
      ...(columns && { columns }),
      output,
      objectBytes: limits.splitObjectBytes,
    },
    job,
  );
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
