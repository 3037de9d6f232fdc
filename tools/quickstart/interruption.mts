/** What Ctrl-C does to the quickstart: Pulumi is asked once to stop, then made to stop; then the service goes. */
import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { killTree } from "./process-tree.mts";

/** How long Pulumi may take for what is in progress. */
const graceMs = 10_000;
/** How long a second request may take. */
const secondGraceMs = 3_000;
/** One Ctrl-C may arrive several times: from the terminal, from npm, from set-up. */
const sameKeystrokeMs = 1_000;

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The user's wish to stop. Once made, it listens to signals for as long as the process lives. */
export class Interruption {
  readonly #controller = new AbortController();
  #name: (typeof signals)[number] = "SIGINT";
  #since = 0;
  #insist: (() => void) | undefined;

  constructor() {
    for (const name of signals) process.on(name, () => this.#onSignal(name));
  }

  /** Aborted at the first signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The exit code that tells of it. */
  get exitCode(): number {
    return 128 + constants.signals[this.#name];
  }

  /**
   * Waits for the end of a process that leads a process group. After a signal the group is sent SIGINT, again after the
   * grace period or at the next signal, and is then ended.
   */
  async during<T>(leader: ChildProcess, ended: () => Promise<T>): Promise<T> {
    let stage = 0;
    let timer: NodeJS.Timeout | undefined;
    const advance = (): void => {
      clearTimeout(timer);
      const { pid } = leader;
      if (pid === undefined) return;
      stage++;
      if (stage <= 2) signalGroup(pid);
      else killTree(pid);
      timer = setTimeout(advance, stage === 1 ? graceMs : secondGraceMs);
    };
    const begin = (): void => {
      console.error(`\nStopping: up to ${graceMs / 1000} seconds for what is in progress. Ctrl-C again stops at once.`);
      advance();
    };
    this.#insist = advance;
    this.signal.addEventListener("abort", begin, { once: true });
    if (this.signal.aborted) begin();
    try {
      return await ended();
    } finally {
      clearTimeout(timer);
      this.#insist = undefined;
      this.signal.removeEventListener("abort", begin);
    }
  }

  #onSignal(name: (typeof signals)[number]): void {
    const now = Date.now();
    if (!this.signal.aborted) {
      this.#name = name;
      this.#since = now;
      this.#controller.abort(new Error("interrupted"));
    } else if (now - this.#since > sameKeystrokeMs) {
      this.#since = now;
      this.#insist?.();
    }
  }
}

function signalGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGINT");
  } catch {
    // It has just ended.
  }
}
