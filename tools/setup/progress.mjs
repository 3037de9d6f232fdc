/**
 * What set-up says while it works: one line when a step begins (what and why), its progress, one line when it ends.
 * All of it goes to stderr, because stdout belongs to the command that runs after set-up.
 */

/** An error whose message is meant for the person at the terminal: what is wrong, and what to do. */
export class SetupError extends Error {
  /**
   * @override
   * @type {string}
   */
  name = "SetupError";
}

/**
 * Runs one step of set-up and says how long it took.
 *
 * @template T
 * @param {string} what what is being done and why, in one line
 * @param {(say: (detail: string) => void) => Promise<T>} work does it; `say` reports how far it is
 * @returns {Promise<T>} what the work returns
 */
export async function step(what, work) {
  const started = Date.now();
  const elapsed = () => formatDuration(Date.now() - started);
  process.stderr.write(`set-up: ${what} …\n`);
  const line = process.stderr.isTTY ? terminalLine() : plainLines();
  let detail = "";
  const show = () => line.show(`        ${elapsed()}${detail && `, ${detail}`}`);
  const timer = setInterval(show, line.everyMs);
  try {
    return await work((next) => {
      detail = next;
    });
  } finally {
    clearInterval(timer);
    line.clear();
    process.stderr.write(`        ended after ${elapsed()}\n`);
  }
}

/**
 * Says one thing about set-up.
 *
 * @param {string} message
 */
export function note(message) {
  process.stderr.write(`set-up: ${message}\n`);
}

/**
 * @param {number} milliseconds
 * @returns {string} such as `4.2 s` or `3 min 05 s`
 */
export function formatDuration(milliseconds) {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
}

/** One line that is written over; for a terminal. */
function terminalLine() {
  const clear = () => process.stderr.write("\r\u001b[K");
  return {
    everyMs: 500,
    clear,
    /** @param {string} text */
    show(text) {
      clear();
      process.stderr.write(text.slice(0, Math.max(20, (process.stderr.columns ?? 80) - 1)));
    },
  };
}

/** A new line now and then; for logs. */
function plainLines() {
  return {
    everyMs: 30_000,
    clear: () => {},
    /** @param {string} text */
    show(text) {
      process.stderr.write(`${text}\n`);
    },
  };
}
