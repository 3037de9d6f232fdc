/** The options of the client. */
import { defaultHeaderPrefix, defaultScheme } from "../../contract";
import type { ParentRun } from "../../contract/request-headers";
import { longestTimer, systemClock, type Clock } from "./clock";
import { InvalidClientOptionError } from "./errors";
import { defaultPollTiming } from "./wait-until";

/** Timeouts in milliseconds. */
export interface Timeouts {
  /** For establishing a connection. @default 10000 */
  readonly connect?: number;
  /**
   * From the request to the response headers, per attempt. Not for PUT, which responds when its work is done. @default
   * 30000
   */
  readonly headers?: number;
  /** Between two chunks of the response body. @default 30000 */
  readonly body?: number;
  /** For a whole call with its retries, except PUT. @default 120000 */
  readonly call?: number;
  /** For a whole PUT call (a restart or a log export). @default 3600000 */
  readonly work?: number;
}

/** The options of a client. */
export interface ClientOptions {
  /** Base URL of the service, such as `http://127.0.0.1:9393`; the operations are below its `/v1/`. */
  readonly endpoint: string;
  /** Identifier of the caller's access key; query records contain it. */
  readonly accessKeyId: string;
  /** Secret of the access key. It signs every request and never appears in messages. */
  readonly secretAccessKey: string;
  /** Scheme token of the Authorization header. @default "IIJGIO" */
  readonly signatureScheme?: string | undefined;
  /** Prefix of the service's own response headers. @default "x-svc-" */
  readonly headerPrefix?: string | undefined;
  /**
   * Set to true to send the time of a request in the service's own header, such as `x-svc-date`, and not in `Date`: for
   * a proxy that replaces `Date`.
   * @default false
   */
  readonly ownDateHeader?: boolean | undefined;
  /** Maximum number of retries of a call after transient failures; 0 disables retries. @default 8 */
  readonly maxRetries?: number | undefined;
  readonly timeouts?: Timeouts | undefined;
  /** Maximum interval between two polls of running queries, in milliseconds. @default 5000 */
  readonly pollInterval?: number | undefined;
  /** Maximum number of open connections; further calls wait for a free one. @default 64 */
  readonly connections?: number | undefined;
  /** Maximum size of a response body, in bytes; a larger one fails with MalformedAnswerError. @default 134217728 */
  readonly maxResponseBytes?: number | undefined;
  /** Clock, for tests. @default the system clock */
  readonly clock?: Clock | undefined;
}

/** Options of one call, which override the client's. */
export interface CallOptions {
  /** Aborts the call with a CallAbortedError. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the call with its retries. @default the client's `timeouts.call`, or `timeouts.work` for PUT */
  readonly timeout?: number | undefined;
  /** @default the client's `maxRetries` */
  readonly maxRetries?: number | undefined;
  /** The run of which a submitted query is a part, for the OpenLineage events of the service. @default none */
  readonly parentRun?: ParentRun | undefined;
}

/** Options with every default filled in. */
export interface ClientSettings {
  readonly endpoint: URL;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly signatureScheme: string;
  readonly headerPrefix: string;
  readonly ownDateHeader: boolean;
  readonly maxRetries: number;
  readonly timeouts: Required<Timeouts>;
  readonly pollInterval: number;
  readonly connections: number;
  readonly maxResponseBytes: number;
  readonly clock: Clock;
}

/** The name of every option. */
const optionNames: Readonly<Record<keyof ClientOptions, true>> = {
  endpoint: true,
  accessKeyId: true,
  secretAccessKey: true,
  signatureScheme: true,
  headerPrefix: true,
  ownDateHeader: true,
  maxRetries: true,
  timeouts: true,
  pollInterval: true,
  connections: true,
  maxResponseBytes: true,
  clock: true,
};

const defaultTimeouts: Required<Timeouts> = {
  connect: 10_000,
  headers: 30_000,
  body: 30_000,
  call: 120_000,
  work: 3_600_000,
};

/**
 * Validates options and fills in the defaults.
 * @throws {InvalidClientOptionError} that names the option.
 */
