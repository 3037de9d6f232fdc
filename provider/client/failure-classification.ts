/** Decides which failed attempts may be retried (the table in docs/client.md). */
import type { Operation } from "../../contract";
import { isTransient, mayHaveBeenCarriedOut } from "./errors";
import type { FailureClassification } from "./retry";

/**
 * Classifies the error of a failed attempt. GET and DELETE may be retried after any transient failure. POST and PUT may
 * be retried only when nothing was sent. After any response, the caller must find out whether the operation was executed.
 */
export function classifyFailure(method: Operation["method"], error: unknown): FailureClassification {
  const safeToRetry = method === "GET" || method === "DELETE" || !mayHaveBeenCarriedOut(error);
  if (!isTransient(error) || !safeToRetry) return { kind: "never" };
  const { status, retryAfter } = error;
  return { kind: status === 429 ? "throttled" : "transient", retryAfter };
}
