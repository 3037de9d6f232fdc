/** What a backup says of itself: `backup.json`, which is written last. A folder without it is no whole backup. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { replaceFile } from "../../../storage/durable";
import { StartError } from "../../config/start-error";

const copied = z.strictObject({ files: z.int().nonnegative(), bytes: z.int().nonnegative() });

const description = z.strictObject({
  /** Version of this format. */
  format: z.literal(1),
  createdAt: z.iso.datetime(),
  /** Queries in the record. */
  queries: z.int().nonnegative(),
  /** Objects of the buckets; absent when they are on S3 and not in the backup. */
  objects: copied.optional(),
  logs: copied,
});

export type BackupDescription = z.infer<typeof description>;

/** Names of what is in a backup. */
export const backupNames = {
  description: "backup.json",
  state: "state.sqlite",
  buckets: "buckets",
  logs: "logs",
  credentials: "credentials.json",
} as const;

/** Reads the description. @throws {StartError} when the folder is not a whole backup */
export function readDescription(folder: string): BackupDescription {
  const file = join(folder, backupNames.description);
  try {
    return description.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === undefined ? "is of another version or damaged" : `cannot be read (${code})`;
    throw new StartError(`${folder} is not a whole backup, because ${file} ${why}: name the folder of another backup`);
  }
}

/** Ends a backup. */
export function writeDescription(folder: string, content: BackupDescription): void {
  replaceFile(join(folder, backupNames.description), `${JSON.stringify(content, undefined, 2)}\n`);
}
