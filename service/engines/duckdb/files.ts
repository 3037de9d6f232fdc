/**
 * The files of objects and tables. Listed in the engine process and not in the service, whose event loop a table of very
 * many objects would block.
 */
import {
  errors,
  formatLocation,
  isHiddenObject,
  type Column,
  type Location,
  type TableFormat,
} from "../../../contract";
import { FileStorage } from "../../../storage/file";
import type { TableRequest } from "./process/protocol";

/** A file of a table or an input of a split. */
export interface EngineFile {
  readonly path: string;
  /** Its location, such as `dag://data/events/a.csv`. */
  readonly location: string;
  /** Its path below the table's folder, such as `dt=2026-01-01/a.csv`; absent for the input of a split. */
  readonly name?: string;
  readonly size: number;
}

/** A table with its files, in the order of their names. */
export interface EngineTable {
  readonly database: string;
  readonly table: string;
  readonly format: TableFormat;
  readonly columns?: readonly Column[] | undefined;
  /** The declared partition columns. */
  readonly partitions?: readonly Column[] | undefined;
  /** True when our own split has checked that every value parses as its column's type. */
  readonly checked: boolean;
  readonly files: readonly EngineFile[];
  /** The files from which undeclared columns are read. @default {@link files} */
  readonly sampled?: readonly EngineFile[];
}

/** Inputs that are looked at concurrently. */
const batchSize = 64;

/** Finds the files in the directory of the buckets. */
export class EngineFiles {
  readonly #storage: FileStorage;

  /** @param directory path of the directory with all symbolic links resolved: DuckDB's access rules require that. */
  constructor(directory: string) {
    this.#storage = new FileStorage(directory);
  }

  /** Lists the files of tables. @throws StorageAccessError, or the signal's reason */
  async tables(requests: readonly TableRequest[], signal: AbortSignal): Promise<EngineTable[]> {
    return Promise.all(requests.map(({ location, ...table }) => this.#table(table, location, signal)));
  }

  /** Finds the inputs of a split. @throws InputObjectNotFound, StorageAccessError, or the signal's reason */
  async inputs(locations: readonly Location[], signal: AbortSignal): Promise<EngineFile[]> {
    const files: EngineFile[] = [];
    for (let start = 0; start < locations.length; start += batchSize) {
      signal.throwIfAborted();
      files.push(...(await Promise.all(locations.slice(start, start + batchSize).map((input) => this.#input(input)))));
    }
    return files;
  }

  async #table(table: Omit<EngineTable, "files">, location: Location, signal: AbortSignal): Promise<EngineTable> {
    const files: EngineFile[] = [];
    for await (const object of this.#storage.list(location)) {
      signal.throwIfAborted();
      const name = object.location.key.slice(location.key.length);
      if (!isHiddenObject(name)) files.push({ ...this.#file(object.location, object.size), name });
    }
    return { ...table, files };
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
