/** Waits for a query that was submitted; whatever ends the wait early, the query's id is kept. */
import { errors, type QueryRecord, type QuerySummary } from "../../../contract";
import { WaitError } from "../../client";
import { clusterCoordinator } from "./cluster-coordinator";
import { formatDuration, type Deadline } from "../deadline";
import { explain } from "../explanation";
import { PartialCreate, type LifecycleContext } from "../lifecycle";

/** A query that was submitted, and what the state keeps of it if the wait ends early. */
export interface Awaited<State extends object> {
  readonly queryId: number;
  readonly clusterName: string;
  /** The state to keep, of what was seen last. */
  partial(seen: QuerySummary | undefined): State;
}

/**
 * Resolves with the query's record when it no longer runs, whatever it became.
 * @throws {PartialCreate} for everything else.
 */
export async function waitForEnd<State extends object>(
  { queryId, clusterName, partial }: Awaited<State>,
  deadline: Deadline,
  context: LifecycleContext,
): Promise<QueryRecord> {
  let last: QuerySummary | undefined;
  context.report(`[2/3] running · query ${queryId}`);
  try {
    return await context.client.waitForQuery({
      queryId,
      clusterName,
      timeout: deadline.timer(),
      signal: context.signal,
      observed(record) {
        last = record;
        context.report(progressLine(record));
      },
    });
  } catch (error) {
    throw new PartialCreate(String(queryId), partial(last), [reason(queryId, last, deadline, error)], { cause: error });
  } finally {
    clusterCoordinator(context.client, clusterName).slots.released();
  }
}

/** What the row says of a running query, such as `[2/3] running 45% · stage 1 · query 1234`. */
function progressLine(record: QuerySummary): string {
  const stage = record.type === "select" && record.stage > 0 ? ` · stage ${record.stage}` : "";
  return `[2/3] ${record.status} ${record.progress}${stage} · query ${record.id}`;
}

function reason(queryId: number, last: QuerySummary | undefined, deadline: Deadline, error: unknown): string {
  const seen = last ? ` (last seen: ${last.status} ${last.progress})` : "";
  if (error instanceof WaitError && error.code === "WaitTimedOut") {
    return (
      `query ${queryId} still runs after ${formatDuration(deadline.timeout)}${seen}: run "pulumi up" again to go on ` +
      `waiting for it, with greater customTimeouts if it needs longer`
    );
  }
  if (error instanceof WaitError) {
    return `the wait for query ${queryId} was interrupted${seen}: run "pulumi up" again to go on waiting for it`;
  }
  if (error instanceof errors.QueryNotFound) {
    return (
      `the service no longer has the record of query ${queryId}${seen}, so how it ended is not known: look at its ` +
      `output, and change "triggers" to run it again`
    );
  }
  return `the wait for query ${queryId} failed${seen}: run "pulumi up" again to go on waiting for it.\n${explain(error)}`;
}
