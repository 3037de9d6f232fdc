/** What the forms submit: each submission is one request, fixed when the user runs it, which goes on while other pages are shown. */
import { signal } from "@preact/signals";
import type { Others } from "./replace-question";

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
