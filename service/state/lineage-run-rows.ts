/** The rows of the outbox as runs; both states store them alike. */
import type { LineageRun, NewLineageRun } from "../core/ports/lineage-runs";

/** A row of the table `lineage_runs`. */
export interface LineageRunRow {
  readonly query_id: number;
  /** Inputs and parent, as JSON. */
  readonly request: string;
  readonly started: number | boolean;
  /** As JSON, because a text of PostgreSQL cannot hold U+0000. */
  readonly failure: string | null;
}

export const lineageRunColumns = "query_id, request, started, failure";

export function lineageRunsOf(rows: readonly object[]): LineageRun[] {
  return (rows as readonly LineageRunRow[]).map(({ query_id, request, started, failure }) => ({
    queryId: query_id,
    ...(JSON.parse(request) as NewLineageRun),
    isStarted: Boolean(started),
    failure: failure === null ? null : (JSON.parse(failure) as string),
  }));
}
