/** Handles Ctrl-C in the quickstart: Pulumi receives SIGINT, SIGINT again, and then SIGKILL; then the service stops. */
import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { killTree } from "./process-tree.mts";

/** The time that Pulumi has after the first SIGINT to finish operations in progress. */
const graceMs = 10_000;
/** The time that Pulumi has after the second SIGINT. */
const repeatGraceMs = 3_000;
/** Signals within this time are one keystroke: Ctrl-C may arrive from the terminal, from npm and from set-up. */
const debounceMs = 1_000;

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Listens for signals from its construction to the end of the process. */
export class Interruption {
  readonly #controller = new AbortController();
  #signalName: (typeof signals)[number] = "SIGINT";
  #lastSignalAt = 0;
  #escalate: (() => void) | undefined;

  constructor() {
    for (const name of signals) process.on(name, () => this.#onSignal(name));
  }

  /** Aborted at the first signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The exit code of a process that this signal ended, such as 130 for SIGINT. */
  get exitCode(): number {
    return 128 + constants.signals[this.#signalName];
  }

  /**
   * Waits for the end of a process that leads a process group. A signal to this process sends SIGINT to the group. The
   * next signal, or the end of the grace period, sends SIGINT again and then SIGKILL.
   */
  async stopOnInterruption<T>(leader: ChildProcess, ended: () => Promise<T>): Promise<T> {
    let stage = 0;
    let timer: NodeJS.Timeout | undefined;
    const escalate = (): void => {
      clearTimeout(timer);
      const { pid } = leader;
      if (pid === undefined) return;
      stage++;
      if (stage <= 2) signalGroup(pid);
      else killTree(pid);
      timer = setTimeout(escalate, stage === 1 ? graceMs : repeatGraceMs);
    };
    const begin = (): void => {
      console.error(`\nStopping: waiting up to ${graceMs / 1000} seconds for Pulumi. Press Ctrl-C again to stop now.`);
      escalate();
    };
    this.#escalate = escalate;
    this.signal.addEventListener("abort", begin, { once: true });
    if (this.signal.aborted) begin();
    try {
      return await ended();
    } finally {
      clearTimeout(timer);
      this.#escalate = undefined;
      this.signal.removeEventListener("abort", begin);
    }
  }

  #onSignal(name: (typeof signals)[number]): void {
    const now = Date.now();
    if (!this.signal.aborted) {
      this.#signalName = name;
      this.#lastSignalAt = now;
      this.#controller.abort(new Error("interrupted"));
    } else if (now - this.#lastSignalAt > debounceMs) {
      this.#lastSignalAt = now;
      this.#escalate?.();
    }
  }
}

function signalGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGINT");
  } catch {
    // The group has ended in the meantime.
  }
}
