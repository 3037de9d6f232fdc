/** Converts errors to responses: the only place that creates error bodies. */
import { ApiError, errors, type ErrorBody } from "../../contract";
import type { Logger } from "../core/ports/platform";
import { allowedMethods, resourceOf } from "./route";

/** The log of errors that are the service's own. */
export type ErrorLog = Pick<Logger, "error">;

/** An error as an answer. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: string;
  /** Names and values, one after another. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** Converts a thrown value to an API error. Any other error becomes InternalError; its details are only logged. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new errors.InternalError("the service failed to handle the request: search its log for this requestId", {
    cause: error,
  });
}

/** Creates the body of an error response. */
export function toErrorBody({ code, message, status }: ApiError, requestId: string, resource: string): ErrorBody {
  return { code, message, status, requestId, resource };
}

/** Converts an error of any step of a request to its answer, and logs it when it is the service's own. */
export function errorAnswer(
  error: unknown,
  { log, requestId, target }: { readonly log: ErrorLog; readonly requestId: string; readonly target: string },
): ErrorAnswer {
  const answer = toApiError(error);
  const { status, code, cause, retryAfter } = answer;
  if (code === "InternalError" || (status >= 500 && cause !== undefined)) {
    log.error({ requestId, err: cause ?? error }, "request failed");
  }
  const headers = ["Content-Type", "application/json"];
  if (retryAfter !== undefined) headers.push("Retry-After", String(Math.ceil(retryAfter / 1000)));
  if (code === "MethodNotAllowed") headers.push("Allow", allowedMethods(target));
  return { status, code, headers, body: JSON.stringify(toErrorBody(answer, requestId, resourceOf(target))) };
}
