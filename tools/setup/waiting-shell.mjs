/**
 * Notices on Linux that a shell which waits for its command got a SIGINT. npm passes one on to the shell of its script only,
 * and such a shell (dash) keeps it until the command ends. A waiting shell never runs unless a signal wakes it, which its
 * count of context switches shows. Other systems' shells replace themselves by the command, or get no SIGINT.
 */
import { readFileSync } from "node:fs";

/** A later poll than this follows a pause of the whole group or the machine, which also wakes a shell. */
const lateMs = 1_000;

/** A shell that is polled. */
export class WaitingShell {
  #polled = 0;
  /** @type {string | undefined} */
  #switches;
  #isWaiting = false;
  #isWoken = false;

  /** @param {number} pid */
  constructor(pid) {
    this.pid = pid;
  }

  /**
   * Polls the shell, some times a second.
   *
   * @param {number} [now]
   * @returns {boolean} true at the poll after the one that found it woken: a SIGINT to the whole group has arrived by then
   */
  wasInterrupted(now = Date.now()) {
    const { isStopped, switches } = statusOf(this.pid);
    const isLate = now - this.#polled > lateMs;
    const isSame = switches === this.#switches;
    this.#polled = now;
    this.#switches = switches;
    if (isLate || isStopped || switches === undefined) {
      this.#isWaiting = this.#isWoken = false;
      return false;
    }
    if (this.#isWoken) return true;
    this.#isWoken = this.#isWaiting && !isSame;
    this.#isWaiting ||= isSame;
    return false;
  }
}

/**
 * @param {number} pid
 * @param {NodeJS.Platform} [platform]
 * @returns {boolean} true for a shell that runs one command; false for npm, whose shell has replaced itself
 */
export function isShell(pid, platform = process.platform) {
  if (platform !== "linux") return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes("-c");
  } catch {
    return false;
  }
}

/**
 * @param {number} pid
 * @returns {{ isStopped: boolean, switches?: string }} no count when the process has ended
 */
function statusOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/status`, "utf8");
    const switches = /^voluntary_ctxt_switches:\s*(\d+)/m.exec(text)?.[1];
    return { isStopped: /^State:\s*[Tt]/m.test(text), ...(switches !== undefined && { switches }) };
  } catch {
    return { isStopped: false };
  }
}
