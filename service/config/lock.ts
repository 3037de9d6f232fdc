/** One service at a time on a data folder. The system drops the lock with the process, however that ends. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartError } from "./start-error";

/**
 * Takes the folder.
 * @returns what gives it back.
 * @throws {StartError} where another service has it.
 */
export function lockData(data: string): Disposable {
  const database = new DatabaseSync(join(data, "lock"));
  try {
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!/database is locked/.test((error as Error).message)) throw error;
    throw new StartError(
      `data folder ${data} is in use by another dag-service: stop that one, or choose another folder with --data`,
    );
  }
  return { [Symbol.dispose]: () => void (database.isOpen && database.close()) };
}
