/**
 * Bounds the answers that wait for their readers: a reader that takes nothing for half a minute is disconnected, and so
 * is the one that has waited longest when all waiting answers together are too large.
 */
import type { ServerResponse } from "node:http";

/** Milliseconds between two checks. */
const interval = 5000;

/** Number of checks without progress after which a reader is disconnected: 25 to 30 seconds. */
const maxChecks = 6;

/** Maximum sum of the sizes of all answers that are being sent. */
const maxPendingBytes = 64 * 1024 * 1024;

interface Pending {
  readonly size: number;
  /** Bytes of the connection that had left the service at the last check. */
  sent: number;
  /** Checks since the last progress. */
  checks: number;
}

export class SlowReaders {
  /** The answers that are being sent, oldest first. */
  readonly #pending = new Map<ServerResponse, Pending>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Watches an answer from before its first byte until it is sent. */
  watch(answer: ServerResponse, size: number): void {
    this.#pending.set(answer, { size, sent: -1, checks: 0 });
    this.#bytes += size;
    answer.once("close", () => this.#forget(answer));
    for (const oldest of this.#pending.keys()) {
      if (this.#bytes <= maxPendingBytes || oldest === answer) break;
      this.#disconnect(oldest);
    }
    this.#timer ??= setInterval(() => this.#check(), interval).unref();
  }

  #check(): void {
    for (const [answer, pending] of this.#pending) {
      const sent = answer.socket?.bytesWritten ?? 0;
      pending.checks = sent === pending.sent ? pending.checks + 1 : 0;
      pending.sent = sent;
      if (pending.checks >= maxChecks - 1) this.#disconnect(answer);
    }
  }

  #disconnect(answer: ServerResponse): void {
    this.#forget(answer);
    answer.destroy();
  }

  #forget(answer: ServerResponse): void {
    this.#bytes -= this.#pending.get(answer)?.size ?? 0;
    this.#pending.delete(answer);
    if (this.#pending.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
