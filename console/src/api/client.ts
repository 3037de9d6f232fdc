/** Calls the service: signs requests, checks answers by the contract, follows the service's clock. */
import { signal } from "@preact/signals";
import * as z from "zod";
import { errorLink } from "../../../contract/error-link";
import { ApiError, apiError } from "../../../contract/errors";
import { consoleConfig, type ConsoleConfig } from "../../../contract/extension";
import { idempotencyKeyHeader } from "../../../contract/request-headers";
import { operations, type Operation, type OperationName, type ResponseBody } from "../../../contract/operations";
import { errorBody } from "../../../contract/records";
import { dateHeaderName, defaultHeaderPrefix, defaultScheme } from "../../../contract/string-to-sign";
import { strings } from "../strings";
import { endpoint, session, signOut, type Session } from "./session";
import { signatureOf } from "./sign";

/** Since when the service does not answer; undefined while it does. */
export const lostSince = signal<number | undefined>(undefined);

/** Milliseconds by which the service's clock is ahead of this browser's. */
export const clockOffset = signal(0);

/** Why the session ended, for the sign-in page. */
export const signInProblem = signal<unknown>(undefined);

/** Thrown when the service cannot be reached. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** The time by the service's clock, in milliseconds since 1970. */
const serviceNow = (): number => Date.now() + clockOffset.value;

/** The values of an operation's path, query string and body. */
export interface OperationInput {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly parameters?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: object;
  /** The key of a request with a body that the caller may repeat. @default a new one */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls an operation of the API. One with a body gets a key, with which it is repeated when its answer is lost.
 * @throws ApiError, ConnectionLost
 */
export async function call<Name extends OperationName>(
  name: Name,
  { path = {}, parameters = {}, body, idempotencyKey, signal: abort }: OperationInput = {},
): Promise<ResponseBody<Name>> {
  const operation: Operation = operations[name];
  const route = operation.path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(path[key])));
  const pairs = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== "");
  const query = [operation.key, ...pairs.map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)];
  const target = `${route}?${query.join("&")}`;
  const answer = await (body
    ? sendOnce(operation.method, target, body, idempotencyKey, abort)
    : send(operation.method, target, undefined, abort));
  if (!operation.response) return undefined as ResponseBody<Name>;
  return operation.response.parse(await answer.json()) as ResponseBody<Name>;
}

/** Reads from a path of the extension. @throws ApiError, ConnectionLost */
export async function read<Schema extends z.ZodType>(
  schema: Schema,
  target: string,
  options: { readonly body?: object; readonly signal?: AbortSignal | undefined } = {},
): Promise<z.output<Schema>> {
  const answer = await send(options.body ? "POST" : "GET", target, options.body, options.signal);
  return schema.parse(await answer.json());
}

/** Milliseconds before each repetition of a request whose answer was lost. */
const repeatPauses = [1000, 3000];

/**
 * Returns true for the failure of a repeated request that says nothing of the first one: a lost connection, and a refusal
 * that came before the service looked at the key.
 */
export const saysNothing = (error: unknown): boolean =>
  error instanceof ConnectionLost ||
  (error instanceof ApiError && (error.status >= 500 || [401, 403, 408, 429].includes(error.status)));

