/** Keeps a publication that takes long with the process that began it. */
import type { Publication } from "../../core/ports/platform";
import { AttemptLost, confirmedMilliseconds } from "../../core/ports/state";

/** Milliseconds between two confirmations. */
const interval = 2000;

/**
 * The hold on a publication of several requests: it is confirmed again while it lasts. A process that was stopped, or has
 * lost the state, waits for a confirmation before its next request.
 */
export class PublicationHold implements Disposable {
  /** The reason for which another process publishes the result; undefined while this one does. */
  lost: AttemptLost | undefined;
  readonly #lost = new AbortController();
  #heldUntil = Number.NEGATIVE_INFINITY;
  #confirming: Promise<void> | undefined;
  readonly #timer = setInterval(() => void this.#confirm().catch(() => undefined), interval);

  constructor(private readonly publication: Pick<Publication, "confirm">) {}

  /** Aborted when another process publishes the result. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** Resolves when this process may send a request. @throws {AttemptLost} */
  async permit(): Promise<void> {
    if (this.lost) throw this.lost;
    while (performance.now() >= this.#heldUntil) await this.#confirm();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #confirm(): Promise<void> {
    return (this.#confirming ??= this.#confirmOnce().finally(() => (this.#confirming = undefined)));
  }

  async #confirmOnce(): Promise<void> {
    const asked = performance.now();
    try {
      await this.publication.confirm();
    } catch (error) {
      if (error instanceof AttemptLost) {
        this.lost = error;
        this.#lost.abort(error);
      }
      throw error;
    }
    this.#heldUntil = asked + confirmedMilliseconds;
  }
}
