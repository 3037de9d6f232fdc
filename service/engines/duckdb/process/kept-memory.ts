/** Gives back the memory that an engine process keeps after a request. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { collectGarbage } from "../../../collect-garbage";
import type { Database } from "./database";

/** Bytes outside the JavaScript heap that may stay. */
const nativeBytes = 16 * 1024 * 1024;
/** Bytes of the JavaScript heap that may stay after a collection, beyond what stayed after the last one. */
const heapBytes = 32 * 1024 * 1024;

export class KeptMemory {
  #native = nativeMemory();
  /** The size of the heap after the last collection. */
  #heap = 0;

  /** DuckDB's allocator keeps what statements have used; all of it is given back when the instance is closed. */
  async giveBack(database: Database): Promise<void> {
    const isHeapLarge = process.memoryUsage().heapTotal - this.#heap > heapBytes;
    const isNativeLarge = nativeMemory() - this.#native > nativeBytes;
    if (!isHeapLarge && !isNativeLarge) return;
    // The result is sent before.
    await nextTurn();
    if (isHeapLarge) {
      collectGarbage();
      this.#heap = process.memoryUsage().heapTotal;
    }
    if (isNativeLarge) await database.renew();
    this.#native = nativeMemory();
  }
}

function nativeMemory(): number {
  const { rss, heapTotal } = process.memoryUsage();
  return rss - heapTotal;
}
