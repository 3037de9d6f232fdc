/** From errors to answers: the only place where error bodies are made. */
import { ApiError, errors, type ErrorBody } from "../../contract";

/** Anything thrown as an error of the API. What is not one is the service's own failure, which is told to nobody outside. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new errors.InternalError("the service failed to handle the request; its log says why, under this request id", {
    cause: error,
  });
}

export function errorBody({ code, message, status }: ApiError, requestId: string, resource: string): ErrorBody {
  return { code, message, status, requestId, resource };
}
