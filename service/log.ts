/** The service's log: pino, JSON lines on stdout. */
import { destination, pino, stdTimeFunctions, type Logger } from "pino";

export interface HeldLog {
  readonly log: Logger;
  /** Writes the line `listening`, and then everything that was logged before it; from now on lines go out at once. */
  release(fields: { readonly url: string; readonly [field: string]: unknown }): void;
}

/** Makes the log. The line `listening` is its first, since that is the one that scripts wait for. */
export function createLog(level: string): HeldLog {
  const stdout = destination({ dest: 1, sync: true });
  const options = { level, timestamp: stdTimeFunctions.isoTime, base: { service: "dag-service" } };
  let held: string[] | undefined = [];
  const log = pino(options, {
    write(line: string) {
      if (held) held.push(line);
      else stdout.write(line);
    },
  });
  return {
    log,
    release(fields) {
      const before = held ?? [];
      held = undefined;
      // Scripts wait for this line, whatever level was asked for.
      pino({ ...options, level: "info" }, stdout).info(fields, "listening");
      for (const line of before) stdout.write(line);
    },
  };
}
