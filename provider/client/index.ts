/** The public API of `pulumi-dag/client`: the typed client, its errors and `waitUntil`. */
// oxlint-disable-next-line no-unassigned-import -- it must run before the other modules are loaded
import "./require-node";
export { errorPage } from "../../contract/error-page";
export { ApiError, errors, errorTable, type ErrorCode } from "../../contract/errors";
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
export type { OperationRequest } from "./operation-request";
export type * from "./types";
export { waitUntil } from "./wait-until";
