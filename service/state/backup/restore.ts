/** `dag-service restore`: fills a new data folder with a backup. */
import { copyFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFolderSync, syncFolderSync } from "../../../storage/durable";
import type { ServiceConfig } from "../../config/schema";
import { StartError } from "../../config/start-error";
import { markFileOf } from "../sqlite/high-water-mark";
import { unfinishedRestoreOf } from "../open";
import { backupNames, readDescription, type BackupDescription } from "./description";
import { emptyFolder, foldersOf, isWithin, requireEmptyFolder } from "./folders";
import { TreeCopy, type CopiedFiles } from "./tree-copy";

/**
 * Copies a backup into the folders of the config, which must be empty or new. When it fails, they are empty again. When it
 * is killed, no service starts on the data folder.
 * @throws {StartError} when they are not empty, or when the backup is not whole
 */
export async function restore(config: ServiceConfig, source: string): Promise<BackupDescription> {
  const { data, state, buckets } = foldersOf(config);
  const description = readDescription(source);
  if ((description.objects === undefined) !== (buckets === undefined)) {
    const [had, has] = buckets === undefined ? ["in a folder", "on S3"] : ["on S3", "in a folder"];
    throw new StartError(
      `the buckets of the backup ${source} were ${had}, those of the config are ${has}: set storage`,
    );
  }
  requireEmptyFolder(data, "move it away, or name a new folder with --data");
  if (buckets !== undefined && !isWithin(buckets, data)) {
    requireEmptyFolder(buckets, "move it away, or name a new folder with --storage file:DIR");
  }
  if (existsSync(state))
    throw new StartError(`state file ${state} exists: move it away, or name a new one with --state`);
  const marker = unfinishedRestoreOf(data);
  writeFileSync(marker, `${JSON.stringify({ backup: source })}\n`, { flush: true });
  syncFolderSync(data);
  try {
    await copyFolders(config, source, description);
  } catch (error) {
    for (const file of [state, markFileOf(state)]) rmSync(file, { force: true });
    if (buckets !== undefined && !isWithin(buckets, data)) emptyFolder(buckets);
    emptyFolder(data);
    throw error;
  }
  rmSync(marker);
  syncFolderSync(data);
  return description;
}

async function copyFolders(config: ServiceConfig, source: string, description: BackupDescription): Promise<void> {
  const { data, state, buckets, logs } = foldersOf(config);
  if (buckets !== undefined) {
    await copyWhole(join(source, backupNames.buckets), buckets, description.objects!, "objects");
  }
  await copyWhole(join(source, backupNames.logs), logs, description.logs, "logs");
  const credentials = join(source, backupNames.credentials);
  if (existsSync(credentials)) copyFileSync(credentials, join(data, backupNames.credentials));
  createFolderSync(dirname(state));
  const copied = join(source, backupNames.state);
  copyFileSync(markFileOf(copied), markFileOf(state));
  copyFileSync(copied, state);
  syncFolderSync(dirname(state));
}

async function copyWhole(from: string, to: string, expected: CopiedFiles, what: string): Promise<void> {
  const copy = new TreeCopy({ from, to });
  await copy.pass();
  const { files, bytes } = copy.copied;
  if (files !== expected.files || bytes !== expected.bytes) throw incomplete(from, what, copy.copied, expected);
}

function incomplete(folder: string, what: string, found: CopiedFiles, expected: CopiedFiles): StartError {
  const size = ({ files, bytes }: CopiedFiles) => `${files} ${what} of ${bytes} bytes`;
  return new StartError(
    `the backup is not whole: ${folder} has ${size(found)} instead of ${size(expected)}; use another backup`,
  );
}
