/** Locks a folder for one service. The operating system releases the lock when the process ends, even after a kill. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartError } from "./start-error";

/** Result code of SQLite: another process holds the lock. */
const sqliteBusy = 5;

/**
 * Locks a folder.
 * @param setting the flag that selects another folder, for the error message.
 * @returns a disposable that releases the lock.
 * @throws {StartError} when another service holds the lock.
 */
export function lockFolder(folder: string, setting: string): Disposable {
  const database = new DatabaseSync(join(folder, ".lock"));
  try {
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== sqliteBusy) throw error;
    throw new StartError(
      `folder ${folder} is in use by another dag-service: stop that one, or choose another folder with ${setting}`,
    );
  }
  return { [Symbol.dispose]: () => void (database.isOpen && database.close()) };
}
