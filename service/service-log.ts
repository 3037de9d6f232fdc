/** The service's log: JSON lines on stdout, written by pino. */
import { destination, pino, stdTimeFunctions, type Logger } from "pino";
import { printableJson } from "../contract";

/** The log of a starting service: it buffers lines until the service listens. */
export interface StartupLog {
  readonly log: Logger;
  /** Writes the line `listening` and then the buffered lines; later lines are written at once. */
  logListening(fields: { readonly url: string; readonly [field: string]: unknown }): void;
}

/** Bytes of lines that wait while stdout cannot be written; further lines are dropped. */
const maxWaitingBytes = 1024 * 1024;

/** Creates the log. Its first line is `listening`, because scripts wait for that line. */
export function createServiceLog(level: string): StartupLog {
  const stdout = destination({ dest: 1, sync: true, maxLength: maxWaitingBytes });
  // Lines that cannot be written, because stdout is a file on a full disk, wait for the next line; the service goes on.
  stdout.on("error", () => undefined);
  const options = { level, timestamp: stdTimeFunctions.isoTime, base: { service: "dag-service" } };
  let buffered: string[] | undefined = [];
  // The lines of one turn of the event loop are written together, as are those before an exit.
  let turn = "";
  const flush = () => {
    const lines = turn;
    turn = "";
    if (lines !== "") stdout.write(lines);
  };
  process.on("exit", flush);
  const log = pino(options, {
    write(json: string) {
      const line = printableJson(json);
      if (buffered) return void buffered.push(line);
      if (turn === "") setImmediate(flush);
      turn += line;
    },
  });
  return {
    log,
    logListening(fields) {
      const before = buffered ?? [];
      buffered = undefined;
      // Written at every log level, because scripts wait for this line.
      pino({ ...options, level: "info" }, stdout).info(fields, "listening");
      for (const line of before) stdout.write(line);
    },
  };
}
