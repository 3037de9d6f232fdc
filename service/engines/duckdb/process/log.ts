/** The log files of a cluster's engine: `engine.log`, JSON lines, rotated by size. */
import { pino, type Logger } from "pino";
import { createStream } from "rotating-file-stream";

/** Where an engine writes what it does. Holds no row of any table; statements only under `debug`. */
export interface EngineLog {
  readonly logger: Logger;
  /** Resolves when everything logged so far is in the file. */
  written(): Promise<void>;
  /** Writes what is left and closes the file. */
  close(): Promise<void>;
}

/** Size at which a file is set aside as `engine.log.1`; the older ones move up. */
const fileSize = "10M";
/** Files that are kept besides the current one. */
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
