/** Gives back the memory that an engine process keeps after requests. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { collectGarbage } from "../../../collect-garbage";
import type { Database } from "./database";

const MiB = 1024 * 1024;
/** Memory in bytes that may stay until no request has come for a while: the next one uses it again. */
const limits = { least: 96 * MiB, most: 512 * MiB } as const;
/** Part of the cluster's memory that may stay so. */
const clusterPart = 1 / 8;
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
  readonly #maxBytes: number;

  /** @param memoryBytes the memory limit of the cluster */
  constructor(
    private readonly database: Database,
    memoryBytes: number,
  ) {
    this.#maxBytes = Math.min(limits.most, Math.max(limits.least, memoryBytes * clusterPart));
  }

  /** Waits until the process is ready for a request. */
  async beforeRequest(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#work;
  }

  /** Gives back the memory, at once or unless another request comes soon. Returns the bytes that stay until then. */
  async afterRequest(): Promise<number> {
    const kept = process.memoryUsage.rss() - this.#resident;
    if (kept <= this.#maxBytes) {
      this.#timer = setTimeout(() => (this.#work = this.#giveBack()), restMilliseconds);
      return Math.max(0, kept);
    }
    // The result is sent before.
    await nextTurn();
    await (this.#work = this.#giveBack());
    return 0;
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
