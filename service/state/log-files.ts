/**
 * The log files of the service: `<directory>/<cluster>/cluster.log` and `<directory>/<cluster>/queries/<n>/<id>.log`.
 * The engine writes its own to `<engines>/<cluster>/logs/`, or to `<engines>/<cluster>/on/<process>/logs/` where several
 * service processes share the folder.
 */
import { randomUUID } from "node:crypto";
import { appendFileSync, createReadStream, mkdirSync, readdirSync, renameSync, statSync } from "node:fs";
import { readdir, readFile, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { Readable } from "node:stream";
import { printableText } from "../../contract";
import { diskProblem } from "../../storage/disk-errors";
import { createFolderSync } from "../../storage/durable";
import { removeTree, undefinedIfMissing } from "../../storage/filesystem";
import type { Clock, LogFile, LogFiles, Logger } from "../core/ports/platform";

export interface LogFilesOptions {
  /** Folder of the service's log files. */
  readonly directory: string;
  /** Folder with one folder per cluster, in which the engine writes `logs/`. */
  readonly engines: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Rotation of a cluster's log: maximum size, and number of older files that are kept. */
const rotation = { bytes: 8 * 1024 * 1024, kept: 4 } as const;

/** Query logs per folder: file systems are slow with a million entries in one folder. */
const logsPerFolder = 1000;

/** Milliseconds between two lines of the service's log about a disk that is full. */
const diskReportInterval = 10_000;

const droppedPrefix = "dropped-";

/** Folder of a cluster that has a folder for each service process. */
export const processFolders = "on";

export class LocalLogFiles implements LogFiles {
  #diskReportedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: LogFilesOptions) {
    createFolderSync(options.directory);
    for (const cluster of readdirSync(options.directory)) this.#deleteDropped(join(options.directory, cluster));
  }

  query(clusterName: string, queryId: number, line: string): void {
    this.#append(this.#queryFile(clusterName, queryId), line);
    this.cluster(clusterName, `query ${queryId} ${line}`);
  }

  cluster(clusterName: string, line: string): void {
    const file = this.#clusterFile(clusterName);
    this.#append(file, line);
    this.#rotate(file);
  }

  async readQuery(clusterName: string, queryId: number): Promise<string> {
    try {
      return await readFile(this.#queryFile(clusterName, queryId), "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
      throw error;
    }
  }

  dropQueries(clusterName: string): void {
    const folder = join(this.options.directory, clusterName);
    try {
      renameSync(join(folder, "queries"), join(folder, `${droppedPrefix}${randomUUID()}`));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") this.#logFailure(error);
    }
    this.#deleteDropped(folder);
  }

  async deleteQuery(clusterName: string, queryId: number): Promise<number> {
    const file = this.#queryFile(clusterName, queryId);
    const size = await sizeOf(file);
    if (size === undefined) return 0;
    await rm(file, { force: true });
    // Fails while the folder has other logs.
    await rmdir(dirname(file)).catch(() => undefined);
    return size;
  }

  async queryBytes(clusterName: string): Promise<number> {
    const folder = join(this.options.directory, clusterName, "queries");
    let bytes = 0;
    // A folder at a time: the names of all logs at once would hold the event loop.
    for (const part of await namesIn(folder)) {
      for (const name of await namesIn(join(folder, part))) bytes += (await sizeOf(join(folder, part, name))) ?? 0;
    }
    return bytes;
  }

  async list(clusterName: string): Promise<LogFile[]> {
    const own = dirname(this.#clusterFile(clusterName));
    const engine = join(this.options.engines, clusterName);
    const shared = join(engine, processFolders);
    const engines = [
      { prefix: "engine", folder: join(engine, "logs") },
      ...(await namesIn(shared)).map((name) => ({ prefix: `engine/${name}`, folder: join(shared, name, "logs") })),
    ];
    const engineFiles = await Promise.all(
      engines.map(async ({ prefix, folder }) =>
        (await namesBelow(folder)).map((name) => ({ name: `${prefix}/${name}`, path: join(folder, name) })),
      ),
    );
    const ownNames = (await namesIn(own)).filter((name) => /^cluster\.log(\.\d+)?$/.test(name));
    const found = [
      ...ownNames.map((name) => ({ name: `service/${name}`, path: join(own, name) })),
      ...engineFiles.flat(),
    ];
    return Promise.all(found.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ name, path }) => logFile(name, path)));
  }

  /** Every line is in its file already. */
  async flush(): Promise<void> {}

  #clusterFile(clusterName: string): string {
    return join(this.options.directory, clusterName, "cluster.log");
  }

  #queryFile(clusterName: string, queryId: number): string {
    return queryLogFile(this.options.directory, clusterName, queryId);
  }

  #append(file: string, line: string): void {
    const entry = logEntry(this.options.clock.now(), line);
    try {
      try {
        appendFileSync(file, entry);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
        mkdirSync(dirname(file), { recursive: true });
        appendFileSync(file, entry);
      }
    } catch (error) {
      this.#logFailure(error);
    }
  }

  #rotate(file: string): void {
    try {
      if (statSync(file).size < rotation.bytes) return;
      for (let age = rotation.kept - 1; age >= 1; age -= 1) {
        if (statSync(`${file}.${age}`, { throwIfNoEntry: false })) renameSync(`${file}.${age}`, `${file}.${age + 1}`);
      }
      renameSync(file, `${file}.1`);
    } catch (error) {
      // Another process has rotated it at the same time.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") this.#logFailure(error);
    }
  }

  #deleteDropped(folder: string): void {
    const entries = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
    for (const name of entries) {
      if (name.startsWith(droppedPrefix)) void removeTree(join(folder, name)).catch(() => undefined);
    }
  }

  /** A disk that is full is reported once in a while: otherwise every line of every query would report it. */
  #logFailure(error: unknown): void {
    const problem = diskProblem(error);
    const now = this.options.clock.now();
    if (problem !== undefined && now - this.#diskReportedAt < diskReportInterval) return;
    if (problem !== undefined) this.#diskReportedAt = now;
    this.options.log.error({ err: error }, "a log file could not be written");
  }
}

/** Returns the folder of the service's log files in a data folder. */
export function logsOf(data: string): string {
  return join(data, "logs");
}

/** Returns the file of a query's log in the folder of the service's log files. */
export function queryLogFile(directory: string, clusterName: string, queryId: number): string {
  return join(directory, clusterName, "queries", String(Math.floor(queryId / logsPerFolder)), `${queryId}.log`);
}

/** Returns one entry. Continuation lines are indented, so that a text with newlines cannot forge another entry. */
export function logEntry(now: number, line: string): string {
  const text = printableText(line.replace(/\r\n?/g, "\n")).replaceAll("\n", "\n    ");
  return `${new Date(now).toISOString()} ${text}\n`;
}

async function logFile(name: string, path: string): Promise<LogFile> {
  const { size } = await stat(path);
  return { name, size, open: () => (size === 0 ? Readable.from([]) : createReadStream(path, { end: size - 1 })) };
}

/** Returns the size of a file; undefined when it does not exist. */
async function sizeOf(file: string): Promise<number | undefined> {
  return (await undefinedIfMissing(stat(file)))?.size;
}

async function namesIn(folder: string): Promise<string[]> {
  return (await undefinedIfMissing(readdir(folder))) ?? [];
}

/** Returns the relative paths of all files below a folder, with slashes. */
async function namesBelow(folder: string): Promise<string[]> {
  const entries = (await undefinedIfMissing(readdir(folder, { recursive: true, withFileTypes: true }))) ?? [];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
}
