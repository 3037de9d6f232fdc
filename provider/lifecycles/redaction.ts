/** Removes secrets from messages and progress lines. */
import { ApiError, apiError } from "../../contract";
import type { LifecycleContext } from "./lifecycle";

type RedactionContext = Pick<LifecycleContext, "secret">;

/** Returns the text for a message, or `[secret]` (as Pulumi shows secrets) when an input is secret. */
export function redacted(text: string, { secret }: RedactionContext): string {
  return secret ? "[secret]" : text;
}

/** Runs an operation, whose errors quote no input when an input is secret. */
export async function withRedactedErrors<Result>(
  context: RedactionContext,
  operation: () => Promise<Result>,
): Promise<Result> {
  try {
    return await operation();
  } catch (error) {
    throw redactedError(error, context);
  }
}

/** Removes the message of a 400 or 404 error of the service, which quotes inputs, when an input is secret. */
export function redactedError(error: unknown, { secret }: RedactionContext): unknown {
  if (!secret || !(error instanceof ApiError) || (error.status !== 400 && error.status !== 404)) return error;
  const { code, status, requestId, resource, operation } = error;
  return apiError(code, "the service's message is not shown, because an input is secret", {
    status,
    ...(requestId !== undefined && { requestId }),
    ...(resource !== undefined && { resource }),
    ...(operation !== undefined && { operation }),
  });
}
