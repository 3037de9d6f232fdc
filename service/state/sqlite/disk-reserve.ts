/**
 * Disk space that is kept free for the end of queries: a file that is deleted when the disk is full, so that a cancelled
 * or failed query can still be stored, and rebuilt when there is space again.
 */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from "node:fs";

/** Enough for the ends of a hundred queries. */
const reservedBytes = 1024 * 1024;

/** Milliseconds between two tries to make the file. */
const retryInterval = 5000;

export class DiskReserve {
  #isKept: boolean;
  #lastAttempt = Number.NEGATIVE_INFINITY;

  constructor(private readonly path: string) {
    this.#isKept = statSync(path, { throwIfNoEntry: false })?.size === reservedBytes;
    this.restore();
  }

  /** Frees the space. Returns false when there is none to free. */
  release(): boolean {
    if (!this.#isKept) return false;
    rmSync(this.path, { force: true });
    this.#isKept = false;
    this.#lastAttempt = performance.now();
    return true;
  }

  /** Reserves the space again if it was freed. On a full disk it remains free, until a later call. */
  restore(): void {
    if (this.#isKept || performance.now() - this.#lastAttempt < retryInterval) return;
    this.#lastAttempt = performance.now();
    try {
      const file = openSync(this.path, "w", 0o600);
      try {
        // Random, because some file systems store zeros without using space.
        const content = randomBytes(reservedBytes);
        for (let at = 0; at < reservedBytes;) at += writeSync(file, content, at);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      this.#isKept = true;
    } catch {
      rmSync(this.path, { force: true });
    }
  }
}
