/** Identifiers of resources, as people write them to import what exists. */

/**
 * The query that an id names.
 * @throws where the id is no identifier of a query.
 */
export function queryIdOf(kind: "SelectQuery" | "SplitTable", id: string): number {
  const queryId = /^[1-9]\d*$/.test(id) ? Number(id) : Number.NaN;
  if (Number.isSafeInteger(queryId)) return queryId;
  throw new Error(`the id of a ${kind} is the identifier of its query, such as 1234, not "${id}"`);
}
