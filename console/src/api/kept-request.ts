/** Requests that the service does once, also when they are sent again because their answer was lost. */
import type { OperationName, ResponseBody } from "../../../contract/operations";
import { call, ConnectionLost, saysNothing, settings, type OperationInput } from "./client";
import { session } from "./session";

/** A request that was sent and whose answer has not come. */
export interface Pending<Body extends object> {
  readonly body: Body;
  /** Its Idempotency-Key; absent when the service takes none. */
  readonly key?: string | undefined;
  /** When it was sent first, in milliseconds since 1970. */
  readonly sentAt: number;
  /** Who sent it: the service knows the key of another one as another request. */
  readonly accessKeyId: string | undefined;
}

/** Milliseconds for which the service keeps the answer to a request with a key. */
const answerKept = 10 * 60_000;

/** Returns until when a request can be sent again and is done once; undefined when it would be done twice. */
export function repeatableUntil({ key, sentAt, accessKeyId }: Pending<object>): number | undefined {
  const until = sentAt + answerKept;
  return key !== undefined && accessKeyId === session.peek()?.accessKeyId && Date.now() < until ? until : undefined;
}

/** Returns the request to send: the one before when it is the same and can be repeated, or else a new one. */
export async function keptRequest<Body extends object>(
  body: Body,
  before: Pending<Body> | undefined,
): Promise<Pending<Body>> {
  if (before && isSame(before.body, body) && repeatableUntil(before) !== undefined) return before;
  const { idempotencyKeys } = await settings();
  const key = idempotencyKeys ? crypto.randomUUID() : undefined;
  return { body, key, sentAt: Date.now(), accessKeyId: session.peek()?.accessKeyId };
}

/** Returns true for two requests that ask the same. */
export const isSame = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Calls an operation with a body. A request whose answer was lost has the same key when it is sent again unchanged.
 * @param before the request before, if its answer has not come
 * @param keep keeps the request until its answer has come
 * @throws ApiError, ConnectionLost
 */
export async function sendKept<Name extends OperationName, Body extends object>(
  operation: Name,
  { body, ...rest }: OperationInput & { readonly body: Body },
  before: Pending<Body> | undefined,
  keep: (pending: Pending<Body> | undefined) => void,
): Promise<ResponseBody<Name>> {
  const pending = await keptRequest(body, before);
  keep(pending);
  try {
    const answer = await call(operation, { ...rest, body, idempotencyKey: pending.key });
    keep(undefined);
    return answer;
  } catch (error) {
    // What was asked first may have been done.
    if (!(pending === before ? saysNothing(error) : error instanceof ConnectionLost)) keep(undefined);
    throw error;
  }
}
