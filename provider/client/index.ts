/** The typed client of the service and what its pure parts offer to others. */
export { ApiError, errors, errorTable, type ErrorCode } from "../../contract";
export { Client } from "./client";
export { systemClock, type Clock } from "./clock";
export {
  CallAbortedError,
  CallTimeoutError,
  ClientError,
  clientErrorTable,
  ConnectionError,
  InvalidClientOptionError,
  isTransient,
  MalformedAnswerError,
  mayHaveBeenCarriedOut,
  TlsError,
  UnexpectedAnswerError,
  WaitError,
} from "./errors";
export type { CallOptions, ClientOptions, Timeouts } from "./options";
export type { QueryWait } from "./poller";
export type { OperationRequest } from "./request";
export { waitUntil } from "./waiter";