export function clientSettings(options: ClientOptions): ClientSettings {
  requireKnown("", options, optionNames);
  requireKnown("timeouts.", options.timeouts ?? {}, defaultTimeouts);
  const timeouts = { ...defaultTimeouts, ...definedOnly(options.timeouts ?? {}) };
  for (const [phase, value] of Object.entries(timeouts)) requireMilliseconds(`timeouts.${phase}`, value);
  return {
    endpoint: parseEndpoint(options.endpoint),
    accessKeyId: requireText("accessKeyId", options.accessKeyId, /^[^\s:]+$/, "without spaces and colons"),
    secretAccessKey: requireText("secretAccessKey", options.secretAccessKey, /^[^]+$/, "that is not empty"),
    signatureScheme: requireText(
      "signatureScheme",
      options.signatureScheme ?? defaultScheme,
      /^[!#$%&'*+.^_`|~\w-]+$/,
      "of token characters",
    ),
    headerPrefix: requireText(
      "headerPrefix",
      options.headerPrefix ?? defaultHeaderPrefix,
      /^[\w-]+$/,
      "of letters, digits and '-'",
    ).toLowerCase(),
    ownDateHeader: options.ownDateHeader ?? false,
    maxRetries: requireWholeNumber("maxRetries", options.maxRetries ?? 8, 0),
    timeouts,
    pollInterval: requireMilliseconds("pollInterval", options.pollInterval ?? defaultPollTiming.longest),
    connections: requireWholeNumber("connections", options.connections ?? 64, 1),
    maxResponseBytes: requireWholeNumber("maxResponseBytes", options.maxResponseBytes ?? 134_217_728, 1),
    clock: options.clock ?? systemClock,
  };
}

/** Returns the value if it is a valid timer delay. Throws InvalidClientOptionError that names the option. */
export function requireMilliseconds(name: string, value: unknown): number {
  const number = requireWholeNumber(name, value, 1);
  if (number <= longestTimer) return number;
  throw new InvalidClientOptionError(`${name} ${number} must be at most ${longestTimer} milliseconds`);
}

/**
 * Returns the value if it is a whole number of at least `least`. Throws InvalidClientOptionError that names the option.
 */
export function requireWholeNumber(name: string, value: unknown, least: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw new InvalidClientOptionError(`${name} ${String(value)} must be a whole number of at least ${least}`);
}

/** Refuses an option that the client does not have, such as a misspelt one. */
function requireKnown(prefix: string, options: object, known: object): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const names = Object.keys(known).map((name) => prefix + name);
  throw new InvalidClientOptionError(`${prefix}${unknown} is not an option; the options are ${names.join(", ")}`);
}

function parseEndpoint(endpoint: unknown): URL {
  const form = "such as http://127.0.0.1:9393";
  if (typeof endpoint !== "string" || endpoint.trim() === "") {
    throw new InvalidClientOptionError(`endpoint is missing; it must be the service's base URL, ${form}`);
  }
  const url = requireBaseUrl("endpoint", endpoint, form, "; set accessKeyId and secretAccessKey instead");
  if (/^\/v1\/?$/.test(url.pathname)) {
    throw new InvalidClientOptionError(`endpoint "${endpoint}" must be without the /v1 of the operations, ${form}`);
  }
  return url;
}

/**
 * Returns the URL if it is an http or https URL to which paths can be added. Throws InvalidClientOptionError that names
 * the option.
 */
export function requireBaseUrl(name: string, text: string, form: string, credentialsRemedy = ""): URL {
  if (!URL.canParse(text)) throw new InvalidClientOptionError(`${name} "${text}" must be a URL, ${form}`);
  const url = new URL(text);
  // Checked first, because the message below quotes the URL and must not contain a password.
  if (url.username !== "" || url.password !== "") {
    throw new InvalidClientOptionError(`${name} must not contain a user name or password${credentialsRemedy}`);
  }
  if ((url.protocol !== "http:" && url.protocol !== "https:") || url.search !== "" || url.hash !== "") {
    throw new InvalidClientOptionError(
      `${name} "${text}" must be an http or https URL without query and fragment, ${form}`,
    );
  }
  return url;
}

function requireText(name: string, value: unknown, pattern: RegExp, rule: string): string {
  if (typeof value === "string" && pattern.test(value)) return value;
  throw new InvalidClientOptionError(`${name} must be a string ${rule}`);
}

function definedOnly<Value extends object>(value: Value): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as never;
}
