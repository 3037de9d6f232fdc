/** `dag-service restore`: fills a new data folder with a backup. */
import { copyFileSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFolderSync, syncFolderSync } from "../../../storage/durable";
import type { ServiceConfig } from "../../config/schema";
import { StartError } from "../../config/start-error";
import { markFileOf } from "../sqlite/high-water-mark";
import { backupNames, readDescription, type BackupDescription } from "./description";
import { foldersOf, isWithin, requireEmptyFolder } from "./folders";
import { TreeCopy, type CopiedFiles } from "./tree-copy";

/**
 * Copies a backup into the folders of the config, which must be empty or new.
 * @throws {StartError} when they are not, or when the backup is not whole
 */
export async function restore(config: ServiceConfig, source: string): Promise<BackupDescription> {
  const { data, state, buckets, logs } = foldersOf(config);
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
  if (buckets !== undefined) {
    await copyWhole(join(source, backupNames.buckets), buckets, description.objects!, "objects");
  }
  await copyWhole(join(source, backupNames.logs), logs, description.logs, "logs");
  const credentials = join(source, backupNames.credentials);
  if (existsSync(credentials)) copyFileSync(credentials, join(data, backupNames.credentials));
  // The state comes last: without it, a service does not take the folder for one that is restored.
  createFolderSync(dirname(state));
  const copy = join(source, backupNames.state);
  copyFileSync(markFileOf(copy), markFileOf(state));
  copyFileSync(copy, state);
  syncFolderSync(dirname(state));
  return description;
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
    `the backup is not whole: ${folder} has ${size(found)} instead of ${size(expected)}; use another backup, and delete what this restore has written`,
  );
}
