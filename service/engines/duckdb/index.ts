/**
 * The engine family `duckdb`: each query of a cluster is a child process that runs HiveQL on an in-memory DuckDB over
 * local files. Splits run on our own code.
 */
import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { formatLocation, type Location } from "../../../contract";
import type { Storage } from "../../../storage/storage";
import type { EngineFamily, EngineOptions } from "../../core/ports/engine";
import { DuckDBEngine } from "./engine";
import { openEngineLog } from "./process/engine-log";
import { ProcessPool } from "./process/pool";
import { ProcessRecords } from "./process/process-records";

/** A storage whose objects are files of this machine. */
export interface LocalStorage extends Pick<Storage, "list"> {
  /** Absolute path of the directory of the buckets; statements cannot access files outside it. */
  readonly directory: string;
  /** Returns the file or directory of a location. */
  path(location: Location): string;
}

/** A storage on S3, of which each engine process has a client of its own. */
interface RemoteStorage {
  readonly s3: {
    readonly endpoint?: string;
    readonly region?: string;
    /** Path of DuckDB's extension httpfs. @default DuckDB reads copies of the objects */
    readonly httpfs?: string;
  };
  /** Environment variables from which the processes' clients take their credentials. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface DuckDBFamilyOptions {
  readonly storage: LocalStorage | RemoteStorage;
  /** Maximum bytes that a cluster spills to its `temp/`. @default 16 times the cluster's memory */
  readonly tempBytes?: number;
  /** Maximum bytes of a result's object; only a single longer row exceeds it. @default 256 MB */
  readonly resultObjectBytes?: number;
}

/** The engine family `duckdb`; its engines also prepare statements for engines on other servers. */
interface DuckDBFamily extends EngineFamily {
  start(options: EngineOptions): Promise<DuckDBEngine>;
}

/** Bytes that a query may spill per byte of the cluster's memory limit. */
const tempPerMemory = 16;

/** Creates the engine family of clusters of type `duckdb`. */
export function duckDbFamily({
  storage,
  tempBytes,
  resultObjectBytes = 256_000_000,
}: DuckDBFamilyOptions): DuckDBFamily {
  return {
    type: "duckdb",
    async start(options) {
      const { clusterName, debug, memoryBytes, threads } = options;
      const { logDirectory, tempDirectory, records } = prepare(options);
      const { access, pathOf, environment } = accessOf(storage);
      const log = openEngineLog(logDirectory, clusterName, debug);
      log.logger.info({ memoryBytes, threads, debug }, "engine started");
      let number = 0;
      const settings = () => {
        const ownDirectory = join(tempDirectory, String(++number));
        return {
          debug,
          memoryBytes,
          threads,
          tempDirectory: ownDirectory,
          tempBytes: tempBytes ?? memoryBytes * tempPerMemory,
          resultObjectBytes,
          ...("s3" in storage ? {} : { factsDirectory: join(options.directory, "facts") }),
          ...access(ownDirectory),
        };
      };
      try {
        const pool = await ProcessPool.open({ clusterName, settings, log, records, memoryBytes, environment });
        return new DuckDBEngine(pool, pathOf, log);
      } catch (error) {
        await log.close();
        throw error;
      }
    },
  };
}

/** Returns how processes reach the objects, and how requests name an output folder. */
function accessOf(storage: LocalStorage | RemoteStorage) {
  if ("s3" in storage) {
    const { s3, environment } = storage;
    const access = (ownDirectory: string) => ({ dataDirectory: join(ownDirectory, "objects"), s3 });
    return { access, environment, pathOf: formatLocation };
  }
  // DuckDB's access rules require a path without symbolic links.
  const dataDirectory = realpathSync(storage.directory);
  const pathOf = (location: Location) => dataDirectory + storage.path(location).slice(storage.directory.length);
  return { access: () => ({ dataDirectory }), environment: {}, pathOf };
}

/** Ends the processes that a killed service has left, deletes what they have spilled and creates the directories. */
function prepare({ directory }: EngineOptions) {
  const logDirectory = join(directory, "logs");
  const tempDirectory = join(directory, "temp");
  const records = new ProcessRecords(join(directory, "processes"));
  rmSync(tempDirectory, { recursive: true, force: true });
  for (const path of [logDirectory, tempDirectory]) mkdirSync(path, { recursive: true });
  return { logDirectory, tempDirectory: realpathSync(tempDirectory), records };
}
