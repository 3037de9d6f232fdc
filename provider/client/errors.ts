/**
 * Errors of the client, one class per code. Errors that the service returns are the classes in `contract/errors.ts`.
 * Match errors by class or by `code`. No message, field or cause contains the secret key or the signature of a request.
 */
import { ApiError } from "../../contract/errors";
import { printableText } from "../../contract/printable";
import type { QueryRecord, QuerySummary } from "./types";

/** The codes and their meanings; the documentation lists this table. */
export const clientErrorTable = {
  InvalidClientOption: "an option of the client is invalid",
  ConnectionFailed: "the connection failed, or broke before the whole response was received",
  TlsFailed: "the TLS handshake failed: the endpoint does not support TLS, or its certificate is not trusted",
  CallTimedOut: "a timeout of the call was reached; `phase` says which one",
  CallAborted: "the caller's signal was aborted, or the client was closed; `cause` is the reason",
  UnexpectedAnswer:
    "the response is an error, a redirect or a status such as 206 that is not of the API, such as a proxy's error page",
  MalformedAnswer:
    "the response is not valid HTTP, is too large or too deep, or is a success whose content does not match the API: another form, another query's record, a list that does not end",
  WaitTimedOut: "the wait's timeout was reached; `lastObserved` is the last observed record",
  WaitAborted: "the wait's signal was aborted, or the client was closed; `lastObserved` is the last observed record",
} as const;

export type ClientErrorCode = keyof typeof clientErrorTable;

/** Details of an error besides its code and message. */
export interface ClientErrorDetails {
  /** Name of the operation, such as `submitSelect`. */
  readonly operation?: string;
  /** Path and operation key of the request. */
  readonly resource?: string;
  /** True when the request may have reached the service, so the operation may have been executed. */
  readonly sent?: boolean;
  /** HTTP status, if a response arrived. */
  readonly status?: number;
  /** Request identifier of the response, if it has one. */
  readonly requestId?: string;
  /** Delay of the response's Retry-After header, in milliseconds. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/** Base class of the client's own errors. */
export class ClientError extends Error {
  readonly operation: string | undefined;
  readonly resource: string | undefined;
  readonly sent: boolean;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(
    readonly code: ClientErrorCode,
    message: string,
    details: ClientErrorDetails = {},
  ) {
    super(printableText(message), details.cause === undefined ? undefined : { cause: details.cause });
    this.name = code;
    this.operation = details.operation;
    this.resource = details.resource;
    this.sent = details.sent ?? false;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}

/** An option of the client is invalid. The message names the option, its value (unless it is secret) and the rule. */
export class InvalidClientOptionError extends ClientError {
  constructor(message: string, details?: ClientErrorDetails) {
    super("InvalidClientOption", message, details);
  }
}

/** The connection failed (`sent` is false), or broke before the whole response was received (`sent` is true). */
export class ConnectionError extends ClientError {
  constructor(message: string, details?: ClientErrorDetails) {
    super("ConnectionFailed", message, details);
  }
}

/** The TLS handshake failed: the endpoint does not support TLS, or its certificate is not trusted. Nothing was sent. */
export class TlsError extends ClientError {
  constructor(message: string, details?: ClientErrorDetails) {
    super("TlsFailed", message, details);
  }
}

/** The timeout that was reached: of one attempt (`connect`, `headers`, `body`) or of the whole call (`call`). */
export type TimeoutPhase = "connect" | "headers" | "body" | "call";

/** A timeout of the call was reached. */
export class CallTimeoutError extends ClientError {
  constructor(
    readonly phase: TimeoutPhase,
    message: string,
    details?: ClientErrorDetails,
  ) {
    super("CallTimedOut", message, details);
  }
}

/** The caller's signal was aborted, or the client was closed. */
export class CallAbortedError extends ClientError {
  constructor(message: string, details?: ClientErrorDetails) {
    super("CallAborted", message, details);
  }
}

/** The response is an error or a redirect that is not from the API. */
export class UnexpectedAnswerError extends ClientError {
  constructor(message: string, details?: ClientErrorDetails) {
    super("UnexpectedAnswer", message, details);
  }
}

/** The response is a success whose content does not match the API. */
export class MalformedAnswerError extends ClientError {
  constructor(message: string, details?: ClientErrorDetails) {
    super("MalformedAnswer", message, details);
  }
}

/** A wait ended at its timeout or was aborted. The query itself continues. */
export class WaitError<Observation = QuerySummary | QueryRecord> extends ClientError {
  constructor(
    code: "WaitTimedOut" | "WaitAborted",
    message: string,
    /** The last observation; undefined before the first one. */
    readonly lastObserved: Observation | undefined,
    details?: ClientErrorDetails,
  ) {
    super(code, message, details);
  }
}

/**
 * Returns true when a failed call may have been executed nevertheless: its response was lost, or is a 5xx, 429 or 408,
 * which a service or a proxy may also send after the execution. Returns false when nothing was sent or when the service
 * rejected the content of the request.
 */
export function mayHaveBeenCarriedOut(error: unknown): boolean {
  if (error instanceof ApiError) return isTransientStatus(error.status);
  return !(error instanceof ClientError) || error.sent;
}

/**
 * Returns true when a retry may succeed: after connection errors, timeouts, throttling and failures inside the service.
 */
export function isTransient(error: unknown): error is ApiError | ClientError {
  if (error instanceof ConnectionError || error instanceof CallTimeoutError) return true;
  if (!(error instanceof ApiError || error instanceof UnexpectedAnswerError)) return false;
  return error.status !== undefined && isTransientStatus(error.status);
}

function isTransientStatus(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}
