/** `dag-service restore` for a state in PostgreSQL, which pg_restore has restored: no ID is given again. */
import type { ServiceConfig } from "../../config/schema";
import { StartError } from "../../config/start-error";
import { databaseError, stateSetting } from "../open";
import { skippedIds } from "./skipped-ids";

/**
 * Raises the query IDs of the database beyond those that were given after its dump. It may run at any time, and again.
 * @returns the highest ID that is not given any more
 * @throws {StartError} for a state in SQLite, and when the database cannot be used or has no state
 */
export async function skipIds(config: ServiceConfig): Promise<number> {
  const state = stateSetting(config);
  if (state.kind !== "postgres") {
    throw new StartError(
      `the state of this service is the file ${state.file}: name the folder of its backup, as in dag-service restore FOLDER`,
    );
  }
  // Loaded only by services that need it.
  const connection = await import("../postgres/connection.js");
  try {
    await using database = await connection.connect(state.url);
    const [found] = await database.run<{ exists: boolean }>("SELECT to_regclass('dag.queries') IS NOT NULL AS exists");
    if (!found!.exists) {
      throw new StartError(
        "the database of --state has no state of a dag-service: restore its dump with pg_restore first, or name another database",
      );
    }
    const [raised] = await database.run<{ id: number }>(
      `SELECT setval(sequence, greatest(nextval(sequence), (SELECT max(id) FROM dag.queries)) + $1) AS id
       FROM pg_get_serial_sequence('dag.queries', 'id') AS sequence`,
      [skippedIds],
    );
    return raised!.id;
  } catch (error) {
    throw error instanceof StartError ? error : databaseError(state.url, error, connection);
  }
}
