/** Gives back the memory that an engine process keeps after requests. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { collectGarbage } from "../../../collect-garbage";
import type { Database } from "./database";

const MiB = 1024 * 1024;
/** Memory in bytes that is given back at once; less, when no request comes soon: the next one uses it again. */
const largeBytes = 96 * MiB;
/** Bytes outside the JavaScript heap that may stay. */
const nativeBytes = 16 * MiB;
/** Bytes of the JavaScript heap that may stay, beyond what the last collection left. */
const heapBytes = 16 * MiB;
/** Milliseconds without a request after which memory is given back. */
const restMilliseconds = 1000;

/** DuckDB's allocator keeps what statements have used; all of it is given back when the instance is closed. */
export class KeptMemory {
  /** The memory in use when it was last given back. */
  #resident = process.memoryUsage.rss();
  #native = nativeMemory();
  /** The size of the heap after the last collection. */
  #heap = 0;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(private readonly database: Database) {}

  /** Waits until the process is ready for a request. */
  async beforeRequest(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#work;
  }

  /** Gives back much memory now, and the rest unless another request comes soon. */
  async afterRequest(): Promise<void> {
    if (process.memoryUsage.rss() - this.#resident <= largeBytes) {
      this.#timer = setTimeout(() => (this.#work = this.#giveBack()), restMilliseconds);
      return;
    }
    // The result is sent before.
    await nextTurn();
    await (this.#work = this.#giveBack());
  }

  async #giveBack(): Promise<void> {
    if (process.memoryUsage().heapTotal - this.#heap > heapBytes) {
      collectGarbage();
      this.#heap = process.memoryUsage().heapTotal;
    }
    if (nativeMemory() - this.#native > nativeBytes) {
      await this.database.renew();
      this.#native = nativeMemory();
    }
    this.#resident = process.memoryUsage.rss();
  }
}

function nativeMemory(): number {
  const { rss, heapTotal } = process.memoryUsage();
  return rss - heapTotal;
}
