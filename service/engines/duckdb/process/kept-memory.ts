/** Gives back the memory that an engine process keeps after requests. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { collectGarbage } from "../../../collect-garbage";
import type { Database } from "./database";

const MiB = 1024 * 1024;
/** Memory outside the JavaScript heap that is given back at once, in bytes: more than a statement soon uses again. */
const largeBytes = 96 * MiB;
/** The same for what is given back when no request comes, so that requests in succession do not pay for it. */
const smallBytes = 16 * MiB;
/** Bytes of the JavaScript heap that may stay, beyond what the last collection left. */
const heapBytes = 16 * MiB;
/** Milliseconds without a request after which memory is given back. */
const restMilliseconds = 1000;

/** DuckDB's allocator keeps what statements have used; all of it is given back when the instance is closed. */
export class KeptMemory {
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
    this.#timer = setTimeout(() => (this.#work = this.#rest()), restMilliseconds);
    if (nativeMemory() - this.#native <= largeBytes) return;
    // The result is sent before.
    await nextTurn();
    await (this.#work = this.#renew());
  }

  async #rest(): Promise<void> {
    if (process.memoryUsage().heapTotal - this.#heap > heapBytes) {
      collectGarbage();
      this.#heap = process.memoryUsage().heapTotal;
    }
    if (nativeMemory() - this.#native > smallBytes) await this.#renew();
  }

  async #renew(): Promise<void> {
    await this.database.renew();
    this.#native = nativeMemory();
  }
}

function nativeMemory(): number {
  const { rss, heapTotal } = process.memoryUsage();
  return rss - heapTotal;
}
