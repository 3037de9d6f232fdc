/**
 * The files of objects and tables. Listed in the engine process and not in the service, whose event loop a table of very
 * many objects would block.
 */
import { errors, formatLocation, isHiddenObject, partitionFolders, type Location } from "../../../contract";
import { FileStorage } from "../../../storage/file";
import type { Database } from "./process/database";
import type { TableDefinition } from "../../core/ports/engine";
import { fileChunks } from "./tables/file-chunks";
import { Pauses } from "../../../storage/pauses";

/** A file of a table or an input of a split. */
export interface EngineFile {
  readonly path: string;
  /** Its location, such as `dag://data/events/a.csv`. */
  readonly location: string;
  /** Its path below the table's folder, such as `dt=2026-01-01/a.csv`; absent for the input of a split. */
  readonly name?: string;
  readonly size: number;
  /** Identifies its content; absent for files. */
  readonly etag?: string | undefined;
  /** The URL by which DuckDB reads its rows, where it reads the object itself: the file then has only the footer. */
  readonly remote?: string;
}

/** A table with its files, in the order of their names. */
export interface EngineTable extends Omit<TableDefinition, "location"> {
  readonly files: readonly EngineFile[];
  /** The files from which undeclared columns are read. @default {@link files} */
  readonly sampled?: readonly EngineFile[];
}

/** A file whose content can be read. */
export interface ReadableFile extends Pick<EngineFile, "path" | "location" | "size" | "etag"> {
  readonly gzip: boolean;
}

/**
 * How much of an object must be in its file: all of it, its beginning or its footer, or that of some objects only, which
 * decides the columns of a table.
 */
export type FileExtent = "whole" | "heads" | "outline";

/** The tables of a select some of whose objects DuckDB reads itself. */
export interface RemoteTables {
  readonly tables: readonly EngineTable[];
  /**
   * Runs `use` with a database that reaches the folders of these tables.
   * @throws what `use` throws, or why an object could not be read, in words for the user
   */
  run<Result>(base: Database, signal: AbortSignal, use: (database: Database) => Promise<Result>): Promise<Result>;
}

/** The objects that an engine process reads, as files of its data directory. */
export interface EngineFiles {
  /**
   * Lists the files of tables.
   * @param limit the files of a table without partitions that suffice. @default all
   * @throws StorageAccessError, or the signal's reason
   */
  tables(requests: readonly TableDefinition[], signal: AbortSignal, limit?: number): Promise<EngineTable[]>;
  /** Returns how DuckDB reads objects of tables itself; undefined when it reads only files. */
  remote?(tables: readonly EngineTable[], requests: readonly TableDefinition[]): RemoteTables | undefined;
  /** Finds the inputs of a split. @throws InputObjectNotFound, StorageAccessError, or the signal's reason */
  inputs(locations: readonly Location[], signal: AbortSignal): Promise<EngineFile[]>;
  /** Makes files of a table readable at their paths. @throws StorageAccessError, EngineError, or the signal's reason */
  provide(
    table: Pick<EngineTable, "format" | "columns" | "files" | "sampled">,
    extent: FileExtent,
    signal: AbortSignal,
  ): Promise<void>;
  /** Reads the content of a file, decompressed, also when it was not made readable. Each chunk is overwritten by the next. */
  chunks(file: ReadableFile, signal: AbortSignal): AsyncIterable<Buffer>;
  /** Returns a table that has the first rows of another one; `isCut` when it has not all of its rows. */
  firstRows(table: EngineTable, signal: AbortSignal): Promise<{ readonly table: EngineTable; readonly isCut: boolean }>;
  /**
   * Runs `write`, which writes the objects of a result to a new directory, and stores them.
   * @param output the output folder, as the request names it
   */
  withOutput<Result>(
    output: string,
    signal: AbortSignal,
    write: (directory: string) => Promise<Result>,
  ): Promise<Result>;
  /** Releases the files of a request that has ended. */
  release(): Promise<void>;
}

/**
 * The objects of a table that the check of a statement opens, of those that the statement reads. The select opens
 * all of them.
 */
export const checkedObjects = 10_000;

/** Returns true when the objects after the first few say nothing about a table: its partitions are not pruned by name. */
export const isCut = (
  { partitions }: Pick<EngineTable, "partitions">,
  files: readonly EngineFile[],
  limit: number,
): boolean => files.length >= limit && !partitions?.length && partitionFolders(files[0]?.name ?? "").length === 0;

/** Inputs that are read concurrently. */
const batchSize = 64;

/** Finds the files in the directory of the buckets. */
export class LocalEngineFiles implements EngineFiles {
  readonly #storage: FileStorage;

  /** @param directory path of the directory with all symbolic links resolved: DuckDB's access rules require that. */
  constructor(directory: string) {
    this.#storage = new FileStorage(directory, { holdsLoop: true });
  }

  async tables(
    requests: readonly TableDefinition[],
    signal: AbortSignal,
    limit: number = Number.POSITIVE_INFINITY,
  ): Promise<EngineTable[]> {
    return Promise.all(
      requests.map(async ({ location, ...table }) => {
        const files: EngineFile[] = [];
        for await (const file of this.#files(location, signal)) {
          if (isCut(table, files, limit)) break;
          files.push(file);
        }
        return { ...table, files };
      }),
    );
  }

  async inputs(locations: readonly Location[], signal: AbortSignal): Promise<EngineFile[]> {
    const files: EngineFile[] = [];
    for (let start = 0; start < locations.length; start += batchSize) {
      signal.throwIfAborted();
      files.push(...(await Promise.all(locations.slice(start, start + batchSize).map((input) => this.#input(input)))));
    }
    return files;
  }

  /** The objects are files. */
  provide(): Promise<void> {
    return Promise.resolve();
  }

  chunks(file: ReadableFile) {
    return fileChunks(file);
  }

  firstRows(table: EngineTable) {
    return Promise.resolve({ table, isCut: false });
  }

  withOutput<Result>(output: string, _signal: AbortSignal, write: (directory: string) => Promise<Result>) {
    return write(output);
  }

  release(): Promise<void> {
    return Promise.resolve();
  }

  /** Yields the files of a folder that have rows. */
  async *#files(folder: Location, signal: AbortSignal): AsyncGenerator<EngineFile> {
    const pauses = new Pauses();
    for await (const object of this.#storage.list(folder)) {
      await pauses.pause();
      signal.throwIfAborted();
      const name = object.location.key.slice(folder.key.length);
      if (!isHiddenObject(name)) yield { ...this.#file(object.location, object.size), name };
    }
  }

  async #input(location: Location): Promise<EngineFile> {
    const found = await this.#storage.head(location);
    if (found) return this.#file(location, found.size);
    throw new errors.InputObjectNotFound(`${formatLocation(location)} does not exist`, { field: "inputObjectKeys" });
  }

  #file(location: Location, size: number): EngineFile {
    return { path: this.#storage.path(location), location: formatLocation(location), size };
  }
}
