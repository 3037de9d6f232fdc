/** The log of a cluster's engine: `engine.log` with JSON lines, rotated by size. */
import { pino, type Logger } from "pino";
import { createStream, type RotatingFileStream } from "rotating-file-stream";

/** The log of an engine. It never contains table rows; statements only with `debug`, but for what the message of a failure quotes. */
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
/** Milliseconds after which a file that could not be written is opened again. */
const reopenInterval = 1000;

/** Opens the log of a cluster. */
export function openEngineLog(directory: string, clusterName: string, debug: boolean): EngineLog {
  const file = new RotatedFile(directory);
  const logger = pino({ level: debug ? "debug" : "info", base: { cluster: clusterName } }, file);
  return { logger, written: () => file.written(), close: () => file.close() };
}

/** A rotated file. While it cannot be written, as on a full disk, lines are lost and the service goes on. */
class RotatedFile {
  #stream: RotatingFileStream | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly directory: string) {}

  write(line: string): void {
    this.#open()?.write(line);
  }

  written(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stream) this.#stream.write("", () => resolve());
      else resolve();
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stream) this.#stream.end(() => resolve());
      else resolve();
    });
  }

  #open(): RotatingFileStream | undefined {
    if (this.#stream || performance.now() - this.#failedAt < reopenInterval) return this.#stream;
    const stream = createStream((index) => (index === null ? "engine.log" : `engine.log.${Number(index)}`), {
      path: this.directory,
      size: fileSize,
      rotate: keptFiles,
    });
    // An error destroys the stream; the lines that it still has are lost.
    stream.on("error", () => {
      this.#failedAt = performance.now();
      if (this.#stream === stream) this.#stream = undefined;
    });
    this.#stream = stream;
    return stream;
  }
}
