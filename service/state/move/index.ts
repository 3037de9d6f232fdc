/** Moves the record of all queries between a SQLite file and a PostgreSQL database: the command `dag-service migrate`. */
import { dirname } from "node:path";
import { lockFolder } from "../../config/lock";
import { StartError } from "../../config/start-error";
import { databaseError, type StateSetting } from "../open";
import { codeOf, Database, isRefusal } from "../postgres/connection";
import { isAlive } from "../postgres/admission";
import { migrate } from "../postgres/schema";
import type { Moved } from "./records";
import { moveToDatabase } from "./to-database";
import { moveToFile } from "./to-file";

/** What is moved. */
export interface Move {
  readonly from: StateSetting;
  readonly to: StateSetting;
  /** The data folder that the record belongs to. */
  readonly data: string;
}

/**
 * Moves the record; the source is kept under another name. Running queries are resumed by the next start.
 * @throws {StartError} when a service runs on either, when the target is not empty, or when one cannot be used
 */
export async function moveState({ from, to, data }: Move): Promise<Moved> {
  const [source, target] = from.kind === "sqlite" ? [from, to] : [to, from];
  if (source.kind !== "sqlite" || target.kind !== "postgres") {
    throw new StartError("--from and --to must be one sqlite:FILE and one postgres://USER:PASSWORD@HOST:PORT/DATABASE");
  }
  using _data = lockFolder(data, "--data");
  using _file = dirname(source.file) === data ? undefined : lockFolder(dirname(source.file), "--from");
  const database = new Database(target.url);
  try {
    await database.transaction(migrate);
    await requireNoProcess(database);
    return from.kind === "sqlite"
      ? await moveToDatabase(source.file, database, data)
      : await moveToFile(database, source.file, data);
  } catch (error) {
    throw error instanceof StartError ? error : databaseError(target.url, error, { codeOf, isRefusal });
  } finally {
    await database.close();
  }
}

/** @throws {StartError} when a service uses the database */
async function requireNoProcess(database: Database): Promise<void> {
  const [running] = await database.run<{ place: string }>(
    `SELECT place FROM dag.processes AS p WHERE ${isAlive} LIMIT 1`,
  );
  if (running) {
    throw new StartError(
      `the database is in use by the service process ${running.place}: stop all of them, and wait 10 seconds`,
    );
  }
}
