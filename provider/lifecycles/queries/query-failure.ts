/** Tells the user why a query failed, or why its result cannot be read. */
import type { QueryRecord } from "../../../contract";
import { describeError } from "../describe-error";
import { PartialCreate, type LifecycleContext } from "../lifecycle";
import { redacted } from "../redaction";
import { Refusal } from "../refusal";
import { linkLine } from "./console-link";
import { OtherStorageError } from "./folder-comparison";
import { recordState, type RecordOf } from "./query-resource";

/** Maximum size of the stored end of a log, in bytes. */
const logBytes = 65_536;
/** Number of a log's last lines that a message shows. */
const tailLines = 12;

/** A query ended with the status `error` or `canceled`. */
class QueryFailedError extends Error {
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
 * Returns the record of an ended query if its status is `finished`.
 * @param stored the state that has the id of the query already; undefined for a new one.
 * @throws {QueryFailedError} for any other status; with a stored state {@link PartialCreate}, whose status makes the next
 * update replace the resource.
 */
export async function requireFinished<Type extends QueryRecord["type"]>(
  record: QueryRecord,
  type: Type,
  stored: object | undefined,
  context: LifecycleContext,
): Promise<RecordOf<Type>> {
  const isOfType = record.type === type;
  if (isOfType && record.status === "finished") return record as RecordOf<Type>;
  const failure = isOfType
    ? await queryFailure(record, context)
    : new Error(`query ${record.id} is a ${record.type}, not a ${type}`);
  if (!stored) throw failure;
  const reason = `${describeError(failure)}\nRun "pulumi up" to run the query again.`;
  throw new PartialCreate(String(record.id), { ...stored, ...recordState(record) }, [reason], { cause: failure });
}

/**
 * Reports a finished query whose result cannot be read. Its state is unfinished: the next update, or a refresh before it,
 * reads and checks the result, and does not run the query again. A refusal to read it is thrown as it is.
 */
export function throwResultUnavailable<State extends object>(
  queryId: number,
  state: State,
  error: unknown,
  { secret }: Pick<LifecycleContext, "secret">,
): never {
  if (error instanceof Refusal) throw error;
  // That of another storage quotes no secret.
  const why = secret && !(error instanceof OtherStorageError) ? "" : `: ${describeError(error)}`;
  const reason = `query ${queryId} finished, but its result cannot be read${why}\nRun "pulumi up" to read the result again.`;
  throw new PartialCreate(String(queryId), { ...state, status: "running" }, [reason], { cause: error });
}

/**
 * Creates the error of a failed or cancelled query, with its id, the service's message, the last lines of its log and
 * its page in the console.
 */
async function queryFailure(record: QueryRecord, context: LifecycleContext): Promise<QueryFailedError> {
  return new QueryFailedError(`${await failureText(record, context)}${linkLine(record.id, context)}`, record);
}

async function failureText(record: QueryRecord, context: LifecycleContext): Promise<string> {
  const cluster = redacted(record.clusterName, context);
  const what = `query ${record.id} on cluster "${cluster}" ${record.status === "canceled" ? "was cancelled" : "failed"}`;
  if (record.type === "split") {
    const message = (record as { readonly message?: unknown }).message;
    const serviceMessage = typeof message === "string" && !context.secret ? `: ${message}` : "";
    const remedy = `the service stores no logs of splits; use a ClusterLogExport of "${cluster}" to get the cluster's logs`;
    return `${what}${serviceMessage}\n${remedy}`;
  }
  if (context.secret) return `${what}; its log is not shown, because an input of the query is secret`;
  const log = await fetchLog(record.id, context);
  const lines = (log ?? "").trimEnd().split("\n").slice(-tailLines);
  if (log === undefined || lines.join("") === "") return `${what}; its log is empty or not available`;
  const tail = lines.map((line) => `  ${line}`).join("\n");
  return `${what}: ${reasonIn(lines)}\nThe last lines of its log:\n${tail}`;
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
