/** The folders of a service that a backup copies and a restore fills. */
import { readdirSync, rmSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { logsOf } from "../log-files";
import { createFolderSync } from "../../../storage/durable";
import type { ServiceConfig } from "../../config/schema";
import { StartError } from "../../config/start-error";
import { stateSetting } from "../open";

/** Where a service keeps what a backup holds. */
export interface ServiceFolders {
  readonly data: string;
  /** The state file. */
  readonly state: string;
  /** Folder of the buckets; undefined when they are on S3. */
  readonly buckets: string | undefined;
  readonly logs: string;
}

/** @throws {StartError} when the state is in PostgreSQL */
export function foldersOf(config: ServiceConfig): ServiceFolders {
  const state = stateSetting(config);
  if (state.kind === "postgres") {
    throw new StartError(
      "the state of this service is in PostgreSQL: back it up with pg_dump --schema dag and copy the buckets by the means of their storage; restore it with pg_restore, and then run dag-service restore without a folder, so that no query ID is given again",
    );
  }
  const { storage, data } = config;
  const isLocal = storage === undefined || (typeof storage === "string" && storage.startsWith("file:"));
  const buckets = typeof storage === "string" ? storage.slice("file:".length) : join(data, "buckets");
  return { data, state: state.file, buckets: isLocal ? buckets : undefined, logs: logsOf(data) };
}

/**
 * Makes a folder, which may exist if nothing is in it.
 * @throws {StartError} when it cannot be made or holds something
 */
export function requireEmptyFolder(folder: string, remedy: string): void {
  let entries: string[];
  try {
    createFolderSync(folder);
    entries = readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(`folder ${folder} cannot be used (${code}): ${remedy}`);
  }
  if (entries.length > 0) throw new StartError(`folder ${folder} is not empty: ${remedy}`);
}

/** Deletes what a backup or restore that failed has written into a folder, which was empty before. */
export function emptyFolder(folder: string): void {
  for (const entry of readdirSync(folder)) rmSync(join(folder, entry), { recursive: true, force: true });
}

/** Returns true when a path is a folder or below it. */
export function isWithin(path: string, folder: string): boolean {
  return `${resolve(path)}${sep}`.startsWith(`${resolve(folder)}${sep}`);
}
