/** Reads sample rows of local objects for the console. */
import { errors, formatLocation, isHiddenObject } from "../../../contract";
import type { Inspection, RowSource } from "../../core/ports/inspection";
import type { LocalStorage } from ".";
import { EngineError } from "./engine-errors";
import { accessDenied } from "./failure-reasons";
import type { EngineFile } from "./files";
import { sampleRows } from "./tables/sample";

/** Objects of a folder that are read. */
const maxFiles = 20;

/** Creates the function that reads the first rows of a folder. */
export function sampleOf(storage: LocalStorage): Inspection["sample"] {
  return async (source, limit) => {
    const files: EngineFile[] = [];
    for await (const { location, size } of storage.list(source.location)) {
      if (files.length === maxFiles) break;
      const name = location.key.slice(source.location.key.length);
      if (!isHiddenObject(name))
        files.push({ path: storage.path(location), location: formatLocation(location), name, size });
    }
    return sampleErrors(source, files, () => sampleRows(source, files, limit));
  };
}

/** Runs `read`, and says why the objects of a source cannot be read, and names them. @throws StorageAccessError, InvalidFormat */
export async function sampleErrors<Result>(
  { location, format }: RowSource,
  files: readonly EngineFile[],
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const denied = accessDenied(error);
    const { message: text } = denied ?? (error as Error);
    const reason = files.reduce((named, file) => named.replaceAll(file.path, file.location), text);
    if (denied) throw new errors.StorageAccessError(reason, { cause: error });
    if (!(error instanceof EngineError)) throw error;
    const message = `the objects of ${formatLocation(location)} cannot be read as a ${format} table: ${reason}`;
    throw new errors.InvalidFormat(message, { cause: error });
  }
}
