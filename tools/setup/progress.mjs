/**
 * Prints the progress of set-up: one line when a step begins (what and why), its progress, and one line when it ends.
 * Everything goes to stderr, because stdout belongs to the command that runs after set-up.
 */

/** An error that is shown to the user without a stack trace; its message says what failed and what to do. */
export class SetupError extends Error {
  /**
   * @override
   * @type {string}
   */
  name = "SetupError";
}

/**
 * Runs one step of set-up and prints how long it took.
 *
 * @template T
 * @param {string} title what the step does and why, in one line
 * @param {(say: (detail: string) => void) => Promise<T>} work the step; it reports its progress with `say`
 * @returns {Promise<T>} the result of the step
 */
export async function step(title, work) {
  const started = Date.now();
  const elapsed = () => formatDuration(Date.now() - started);
  process.stderr.write(`set-up: ${title} …\n`);
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
    process.stderr.write(`        took ${elapsed()}\n`);
  }
}

/**
 * Prints one message of set-up.
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

/** Shows the progress on a terminal: one line that each update overwrites. */
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

/** Shows the progress in a log: a new line every 30 seconds. */
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
