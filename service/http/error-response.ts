/** Converts errors to responses: the only place that creates error bodies. */
import { ApiError, errors, type ErrorBody } from "../../contract";

/** Converts a thrown value to an API error. Any other error becomes InternalError; its details are only logged. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new errors.InternalError("the service failed to handle the request: search its log for this requestId", {
    cause: error,
  });
}

/** Creates the body of an error response. */
export function toErrorBody({ code, message, status }: ApiError, requestId: string, resource: string): ErrorBody {
  return { code, message, status, requestId, resource };
}
