/** Which failed tries may be repeated (design §5; the table in docs/client.md). */
import type { Operation } from "../../contract";
import { isTransient, mayHaveBeenCarriedOut } from "./errors";
import type { RetryVerdict } from "./retry";

/**
 * GET and DELETE may be repeated after everything that may pass. POST and PUT only when it is certain that nothing was
 * carried out: nothing was sent, or the service itself answered that it did not take the request.
 */
export function judgeFailure(method: Operation["method"], error: unknown): RetryVerdict {
  const harmless = method === "GET" || method === "DELETE" || !mayHaveBeenCarriedOut(error);
  if (!isTransient(error) || !harmless) return { kind: "never" };
  const { status, retryAfter } = error;
  return { kind: status === 429 ? "throttled" : "transient", retryAfter };
}
