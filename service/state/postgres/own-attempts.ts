/** The attempts that this process runs, with the progress that is still to be stored. */
import type { QueryAttempt, QueryProgress } from "../../core/ports/state";

export class OwnAttempts {
  /** By the ID of their query. */
  readonly #epochs = new Map<number, number>();
  readonly #progress = new Map<number, QueryAttempt & QueryProgress>();

  /** Adds an attempt that this process has begun. */
  add({ id, epoch }: QueryAttempt): void {
    this.#epochs.set(id, epoch);
  }

  /** Forgets an attempt that has ended. */
  remove({ id, epoch }: QueryAttempt): void {
    if (this.#epochs.get(id) === epoch) this.#epochs.delete(id);
    this.#progress.delete(id);
  }

  /** Returns true when this process runs an attempt of the query. */
  hasQuery(id: number): boolean {
    return this.#epochs.has(id);
  }

  /** Returns true when this process runs the attempt. */
  has({ id, epoch }: QueryAttempt): boolean {
    return this.#epochs.get(id) === epoch;
  }

  all(): QueryAttempt[] {
    return Array.from(this.#epochs, ([id, epoch]) => ({ id, epoch }));
  }

  /** Notes the progress of an attempt, in place of an earlier one. */
  noteProgress({ id, epoch }: QueryAttempt, { progress, stage, jobId, movedTime = null }: QueryProgress): void {
    this.#progress.set(id, { id, epoch, progress, stage, jobId, movedTime });
  }

  /** Returns the progress that was noted since the last call. */
  takeProgress(): (QueryAttempt & QueryProgress)[] {
    const noted = [...this.#progress.values()];
    this.#progress.clear();
    return noted;
  }
}
