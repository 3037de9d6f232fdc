/** The warning about a query that has no result, or not yet. */

/** Says that a query to which the program refers by its id still runs. */
export const stillRunsText = (id: string) =>
  `query ${id} still runs, so it has no result yet: run the program again when the query has finished`;

/** Says what a refresh, or a lookup, which no `up` continues, has found. */
export function staleText({ id, state }: { readonly id: string; readonly state: object }, isLookup: boolean): string {
  if (!isLookup) return 'the resource is not finished or has failed: run "pulumi up" to continue or replace it';
  const { status } = state as { readonly status?: unknown };
  return status === "running"
    ? stillRunsText(id)
    : `query ${id} has status "${String(status)}", so it has no result, and a lookup only reads it: use the ID of a query that has finished`;
}
