/** Operations on an existing resource while the service does not answer: their errors say what stays. */
import { CallTimeoutError, ConnectionError } from "../client";
import type { LifecycleContext } from "./lifecycle";
import { withRedactedErrors } from "./redaction";

/**
 * Runs the delete of a resource, which asks the service before it deletes the first object.
 * @throws when the service does not answer, an error that says that the objects and the resource are still there
 */
export function deleting(context: LifecycleContext, operation: () => Promise<void>): Promise<void> {
  return withRedactedErrors(context, operation).catch((error: unknown) => {
    throw sayingWhatStays(error, "no object of it was deleted, and it stays in the state");
  });
}

/**
 * Runs the refresh of a resource.
 * @throws when the service does not answer, an error that says that the state is kept, without warnings of the same cause
 */
export async function refreshing<Result>(
  context: LifecycleContext,
  read: (context: LifecycleContext) => Promise<Result>,
): Promise<Result> {
  const warnings: string[] = [];
  const collecting = { ...context, warn: (text: string) => void warnings.push(text) };
  try {
    return await withRedactedErrors(context, () => read(collecting));
  } catch (error) {
    if (isUnanswered(error)) warnings.length = 0;
    throw sayingWhatStays(error, "its state stays as it is");
  } finally {
    for (const text of warnings) context.warn(text);
  }
}

function isUnanswered(error: unknown): error is ConnectionError | CallTimeoutError {
  return error instanceof ConnectionError || error instanceof CallTimeoutError;
}

function sayingWhatStays(error: unknown, whatStays: string): unknown {
  if (!isUnanswered(error)) return error;
  const text = `${error.message}: ${whatStays}. Run the command again when the service answers`;
  return new ConnectionError(text, { sent: error.sent, cause: error });
}
