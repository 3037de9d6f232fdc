/** What the forms submit: each submission is one request, fixed when the user runs it, which goes on while other pages are shown. */
import { signal } from "@preact/signals";
import { call, ConnectionLost, saysNothing, settings } from "../../api/client";
import type { Others } from "./replace-question";

/** A request that was sent and whose answer has not come. */
export interface Pending<Body extends object> {
  readonly body: Body;
  /** Its Idempotency-Key; absent when the service takes none. */
  readonly key?: string | undefined;
  /** When it was sent first, in milliseconds since 1970. */
  readonly sentAt: number;
}

/** Milliseconds for which the service keeps the answer to a request with a key. */
const answerKept = 10 * 60_000;

/** Returns until when a request can be sent again and runs once; undefined when it would run twice. */
export function repeatableUntil({ key, sentAt }: Pending<object>): number | undefined {
  const until = sentAt + answerKept;
  return key !== undefined && Date.now() < until ? until : undefined;
}

/** Asks before the request is sent. */
interface Question {
  readonly others: Others;
  /** Sends the request. */
  readonly replace: () => void;
}

/** How far the submission of a form is. */
interface Attempt {
  readonly isBusy: boolean;
  readonly question?: Question | undefined;
  /** Why it failed. */
  readonly error?: Error;
}

const attempts = signal<Readonly<Record<string, Attempt>>>({});

const idle: Attempt = { isBusy: false };

/** Returns how far the submission of a form is. @param owner the form: the ID of a draft, or `split` */
export const attemptOf = (owner: string): Attempt => attempts.value[owner] ?? idle;

const setAttempt = (owner: string, value: Attempt) => (attempts.value = { ...attempts.value, [owner]: value });

/** Forgets the question of a form, if it is still open; its request is not sent. */
export function dropQuestion(owner: string): void {
  if (attempts.peek()[owner]?.question) setAttempt(owner, idle);
}

/**
 * Submits for a form; does nothing while its submission before is under way.
 * @param send returns a question when it must be answered first. Its error is shown in the form.
 */
export async function attempt(owner: string, send: () => Promise<Question | undefined>): Promise<void> {
  if (attempts.peek()[owner]?.isBusy) return;
  setAttempt(owner, { isBusy: true });
  try {
    setAttempt(owner, { isBusy: false, question: await send() });
  } catch (error) {
    setAttempt(owner, { isBusy: false, error: error as Error });
  }
}

/**
 * Sends a request and returns the ID of its query. A request whose answer was lost has the same key when it is sent
 * again unchanged: the query runs once.
 * @param before the request before, if its answer has not come
 * @param keep keeps the request until its answer has come
 * @throws ApiError, ConnectionLost
 */
export async function sendKept<Body extends object>(
  operation: "submitSelect" | "submitSplit",
  body: Body,
  before: Pending<Body> | undefined,
  keep: (pending: Pending<Body> | undefined) => void,
): Promise<number> {
  const { idempotencyKeys } = await settings();
  const isRepeated =
    before !== undefined &&
    JSON.stringify(before.body) === JSON.stringify(body) &&
    repeatableUntil(before) !== undefined;
  const key = idempotencyKeys ? crypto.randomUUID() : undefined;
  const pending = isRepeated ? before : { body, key, sentAt: Date.now() };
  keep(pending);
  try {
    const { queryId } = await call(operation, { body, idempotencyKey: pending.key });
    keep(undefined);
    return queryId;
  } catch (error) {
    // The query of the first request may be running.
    if (!(isRepeated ? saysNothing(error) : error instanceof ConnectionLost)) keep(undefined);
    throw error;
  }
}
