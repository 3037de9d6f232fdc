/** Calls a service from the command line: finds its address and key pair, signs requests. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { authorization, errorBody, shortened, type Credentials } from "../../contract";
import { seeErrorPage } from "../../contract/error-page";
import { CommandError } from "./command-error";

/** Options of every command that uses a service. */
export interface AccessOptions {
  readonly endpoint?: string;
  readonly data?: string;
  readonly signatureScheme?: string;
}

/** A service and a key pair for it. */
export interface Access {
  readonly endpoint: string;
  readonly credentials: Credentials;
  readonly scheme: string | undefined;
  /** Ends a request without an answer. @default none does */
  readonly signal?: AbortSignal;
}

const keyPair = z.object({ accessKeyId: z.string(), secretAccessKey: z.string() });

/** Characters of an access key ID that an Authorization header can have. */
const keyIdPattern = /^[!-9;-~\u00a1-\u00ff]+$/;

/** Returns the data folder of the options, the environment or the default. */
export function dataFolder({ data }: AccessOptions): string {
  return resolve(data ?? (process.env.DAG_SERVICE_DATA || ".dag"));
}

/** Returns the address that the user names; undefined when the default one is meant. */
export function namedEndpoint({ endpoint }: AccessOptions): string | undefined {
  const named = endpoint ?? (process.env.DAG_ENDPOINT || undefined);
  if (named === undefined) return undefined;
  const url = URL.parse(named);
  const isHttp = /^https?:$/.test(url?.protocol ?? "");
  // Not quoted, because of the password.
  if (isHttp ? url!.username || url!.password : named.includes("@")) {
    throw new CommandError(
      "the endpoint has a user or password: give the URL without them, and the key pair in DAG_ACCESS_KEY_ID and DAG_SECRET_ACCESS_KEY",
      2,
    );
  }
  if (isHttp && !/[?#]/.test(named)) return named.replace(/\/+$/, "");
  throw new CommandError(
    `the endpoint "${named}" is not a URL of a service: use one such as http://127.0.0.1:9393, without a query string`,
    2,
  );
}

/** Returns the key pair of the environment; undefined when it names none. @throws CommandError for half of a pair or no valid one */
export function environmentKeyPair(): Credentials | undefined {
  const { DAG_ACCESS_KEY_ID: accessKeyId, DAG_SECRET_ACCESS_KEY: secretAccessKey } = process.env;
  if (accessKeyId && secretAccessKey) {
    if (keyIdPattern.test(accessKeyId)) return { accessKeyId, secretAccessKey };
    throw new CommandError(
      "DAG_ACCESS_KEY_ID is not valid: it must not have spaces, colons, control characters or characters that no header can have",
      2,
    );
  }
  if (!accessKeyId && !secretAccessKey) return undefined;
  const [set, missing] = accessKeyId
    ? ["DAG_ACCESS_KEY_ID", "DAG_SECRET_ACCESS_KEY"]
    : ["DAG_SECRET_ACCESS_KEY", "DAG_ACCESS_KEY_ID"];
  throw new CommandError(
    `${set} is set, but ${missing} is not: set both, or neither to use the key pair of the data folder`,
    2,
  );
}

/** Returns the service that the options and the environment name. @throws CommandError without a key pair */
export function accessOf(options: AccessOptions): Access {
  const credentials = environmentKeyPair() ?? readKeyPair(options);
  const endpoint = namedEndpoint(options) ?? "http://127.0.0.1:9393";
  return { endpoint, credentials, scheme: options.signatureScheme ?? process.env.DAG_SERVICE_SIGNATURE_SCHEME };
}

/** The largest difference of clocks that is corrected: a request that is signed for later could be sent again then. */
const maxClockDifference = 86_400_000;
/** Milliseconds by which the service's clock is ahead of that of this machine. */
let clockDifference = 0;

/**
 * Sends one signed request, and once more when the service rejects its date: then with the time of the answer.
 * @param body is sent as JSON, and a Blob as it is
 * @throws CommandError with the service's message, or when the service cannot be reached or is no such service.
 */
export async function send(access: Access, method: string, target: string, body?: object): Promise<Response> {
  try {
    return await sendOnce(access, method, target, body);
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code !== "RequestTimeTooSkewed") throw error;
    const difference = Date.parse(error.date) - Date.now();
    // Also when the answer has no date.
    if (!(Math.abs(difference) <= maxClockDifference)) throw error;
    clockDifference = difference;
    return sendOnce(access, method, target, body);
  }
}

async function sendOnce(
  { endpoint, credentials, scheme, signal }: Access,
  method: string,
  target: string,
  body: object | undefined,
): Promise<Response> {
  const contentType = body && (body instanceof Blob ? "application/octet-stream" : "application/json");
  const date = new Date(Date.now() + clockDifference).toUTCString();
  const headers = {
    Date: date,
    Authorization: authorization({ method, target, contentType, date }, credentials, scheme),
    ...(contentType && { "Content-Type": contentType }),
  };
  let answer: Response;
  try {
    answer = await fetch(endpoint + target, {
      method,
      headers,
      ...(signal && { signal }),
      ...(body && { body: body instanceof Blob ? body : JSON.stringify(body) }),
    });
  } catch (error) {
    throw new UnreachableError(endpoint, error);
  }
  if (answer.ok) return answer;
  const parsed = errorBody.safeParse(parseJson(await textOf(answer, endpoint)));
  if (!parsed.success) {
    throw new StrangeAnswerError(endpoint, `status ${answer.status} without an error of the API`, answer.status);
  }
  const { code, message } = parsed.data;
  const text = `${shortened(code, 100)}: ${shortened(message, 8_192)}${seeErrorPage(code)}`;
  const [answeredAt = "", retryAfter = ""] = ["date", "retry-after"].map((name) => answer.headers.get(name) ?? "");
  throw new RefusedError(code, text, answer.status, answeredAt, retryAfter);
}

/** Sends a request and reads its JSON. @throws CommandError as {@link send}, or when the JSON is not that of the schema */
export async function call<Schema extends z.ZodType>(
  access: Access,
  schema: Schema,
  ...[method, target, body]: [method: string, target: string, body?: object]
): Promise<z.output<Schema>> {
  const answer = await send(access, method, target, body);
  const parsed = schema.safeParse(parseJson(await textOf(answer, access.endpoint)));
  if (parsed.success) return parsed.data;
  throw new StrangeAnswerError(access.endpoint, `an answer to ${method} ${target} that is not of the API`);
}

async function textOf(answer: Response, endpoint: string): Promise<string> {
  try {
    return await answer.text();
  } catch (error) {
    throw new BrokenConnectionError(endpoint, error);
  }
}

/** Returns the value of a text; undefined when it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The service refused a request. */
export class RefusedError extends CommandError {
  constructor(
    readonly code: string,
    message: string,
    readonly status: number,
    /** The service's time, as in the header Date; empty when the answer has none. */
    readonly date: string,
    /** The header Retry-After; empty when the answer has none. */
    readonly retryAfter: string,
  ) {
    super(message, status === 403 ? 2 : 1);
  }
}

/** No service answers at the address, or the TLS handshake with what answers fails. */
class UnreachableError extends CommandError {
  constructor(endpoint: string, cause: unknown) {
    const remedy = endpoint.startsWith("https:")
      ? ` (${reasonOf(cause)}): check the address and the proxy. For a certificate of your own authority, set NODE_EXTRA_CA_CERTS to its file; a service without a proxy has an address with http:`
      : ": start one with `dag-service`, or name another with --endpoint";
    super(`no service answers at ${endpoint}${remedy}`, 2, { cause });
  }
}

/** Statuses of a service, or of a proxy in front of it, while the service is not there. */
const absentStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** Returns why a request was not answered, as while the service restarts; undefined when the error is an answer. */
export function absenceOf(error: unknown): string | undefined {
  if (error instanceof UnreachableError || error instanceof BrokenConnectionError) return reasonOf(error.cause);
  const isAnswer = error instanceof RefusedError || error instanceof StrangeAnswerError;
  if (!isAnswer || !absentStatuses.has(error.status)) return undefined;
  return error instanceof RefusedError ? error.message : `status ${error.status}`;
}

/** The longest Retry-After in milliseconds that is followed. */
const longestRetryAfter = 60_000;

/**
 * Returns the least milliseconds after which a GET may be sent again, as the answer asks, or 0; undefined for an answer
 * that stays the same.
 */
export function retryPauseOf(error: unknown): number | undefined {
  if (absenceOf(error) === undefined) {
    const isAnswer = error instanceof RefusedError || error instanceof StrangeAnswerError;
    if (!isAnswer || (error.status < 500 && error.status !== 429)) return undefined;
  }
  const seconds = error instanceof RefusedError ? Number(error.retryAfter) : 0;
  return seconds > 0 ? Math.min(seconds * 1000, longestRetryAfter) : 0;
}

/** Codes of connections that ended after the request may have been read. */
const lostCodes: ReadonlySet<unknown> = new Set([
  "ECONNRESET",
  "EPIPE",
  "UND_ERR_SOCKET",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  DOMException.TIMEOUT_ERR,
]);

/** Returns why the answer to a request was lost that the service may have carried out; undefined for any other error. */
export function lostAnswerOf(error: unknown): string | undefined {
  // A page of a proxy, which may have passed the request on.
  if (error instanceof StrangeAnswerError && error.status >= 500) return `status ${error.status}`;
  const codes = [error, (error as Error).cause, ((error as Error).cause as Error | undefined)?.cause];
  const isLost = codes.some((each) => lostCodes.has((each as { readonly code?: unknown } | undefined)?.code));
  const isOurs = error instanceof UnreachableError || error instanceof BrokenConnectionError;
  return isOurs && (isLost || error instanceof BrokenConnectionError) ? reasonOf(error.cause) : undefined;
}

/** Returns why a connection failed: fetch has the reason in its cause. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  // OpenSSL's own message has codes, and paths of its sources.
  if ("reason" in error && typeof error.reason === "string") return `the TLS handshake failed: ${error.reason}`;
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}

/** What answers at the address is no dag-service. */
export class StrangeAnswerError extends CommandError {
  constructor(
    endpoint: string,
    what: string,
    readonly status = 200,
  ) {
    super(`${endpoint} gave ${what}, so it may be another server: name the service's own URL with --endpoint`, 2);
  }
}

/** The connection ended before the whole answer was received. */
class BrokenConnectionError extends CommandError {
  constructor(endpoint: string, cause: unknown) {
    super(
      `the connection to ${endpoint} broke before the whole answer was received: check that the service still runs, and run the command again`,
      2,
      { cause },
    );
  }
}

function readKeyPair(options: AccessOptions): Credentials {
  const file = join(dataFolder(options), "credentials.json");
  try {
    return keyPair.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    throw new CommandError(
      `there is no key pair: set DAG_ACCESS_KEY_ID and DAG_SECRET_ACCESS_KEY, or name the service's data folder with --data (${file} cannot be read)`,
      2,
    );
  }
}
