/**
 * What can go wrong with a call besides an error that the service answers (those are the classes of `provider/api`):
 * one class per code. Match by class or by `code`. No message, field or cause holds the secret key or the
 * Authorization header.
 */
import { ApiError, type QueryRecord, type QuerySummary } from "../../contract";

/** The codes and what each says; the documentation lists this table. */
export const clientErrorTable = {
  InvalidClientOption: "an option of the client cannot be used",
  ConnectionFailed: "the connection could not be made, or broke before the whole answer was there",
  TlsFailed: "the endpoint does not speak TLS, or its certificate is not trusted",
  CallTimedOut: "one of the call's time limits was reached; `phase` says which",
  CallAborted: "the caller's signal was aborted, or the client was closed; `cause` is the reason",
  UnexpectedAnswer: "an error or a redirect was answered that is not the API's own, such as a proxy's page",
  MalformedAnswer: "a success was answered, but its content is not what the API promises",
  WaitTimedOut: "the wait's timeout was reached; `lastObserved` says what was seen last",
  WaitAborted: "the wait's signal was aborted, or the client was closed; `lastObserved` says what was seen last",
} as const;

export type ClientErrorCode = keyof typeof clientErrorTable;

/** What an error knows besides its code and message. */
export interface ClientErrorDetails {
  /** Name of the operation, such as `submitSelect`. */
  readonly operation?: string;
  /** Path and operation key of the request. */
  readonly resource?: string;
  /** Whether any of the request may have reached the service, so that it may have been carried out. */
  readonly sent?: boolean;
  /** HTTP status, where an answer arrived. */
  readonly status?: number;
  /** The answer's request identifier, where it had one. */
  readonly requestId?: string;
  /** Milliseconds that the answer's Retry-After asks to wait. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/** Every error of the client's own. */
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
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = code;
    this.operation = details.operation;
    this.resource = details.resource;
    this.sent = details.sent ?? false;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}

/** An option of the client cannot be used; the message names it, its value (unless secret) and the rule. */
export class InvalidClientOptionError extends ClientError {
  constructor(message: string, details?: ClientErrorDetails) {
    super("InvalidClientOption", message, details);
  }
}

/** The connection could not be made (`sent` is false), or broke before the whole answer was there (`sent` is true). */
export class ConnectionError extends ClientError {
  constructor(message: string, details?: ClientErrorDetails) {
    super("ConnectionFailed", message, details);
  }
}

/** The endpoint does not speak TLS, or its certificate is not trusted; nothing was sent. */
export class TlsError extends ClientError {
  constructor(message: string, details?: ClientErrorDetails) {
    super("TlsFailed", message, details);
  }
}

/** A time limit of one try (`connect`, `headers`, `body`), or that of the whole call (`call`). */
export type TimeoutPhase = "connect" | "headers" | "body" | "call";

/** A time limit of the call was reached. */
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

/** An error or a redirect was answered that is not the API's own. */
export class UnexpectedAnswerError extends ClientError {
  constructor(message: string, details?: ClientErrorDetails) {
    super("UnexpectedAnswer", message, details);
  }
}

/** A success was answered whose content is not what the API promises. */
export class MalformedAnswerError extends ClientError {
  constructor(message: string, details?: ClientErrorDetails) {
    super("MalformedAnswer", message, details);
  }
}

/** A wait was given up; what was waited for may still come. */
export class WaitError<Observation = QuerySummary | QueryRecord> extends ClientError {
  constructor(
    code: "WaitTimedOut" | "WaitAborted",
    message: string,
    /** What was seen last; undefined where nothing was seen yet. */
    readonly lastObserved: Observation | undefined,
    details?: ClientErrorDetails,
  ) {
    super(code, message, details);
  }
}

/**
 * Whether a call that failed with this error may have been carried out all the same: its answer was lost, or the
 * service failed in the middle. False where nothing was sent, and where the service answered that it did not take
 * the request.
 */
export function mayHaveBeenCarriedOut(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500 && error.code !== "ServiceUnavailable";
  return !(error instanceof ClientError) || error.sent;
}

/** Whether the same call may succeed later: the connection, a time limit, throttling, or a failure inside the service. */
export function isTransient(error: unknown): error is ApiError | ClientError {
  if (error instanceof ConnectionError || error instanceof CallTimeoutError) return true;
  if (!(error instanceof ApiError || error instanceof UnexpectedAnswerError)) return false;
  return error.status !== undefined && (error.status >= 500 || error.status === 429 || error.status === 408);
}
