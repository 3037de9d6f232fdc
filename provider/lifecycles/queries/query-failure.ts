/** Describes to the user why a query failed. */
import type { QueryRecord } from "../../../contract";
import { describeError } from "../describe-error";
import type { LifecycleContext } from "../lifecycle";

/** Maximum size of the stored end of a log, in bytes. */
const logBytes = 65_536;
/** Number of a log's last lines that a message shows. */
const tailLines = 12;

/** A query ended with the status `error` or `canceled`. */
export class QueryFailedError extends Error {
  override readonly name = "QueryFailedError";
  readonly code = "QueryFailed";
  constructor(
    message: string,
    readonly record: QueryRecord,
  ) {
    super(message);
  }
}

/**
 * Creates the error of a failed or cancelled query, with its id, the service's message and the last lines of its log.
 */
export async function queryFailure(record: QueryRecord, context: LifecycleContext): Promise<QueryFailedError> {
  const what = `query ${record.id} on cluster "${record.clusterName}" ${record.status === "canceled" ? "was cancelled" : "failed"}`;
  if (record.type === "split") {
    const message = (record as { readonly message?: unknown }).message;
    const serviceMessage = typeof message === "string" && !context.secret ? `: ${message}` : "";
    const remedy = `the service stores no logs of splits; use a ClusterLogExport of "${record.clusterName}" to get the cluster's logs`;
    return new QueryFailedError(`${what}${serviceMessage}\n${remedy}`, record);
  }
  if (context.secret) {
    return new QueryFailedError(`${what}; its log is not shown, because an input of the query is secret`, record);
  }
  const log = await fetchLog(record.id, context);
  const lines = (log ?? "").trimEnd().split("\n").slice(-tailLines);
  if (log === undefined || lines.join("") === "")
    return new QueryFailedError(`${what}; its log is empty or not available`, record);
  const tail = lines.map((line) => `  ${line}`).join("\n");
  return new QueryFailedError(`${what}: ${reasonIn(lines)}\nThe last lines of its log:\n${tail}`, record);
}

/** Matches a line that contains the reason: a word such as `failed` or `Error` before a colon. */
const reasonPattern = /\b(?:failed|failure|\w*error|\w*exception)\b[^:]*: *\S/i;

/** Returns the last line that contains the reason of the failure, or else the last line, without its timestamp. */
function reasonIn(lines: readonly string[]): string {
  const line = lines.findLast((one) => reasonPattern.test(one)) ?? lines.at(-1)!;
  return line
    .trim()
    .replace(/^\d{4}-\d\d-\d\d[T ]\S+ +/, "")
    .replace(/^failed: +/i, "");
}

/** Returns the end of a query's log; undefined if the service does not have it. */
export async function fetchLog(
  queryId: number,
  { client, warn }: Pick<LifecycleContext, "client" | "warn">,
): Promise<string | undefined> {
  try {
    return lastBytes((await client.getQueryLog({ queryId })).log, logBytes);
  } catch (error) {
    warn(`cannot read the log of query ${queryId}: ${describeError(error)}`);
    return undefined;
  }
}

/** Returns the last bytes of a text, starting at the beginning of a line. */
function lastBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  const end = encoded.subarray(encoded.length - bytes).toString();
  return end.slice(end.indexOf("\n") + 1);
}
