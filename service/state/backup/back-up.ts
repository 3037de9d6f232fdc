/** `dag-service backup`: copies the state and the buckets of a service, which may run meanwhile. */
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import type { ServiceConfig } from "../../config/schema";
import { StartError } from "../../config/start-error";
import { markerKey, temporaryFolder } from "../outputs/names";
import { writeMark } from "../sqlite/high-water-mark";
import { versionOf, versionWithMarks } from "../sqlite/migrations";
import { backupNames, writeDescription, type BackupDescription } from "./description";
import { skippedIds } from "./skipped-ids";
import { emptyFolder, foldersOf, isWithin, requireEmptyFolder, type ServiceFolders } from "./folders";
import { TreeCopy } from "./tree-copy";

/** Copies of the state that are tried until nothing is published while one is made. */
const maxAttempts = 30;

/** All pages at once: in steps, each write of the running service would restart the copy. */
const allPages = 2 ** 31 - 1;

/**
 * Writes a backup into an empty or new folder. State and buckets are of one moment: every query that the state says has
 * ended has its result, and what was running is run again after a restore. When it fails, the folder is empty again.
 * @throws {StartError} when it cannot be made
 */
export async function backUp(config: ServiceConfig, target: string): Promise<BackupDescription> {
  const folders = foldersOf(config);
  requireState(folders);
  const remedy = "name a new folder outside of the data folder and the buckets";
  for (const folder of [folders.data, folders.buckets]) {
    if (folder !== undefined && isWithin(target, folder)) {
      throw new StartError(`folder ${target} is inside ${folder}, which the backup copies: ${remedy}`);
    }
  }
  requireEmptyFolder(target, remedy);
  try {
    return await copyFolders(folders, target);
  } catch (error) {
    emptyFolder(target);
    throw error;
  }
}

async function copyFolders(folders: ServiceFolders, target: string): Promise<BackupDescription> {
  const state = join(target, backupNames.state);
  const objects = folders.buckets && objectsOf(folders.buckets, join(target, backupNames.buckets));
  await copyAtOneMoment(folders.state, state, objects || undefined);
  const queries = closeState(state);
  const logs = new TreeCopy({ from: folders.logs, to: join(target, backupNames.logs) });
  await logs.pass();
  const credentials = join(folders.data, backupNames.credentials);
  if (existsSync(credentials)) copyFileSync(credentials, join(target, backupNames.credentials));
  const description = {
    format: 1,
    createdAt: new Date().toISOString(),
    queries,
    ...(objects && { objects: objects.copied }),
    logs: logs.copied,
  } as const;
  writeDescription(target, description);
  return description;
}

/** The objects of all buckets, without what running queries write and what the service needs for itself. */
function objectsOf(from: string, to: string): TreeCopy {
  const ofService = new Set([".uploads", ".lock", ".lock-owner"]);
  const ofQueries = new Set([temporaryFolder, markerKey]);
  return new TreeCopy({
    from,
    to,
    isSkipped: (path) => {
      const [bucket = "", name, ...rest] = path.split("/");
      return name === undefined ? ofService.has(bucket) : rest.length === 0 && ofQueries.has(name);
    },
  });
}

/** Copies state and objects again until no object changed and no result was being published while the state was copied. */
async function copyAtOneMoment(from: string, to: string, objects: TreeCopy | undefined): Promise<void> {
  let example: string | undefined;
  await objects?.pass();
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    await objects?.pass();
    const publishing = await copyState(from, to);
    const after = await objects?.pass();
    if (after === undefined || (after.changed === 0 && !publishing)) return;
    example = after.example ?? example;
  }
  const what = example === undefined ? "results were published" : `objects such as dag://${example} changed`;
  throw new StartError(
    `${what} during each of ${maxAttempts} attempts, so there is no backup of one moment: try again when fewer queries end, or take a snapshot of the file system`,
  );
}

/** Copies the state; true when the copy has a result that was being published. */
async function copyState(from: string, to: string): Promise<boolean> {
  for (const ending of ["", "-wal", "-shm"]) rmSync(`${to}${ending}`, { force: true });
  const source = new DatabaseSync(from, { readOnly: true, timeout: 5000 });
  try {
    await backup(source, to, { rate: allPages });
  } finally {
    source.close();
  }
  using copy = closing(to);
  const { count } = copy.database
    .prepare("SELECT count(*) AS count FROM queries WHERE status = 'running' AND publishing = 1")
    .get() as { count: number };
  return count > 0;
}

/** Makes the copy a state that was closed, and that gives no ID again. Returns the number of its queries. */
function closeState(path: string): number {
  using copy = closing(path);
  const { database } = copy;
  const { starts, next } = database
    .prepare("SELECT starts, max(ids_to, (SELECT coalesce(max(seq), 0) FROM sqlite_sequence)) + ? AS next FROM marks")
    .get(skippedIds) as { starts: number; next: number };
  database.exec("BEGIN IMMEDIATE");
  database.prepare("DELETE FROM sqlite_sequence WHERE name = 'queries'").run();
  database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('queries', ?)").run(next);
  database.prepare("UPDATE marks SET ids_to = ?, closed = 1").run(next);
  database.exec("COMMIT");
  writeMark(path, { starts, idsTo: next });
  return (database.prepare("SELECT count(*) AS count FROM queries").get() as { count: number }).count;
}

/** @throws {StartError} when there is no state file that can be copied */
function requireState({ state }: ServiceFolders): void {
  const remedy = "name the service's folder with --data or its config with --config";
  if (!existsSync(state)) throw new StartError(`state file ${state} does not exist: ${remedy}`);
  let version: number;
  try {
    using source = closing(state, true);
    version = versionOf(source.database);
  } catch {
    throw new StartError(`state file ${state} cannot be read: ${remedy}, and run the command as the service's user`);
  }
  if (version < versionWithMarks) {
    throw new StartError(`state file ${state} is of an early version: start this dag-service on it once`);
  }
}

function closing(path: string, readOnly = false): Disposable & { readonly database: DatabaseSync } {
  const database = new DatabaseSync(path, { readOnly, timeout: 5000 });
  return { database, [Symbol.dispose]: () => database.close() };
}
