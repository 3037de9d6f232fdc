/** The log files of a cluster's engine: `engine.log`, JSON lines, rotated by size. */
import { pino, type Logger } from "pino";
import { createStream } from "rotating-file-stream";

/** Writes the engine's log. Holds no row of any table; statements only under `debug`. */
export type EngineLog = Logger;

/** Size in bytes at which a file is set aside as `engine.log.1.gz`, `engine.log.2.gz`, … */
const fileSize = "10M";
/** Files that are kept besides the current one. */
const keptFiles = 5;

/** Opens the log of a cluster. */
export function openEngineLog(directory: string, clusterName: string, debug: boolean): EngineLog {
  const stream = createStream((time, index) => (time === null ? "engine.log" : `engine.log.${index ?? 1}`), {
    path: directory,
    size: fileSize,
    maxFiles: keptFiles,
    rotate: keptFiles,
  });
  return pino({ level: debug ? "debug" : "info", base: { cluster: clusterName, pid: process.pid } }, stream);
}
