/** Keeps what is secret out of messages and rows. */
import { ApiError, apiError } from "../../contract";
import type { LifecycleContext } from "./lifecycle";

type Secrecy = Pick<LifecycleContext, "secret">;

/** What an input says, for a message; as Pulumi shows secrets where any input is one. */
export function shown(text: string, { secret }: Secrecy): string {
  return secret ? "[secret]" : text;
}

/** A refusal of the service without its message, which quotes inputs, where any is secret; everything else as it is. */
export function withoutQuotes(error: unknown, { secret }: Secrecy): unknown {
  if (!secret || !(error instanceof ApiError) || (error.status !== 400 && error.status !== 404)) return error;
  const { code, status, requestId, resource, operation } = error;
  return apiError(code, "what the service says of it is not shown, since an input is secret", {
    status,
    ...(requestId !== undefined && { requestId }),
    ...(resource !== undefined && { resource }),
    ...(operation !== undefined && { operation }),
  });
}
