/**
 * The engine family `duckdb`: each cluster is a child process that runs HiveQL on an in-memory DuckDB over local files.
 * Splits run on our own code.
 */
import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errors, formatLocation, type Location } from "../../../contract";
import type { Storage } from "../../../storage/storage";
import type { Engine, EngineFamily, EngineOptions, TableDefinition } from "../../core/ports/engine";
import { EngineProcess } from "./process/engine-process";
import type { EngineFile, EngineTable } from "./process/protocol";

/** A storage whose objects are files of this machine. */
export interface LocalStorage extends Pick<Storage, "list" | "head"> {
  /** Absolute path of the directory of the buckets; statements cannot access files outside it. */
  readonly directory: string;
  /** Returns the file or directory of a location. */
  path(location: Location): string;
}

export interface DuckDBFamilyOptions {
  readonly storage: LocalStorage;
  /** Maximum bytes that a cluster spills to its `temp/`. @default 16 times the cluster's memory */
  readonly tempBytes?: number;
  /** Maximum bytes of a result's object; only a single longer row exceeds it. @default 256 MB */
  readonly resultObjectBytes?: number;
}

/** Bytes that a cluster may spill per byte of its memory limit. */
const tempPerMemory = 16;

/** Creates the engine family of clusters of type `duckdb`. */
export function duckDbFamily({
  storage,
  tempBytes,
  resultObjectBytes = 256_000_000,
}: DuckDBFamilyOptions): EngineFamily {
  return {
    type: "duckdb",
    async start(options) {
      const { logDirectory, tempDirectory } = prepareDirectories(options);
      const { clusterName, debug, memoryBytes, threads } = options;
      const files = new LocalFiles(storage);
      const process = await EngineProcess.start({
        clusterName,
        debug,
        memoryBytes,
        threads,
        logDirectory,
        tempDirectory,
        tempBytes: tempBytes ?? memoryBytes * tempPerMemory,
        resultObjectBytes,
        dataDirectory: files.directory,
      });
      return engineOf(process, files);
    },
  };
}

function engineOf(process: EngineProcess, files: LocalFiles): Engine {
  return {
    ended: process.ended,
    close: () => process.close(),
    tablesRead: (statement) => process.request("tablesRead", { statement }),
    async checkSelect({ statement, tables }) {
      await process.request("checkSelect", { statement, tables: await files.engineTables(tables) });
    },
    async select({ queryId, statement, tables, outputFormat, output }, context) {
      const input = { queryId, statement, tables: await files.engineTables(tables, context.signal), outputFormat };
      await process.request("select", { ...input, output: files.path(output) }, context);
    },
    async split({ queryId, inputs, format, columns, output, objectBytes }, context) {
      const declared = columns === undefined ? {} : { columns: [...columns] };
      const input = { queryId, inputs: await files.engineFiles(inputs), format, ...declared, objectBytes };
      return process.request("split", { ...input, output: files.path(output) }, context);
    },
  };
}

/** Creates the cluster's directories and deletes what a killed engine has spilled. */
function prepareDirectories({ directory }: EngineOptions) {
  const logDirectory = join(directory, "logs");
  const tempDirectory = join(directory, "temp");
  rmSync(tempDirectory, { recursive: true, force: true });
  mkdirSync(logDirectory, { recursive: true });
  mkdirSync(tempDirectory, { recursive: true });
  return { logDirectory, tempDirectory };
}

/**
 * Maps locations to file paths. Resolves symbolic links above the buckets, because DuckDB's access rules require that.
 */
class LocalFiles {
  readonly directory: string;

  constructor(private readonly storage: LocalStorage) {
    this.directory = realpathSync(storage.directory);
  }

  path(location: Location): string {
    return this.directory + this.storage.path(location).slice(this.storage.directory.length);
  }

  async engineTables(tables: readonly TableDefinition[], signal?: AbortSignal): Promise<EngineTable[]> {
    return Promise.all(
      tables.map(async ({ database, table, location, format, columns, checked }) => {
        const files: EngineFile[] = [];
        for await (const object of this.storage.list(location)) {
          signal?.throwIfAborted();
          files.push(this.#file(object.location, object.size));
        }
        const declared = columns === undefined ? {} : { columns: [...columns] };
        return { database, table, format, ...declared, checked: checked === true, files };
      }),
    );
  }

  async engineFiles(inputs: readonly Location[]): Promise<EngineFile[]> {
    return Promise.all(
      inputs.map(async (location) => {
        const found = await this.storage.head(location);
        const text = formatLocation(location);
        if (!found) throw new errors.InputObjectNotFound(`${text} does not exist`, { field: "inputObjectKeys" });
        return this.#file(location, found.size);
      }),
    );
  }

  #file(location: Location, size: number): EngineFile {
    return { path: this.path(location), location: formatLocation(location), size };
  }
}
