/** What the user is told when a query did not finish. */
import type { QueryRecord } from "../../../contract";
import { explain } from "../explanation";
import type { LifecycleContext } from "../lifecycle";

/** Bytes of a log that are kept: its end. */
const logBytes = 65_536;
/** Lines of a log that a message shows: the last. */
const shownLines = 12;

/** A query ended as `error` or `canceled`. */
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

/** The error of a query that did not finish: what the service says of it, the log's last lines, the query's id. */
export async function queryFailure(record: QueryRecord, context: LifecycleContext): Promise<QueryFailedError> {
  const what = `query ${record.id} on cluster "${record.clusterName}" ${record.status === "canceled" ? "was cancelled" : "failed"}`;
  if (record.type === "split") {
    const message = (record as { readonly message?: unknown }).message;
    const said = typeof message === "string" && !context.secret ? `: ${message}` : "";
    const where = `the service keeps no log of a split; a ClusterLogExport of "${record.clusterName}" has the cluster's`;
    return new QueryFailedError(`${what}${said}\n${where}`, record);
  }
  if (context.secret) {
    return new QueryFailedError(`${what}; its log is not shown, since an input of the query is secret`, record);
  }
  const log = await fetchLog(record.id, context);
  const lines = (log ?? "").trimEnd().split("\n").slice(-shownLines);
  if (log === undefined || lines.join("") === "") return new QueryFailedError(`${what}; it has no log`, record);
  const tail = lines.map((line) => `  ${line}`).join("\n");
  return new QueryFailedError(`${what}: ${reasonIn(lines)}\nThe end of its log:\n${tail}`, record);
}

/** A line that says why: with a word such as `failed` or `Error` before a colon. */
const telling = /\b(?:failed|failure|\w*error|\w*exception)\b[^:]*: *\S/i;

/** What a log's last lines say of the failure: the last that says why, or else the last; without its time. */
function reasonIn(lines: readonly string[]): string {
  const line = lines.findLast((one) => telling.test(one)) ?? lines.at(-1)!;
  return line
    .trim()
    .replace(/^\d{4}-\d\d-\d\d[T ]\S+ +/, "")
    .replace(/^failed: +/i, "");
}

/** The end of a query's log; undefined where the service does not have it. */
export async function fetchLog(
  queryId: number,
  { client, warn }: Pick<LifecycleContext, "client" | "warn">,
): Promise<string | undefined> {
  try {
    return endOf((await client.getQueryLog({ queryId })).log, logBytes);
  } catch (error) {
    warn(`the log of query ${queryId} is not to be had: ${explain(error)}`);
    return undefined;
  }
}

/** The last bytes of a text, without a character or line that is cut. */
function endOf(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  const end = encoded.subarray(encoded.length - bytes).toString();
  return end.slice(end.indexOf("\n") + 1);
}