/** Sends a request that the service does once, however often it gets it, if the service can tell. @throws ApiError, ConnectionLost */
async function sendOnce(
  method: string,
  target: string,
  body: object,
  given?: string,
  abort?: AbortSignal,
): Promise<Response> {
  const { idempotencyKeys } = await settings();
  if (!idempotencyKeys) return send(method, target, body, abort);
  const key = given ?? crypto.randomUUID();
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await send(method, target, body, abort, undefined, key);
    } catch (error) {
      const isLost = error instanceof ConnectionLost;
      const pause = repeatPauses[repeats];
      // Refused without a look at the key, the repeated request says nothing of the first one.
      if (!isLost && repeats > 0 && saysNothing(error)) {
        throw new ConnectionLost((error as Error).message, { cause: error });
      }
      if (!isLost || pause === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Sends one signed request, its body as JSON or a file as it is; returns an answer of status 2xx. @throws ApiError, ConnectionLost */
export async function send(
  method: string,
  target: string,
  body?: object,
  abort?: AbortSignal,
  as?: Session,
  idempotencyKey?: string,
): Promise<Response> {
  const text = body instanceof Blob ? body : body && JSON.stringify(body);
  const first = await exchange(method, target, text, abort, as, idempotencyKey);
  if (first.ok) return first;
  const error = await errorOf(first);
  if (error.code === "RequestTimeTooSkewed" && synchronize(first)) {
    const second = await exchange(method, target, text, abort, as, idempotencyKey);
    if (second.ok) return second;
    throw await errorOf(second);
  }
  if (error.status === 403 && error.code !== "RequestTimeTooSkewed") {
    signInProblem.value = error;
    signOut();
  }
  throw error;
}

/** Sends one signed request and returns the answer, whatever its status is. @throws ConnectionLost */
export async function exchange(
  method: string,
  target: string,
  body: string | Blob | undefined,
  abort?: AbortSignal,
  as?: Session,
  idempotencyKey?: string,
): Promise<Response> {
  const { scheme, headerPrefix } = await settings();
  const current = as ?? session.value;
  if (!current) throw new ConnectionLost(strings.signIn.needed);
  const contentType =
    body === undefined ? undefined : body instanceof Blob ? "application/octet-stream" : "application/json";
  const date = new Date(serviceNow()).toUTCString();
  const dateHeader = dateHeaderName(headerPrefix);
  const signature = await signatureOf({ method, target, contentType, date, dateHeader }, current.key);
  const headers: Record<string, string> = {
    [dateHeader]: date,
    Authorization: `${scheme} ${current.accessKeyId}:${signature}`,
  };
  if (contentType !== undefined) headers["Content-Type"] = contentType;
  if (idempotencyKey !== undefined) headers[idempotencyKeyHeader] = idempotencyKey;
  return fetchFrom(target, { method, headers, cache: "no-store", ...(body === undefined ? {} : { body }) }, abort);
}

/** Checks a key pair before anything is shown. @throws ApiError, ConnectionLost */
export async function verify(candidate: Session): Promise<void> {
  await send("GET", "/v1/?clusterManagement&max=1", undefined, undefined, candidate);
}

/** Returns the page of an error of the service on the team's site; undefined without a site, and for other errors. */
export function pageOf(error: unknown): string | undefined {
  return error instanceof ApiError ? errorLink(error.code, known?.docs) : undefined;
}

let known: ConsoleConfig | undefined;

/** Asks a service that did not answer whether it does again, for {@link lostSince}. @throws ConnectionLost */
export async function askAgain(abort: AbortSignal): Promise<void> {
  await fetchFrom("/console/config.json", { cache: "no-store" }, abort);
}

/** The scheme and prefix of the service's signature; the defaults for a service without a console. */
export async function settings(): Promise<ConsoleConfig> {
  if (known) return known;
  const defaults = { scheme: defaultScheme, headerPrefix: defaultHeaderPrefix };
  const answer = await fetchFrom("/console/config.json", { cache: "no-store" });
  known = answer.ok ? consoleConfig.parse(await answer.json()) : defaults;
  return known;
}

/** Sends a request as it is, and notes in {@link lostSince} if the service answers. @throws ConnectionLost */
export async function fetchFrom(target: string, init: RequestInit, abort?: AbortSignal): Promise<Response> {
  const timeout = AbortSignal.timeout(60_000);
  const stop = abort ? AbortSignal.any([abort, timeout]) : timeout;
  try {
    const answer = await fetch(endpoint + target, { ...init, signal: stop, credentials: "omit", redirect: "error" });
    lostSince.value = undefined;
    return answer;
  } catch (error) {
    if (abort?.aborted) throw error;
    lostSince.value ??= Date.now();
    throw new ConnectionLost(strings.connection.lost(endpoint), { cause: error });
  }
}

/** Follows the clock of the service. Returns false when the answer does not tell the time. */
function synchronize(answer: Response): boolean {
  const time = Date.parse(answer.headers.get("date") ?? "");
  if (Number.isNaN(time)) return false;
  clockOffset.value = time - Date.now();
  return true;
}

async function errorOf(answer: Response): Promise<ApiError> {
  const parsed = errorBody.safeParse(await answer.json().catch(() => undefined));
  const { code, message, requestId } = parsed.data ?? {
    code: "InternalError",
    message: strings.errors.notOfTheApi(answer.status),
    requestId: "",
  };
  return apiError(code, message, { status: answer.status, requestId });
}
