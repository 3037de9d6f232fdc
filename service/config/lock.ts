/** One service at a time on a folder. The system drops the lock with the process, however that ends. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartError } from "./start-error";

/**
 * Takes a folder.
 * @param setting the flag that chooses another one.
 * @returns what gives it back.
 * @throws {StartError} where another service has it.
 */
export function lockFolder(folder: string, setting: string): Disposable {
  const database = new DatabaseSync(join(folder, ".lock"));
  try {
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!/database is locked/.test((error as Error).message)) throw error;
    throw new StartError(
      `folder ${folder} is in use by another dag-service: stop that one, or choose another folder with ${setting}`,
    );
  }
  return { [Symbol.dispose]: () => void (database.isOpen && database.close()) };
}
