/** The files of objects and tables, for the engine processes. */
import { realpathSync } from "node:fs";
import { errors, formatLocation, type Location } from "../../../contract";
import type { Storage } from "../../../storage/storage";
import type { TableDefinition } from "../../core/ports/engine";
import type { EngineFile, EngineTable } from "./process/protocol";

/** A storage whose objects are files of this machine. */
export interface LocalStorage extends Pick<Storage, "list" | "head"> {
  /** Absolute path of the directory of the buckets; statements cannot access files outside it. */
  readonly directory: string;
  /** Returns the file or directory of a location. */
  path(location: Location): string;
}

/**
 * Maps locations to file paths. Resolves symbolic links above the buckets, because DuckDB's access rules require that.
 */
export class LocalFiles {
  readonly directory: string;

  constructor(private readonly storage: LocalStorage) {
    this.directory = realpathSync(storage.directory);
  }

  path(location: Location): string {
    return this.directory + this.storage.path(location).slice(this.storage.directory.length);
  }

  async engineTables(tables: readonly TableDefinition[], signal: AbortSignal): Promise<EngineTable[]> {
    return Promise.all(
      tables.map(async ({ database, table, location, format, columns, checked }) => {
        const files: EngineFile[] = [];
        for await (const object of this.storage.list(location)) {
          signal.throwIfAborted();
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
