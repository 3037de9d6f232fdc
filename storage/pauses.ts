/** Lets the event loop run during work whose calls hold it. */
import { setImmediate } from "node:timers/promises";

/** Milliseconds after which others get their turn. */
const workMilliseconds = 20;

/** Work in many short steps. */
export class Pauses {
  #last = performance.now();

  /** Call it between two steps. */
  async pause(): Promise<void> {
    if (performance.now() - this.#last < workMilliseconds) return;
    await setImmediate();
    this.#last = performance.now();
  }
}
