/** The warning about a query that has no result, or not yet. */

/** Says what a refresh, or a lookup, which no `up` continues, has found. */
export function staleText({ id, state }: { readonly id: string; readonly state: object }, isLookup: boolean): string {
  if (!isLookup) return 'the resource is not finished or has failed: run "pulumi up" to continue or replace it';
  const { status } = state as { readonly status?: unknown };
  return status === "running"
    ? `query ${id} still runs, and a lookup only reads it: run the program again when the query has finished`
    : `query ${id} has status "${String(status)}", so it has no result, and a lookup only reads it: use the ID of a query that has finished`;
}
