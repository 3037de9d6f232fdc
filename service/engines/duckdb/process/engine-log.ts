/** The log of a cluster's engine: `engine.log` with JSON lines, rotated by size. */
import { pino, type Logger } from "pino";
import { createStream } from "rotating-file-stream";

/** The log of an engine. It never contains table rows, and statements only with `debug`. */
export interface EngineLog {
  readonly logger: Logger;
  /** Resolves when all lines so far are in the file. */
  written(): Promise<void>;
  /** Writes the remaining lines and closes the file. */
  close(): Promise<void>;
}

/** Size at which the file is renamed to `engine.log.1`; older files are renumbered. */
const fileSize = "10M";
/** Number of older files that are kept. */
const keptFiles = 5;

/** Opens the log of a cluster. */
export function openEngineLog(directory: string, clusterName: string, debug: boolean): EngineLog {
  const stream = createStream((index) => (index === null ? "engine.log" : `engine.log.${Number(index)}`), {
    path: directory,
    size: fileSize,
    rotate: keptFiles,
  });
  const logger = pino({ level: debug ? "debug" : "info", base: { cluster: clusterName, pid: process.pid } }, stream);
  const written = () => new Promise<void>((resolve) => stream.write("", () => resolve()));
  const close = () => new Promise<void>((resolve) => stream.end(() => resolve()));
  return { logger, written, close };
}
