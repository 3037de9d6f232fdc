/** Moves the record of all queries between a SQLite file and a PostgreSQL database: the command `dag-service migrate`. */
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "../../config/start-error";
import { followLinks, lockFolder } from "../lock";
import { databaseError, holdFile, type StateSetting } from "../open";
import { codeOf, Database, isRefusal } from "../postgres/connection";
import { isAlive } from "../postgres/process-registry";
import { migrate } from "../postgres/schema";
import type { MoveSummary } from "./records";
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
export async function moveState({ from, to, data }: Move): Promise<MoveSummary> {
  const [source, target] = from.kind === "sqlite" ? [from, to] : [to, from];
  if (source.kind !== "sqlite" || target.kind !== "postgres") {
    throw new StartError("--from and --to must be one sqlite:FILE and one postgres://USER:PASSWORD@HOST:PORT/DATABASE");
  }
  const file = followLinks(source.file);
  const folder = dirname(file);
  const fileFlag = from.kind === "sqlite" ? "--from" : "--to";
  requireFolder(data, "name the data folder of the service with --data");
  requireFolder(folder, `name a file in another folder with ${fileFlag}`);
  using _data = lockFolder(data, "--data");
  using _file = holdFile(file, fileFlag);
  const database = new Database(target.url);
  try {
    await database.transaction(migrate);
    await requireNoProcess(database);
    return from.kind === "sqlite" ? await moveToDatabase(file, database, data) : await moveToFile(database, file, data);
  } catch (error) {
    throw error instanceof StartError ? error : databaseError(target.url, error, { codeOf, isRefusal });
  } finally {
    await database.close();
  }
}

/** @throws {StartError} when there is no such folder that can be written */
function requireFolder(folder: string, remedy: string): void {
  try {
    if (!statSync(folder).isDirectory()) throw new StartError(`${folder} is not a folder: ${remedy}`);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(`folder ${folder} cannot be used (${code}): ${remedy}`);
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
