/** What a client is made with. */
import { defaultScheme } from "../../contract";
import { longestTimer, systemClock, type Clock } from "./clock";
import { InvalidClientOptionError } from "./errors";
import { defaultPollTiming } from "./waiter";

/** Time limits in milliseconds. */
export interface Timeouts {
  /** To make a connection. @default 10000 */
  readonly connect?: number;
  /** From the request to the head of the answer, for each try; not for PUT, which answers when its work is done. @default 30000 */
  readonly headers?: number;
  /** Between two parts of the answer's body. @default 30000 */
  readonly body?: number;
  /** For a whole call with its repetitions, except PUT. @default 120000 */
  readonly call?: number;
  /** For a whole call of a PUT operation: a restart, a log export. @default 3600000 */
  readonly work?: number;
}

/** What a client is made with. */
export interface ClientOptions {
  /** Base URL of the service, such as `http://127.0.0.1:9393`; operations lie under its `/v1/`. */
  readonly endpoint: string;
  /** Names the caller; reported back in query records (specification §5). */
  readonly accessKeyId: string;
  /** Proves the caller; signs every request and is never shown. */
  readonly secretAccessKey: string;
  /** Scheme token of the Authorization header (specification §5). @default "IIJGIO" */
  readonly signatureScheme?: string | undefined;
  /** What the service's own response headers start with (specification §4). @default "x-svc-" */
  readonly headerPrefix?: string | undefined;
  /** How often a call is repeated after a failure that may pass; 0 for never. @default 8 */
  readonly maxRetries?: number | undefined;
  readonly timeouts?: Timeouts | undefined;
  /** The longest time between two looks at running queries, in milliseconds. @default 5000 */
  readonly pollInterval?: number | undefined;
  /** Open connections at most; further calls wait for one. @default 64 */
  readonly connections?: number | undefined;
  /** Bytes of an answer's body at most; a longer one is a MalformedAnswerError. @default 134217728 */
  readonly maxResponseBytes?: number | undefined;
  /** Time, for tests. @default this machine's */
  readonly clock?: Clock | undefined;
}

/** How one call differs from what the client does otherwise. */
export interface CallOptions {
  /** Ends the call with a CallAbortedError. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the call with its repetitions. @default the client's `timeouts.call`, or `timeouts.work` for PUT */
  readonly timeout?: number | undefined;
  /** @default the client's `maxRetries` */
  readonly maxRetries?: number | undefined;
}

/** Options with every default filled in. */
export interface ClientSettings {
  readonly endpoint: URL;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly signatureScheme: string;
  readonly headerPrefix: string;
  readonly maxRetries: number;
  readonly timeouts: Required<Timeouts>;
  readonly pollInterval: number;
  readonly connections: number;
  readonly maxResponseBytes: number;
  readonly clock: Clock;
}

const defaultTimeouts: Required<Timeouts> = {
  connect: 10_000,
  headers: 30_000,
  body: 30_000,
  call: 120_000,
  work: 3_600_000,
};

/**
 * Checks options and fills in the defaults.
 * @throws {InvalidClientOptionError} naming the option.
 */
export function clientSettings(options: ClientOptions): ClientSettings {
  const timeouts = { ...defaultTimeouts, ...definedOnly(options.timeouts ?? {}) };
  for (const [phase, value] of Object.entries(timeouts)) milliseconds(`timeouts.${phase}`, value);
  return {
    endpoint: parseEndpoint(options.endpoint),
    accessKeyId: token("accessKeyId", options.accessKeyId, /^[^\s:]+$/, "without blanks and colons"),
    secretAccessKey: token("secretAccessKey", options.secretAccessKey, /^[^]+$/, "that is not empty"),
    signatureScheme: token(
      "signatureScheme",
      options.signatureScheme ?? defaultScheme,
      /^[!#$%&'*+.^_`|~\w-]+$/,
      "of token characters",
    ),
    headerPrefix: token(
      "headerPrefix",
      options.headerPrefix ?? "x-svc-",
      /^[\w-]+$/,
      "of letters, digits and '-'",
    ).toLowerCase(),
    maxRetries: wholeNumber("maxRetries", options.maxRetries ?? 8, 0),
    timeouts,
    pollInterval: milliseconds("pollInterval", options.pollInterval ?? defaultPollTiming.longest),
    connections: wholeNumber("connections", options.connections ?? 64, 1),
    maxResponseBytes: wholeNumber("maxResponseBytes", options.maxResponseBytes ?? 134_217_728, 1),
    clock: options.clock ?? systemClock,
  };
}

/** A time that a timer can take. Throws InvalidClientOptionError naming the option. */
export function milliseconds(name: string, value: unknown): number {
  const number = wholeNumber(name, value, 1);
  if (number <= longestTimer) return number;
  throw new InvalidClientOptionError(`${name} ${number} must be at most ${longestTimer} milliseconds`);
}

/** A whole number of at least `least`. Throws InvalidClientOptionError naming the option. */
export function wholeNumber(name: string, value: unknown, least: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw new InvalidClientOptionError(`${name} ${String(value)} must be a whole number of at least ${least}`);
}

function parseEndpoint(endpoint: unknown): URL {
  const form = "such as http://127.0.0.1:9393";
  if (typeof endpoint !== "string" || endpoint.trim() === "") {
    throw new InvalidClientOptionError(`endpoint is missing; it must be the service's base URL, ${form}`);
  }
  if (!URL.canParse(endpoint)) throw new InvalidClientOptionError(`endpoint "${endpoint}" must be a URL ${form}`);
  const url = new URL(endpoint);
  // A password in the URL must not reach the message.
  if (url.username !== "" || url.password !== "") {
    throw new InvalidClientOptionError("endpoint must not hold a user name or password; the access key is given apart");
  }
  if ((url.protocol !== "http:" && url.protocol !== "https:") || url.search !== "" || url.hash !== "") {
    throw new InvalidClientOptionError(
      `endpoint "${endpoint}" must be an http or https URL without query and fragment, ${form}`,
    );
  }
  return url;
}

function token(name: string, value: unknown, pattern: RegExp, rule: string): string {
  if (typeof value === "string" && pattern.test(value)) return value;
  throw new InvalidClientOptionError(`${name} must be a text ${rule}`);
}

function definedOnly<Value extends object>(value: Value): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as never;
}
