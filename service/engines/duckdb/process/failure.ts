/** Serialises the errors of requests. */
import { ApiError, apiError } from "../../../../contract";
import { EngineError } from "../engine-errors";
import type { Failure } from "./protocol";

/**
 * Serialises an error.
 * @param cancelled true when the request was cancelled.
 * @param redact removes the parts of a message that users must not see.
 */
export function encodeFailure(error: unknown, cancelled: boolean, redact: (message: string) => string): Failure {
  const message = redact(error instanceof Error ? error.message : String(error));
  if (cancelled) return { kind: "cancelled", message };
  if (!(error instanceof ApiError)) return { kind: "engine", message };
  return { kind: "api", message, code: error.code, ...(error.field === undefined ? {} : { field: error.field }) };
}

/** Deserialises an error of {@link encodeFailure}. */
export function decodeFailure({ kind, message, code, field: at }: Failure): Error {
  return kind === "api" && code !== undefined
    ? apiError(code, message, at === undefined ? {} : { field: at })
    : new EngineError(message);
}
