/** Ends a provider process when the engine signals the end of its run. */

/** Time for the last messages, in milliseconds. The engine waits for the process. */
const lastMessagesTimeout = 500;

/** Calls `finish` at the signal by which the engine ends a provider process, and ends the process. */
export function whenEngineEnds(finish: () => Promise<void>): void {
  let isEnding = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (isEnding) return;
      isEnding = true;
      setTimeout(() => process.exit(0), lastMessagesTimeout);
      finish().then(
        () => process.exit(0),
        () => process.exit(0),
      );
    });
  }
}
