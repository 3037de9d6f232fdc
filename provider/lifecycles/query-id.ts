/** Parses the ids of query resources, which users pass to `get` and `pulumi import`. */

/**
 * Returns the query identifier of a resource id.
 * @throws when the id is not a positive whole number.
 */
export function parseQueryId(kind: "SelectQuery" | "SplitTable", id: string): number {
  const queryId = /^[1-9]\d*$/.test(id) ? Number(id) : Number.NaN;
  if (Number.isSafeInteger(queryId)) return queryId;
  throw new Error(`the id "${id}" of a ${kind} is not valid: it must be the identifier of its query, such as 1234`);
}
