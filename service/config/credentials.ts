/** The key pair of a service without configured credentials: created once and stored in the data folder. */
import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Credentials } from "../../contract";
import { replaceFile } from "../../storage/durable";
import { StartError } from "./start-error";

const pair = z.strictObject({ accessKeyId: z.string().min(1), secretAccessKey: z.string().min(1) });

export interface StoredCredentials {
  readonly credentials: Credentials;
  /** True when the pair was created by this call: only then is it shown to the user. */
  readonly isNew: boolean;
  /** Path of the file that stores it, readable by its owner only. */
  readonly file: string;
}

/** Reads the key pair of the data folder, or creates one when the folder has none. */
export function loadOrCreateCredentials(data: string): StoredCredentials {
  const file = join(data, "credentials.json");
  const existing = readCredentials(file);
  if (existing !== undefined) return { credentials: existing, isNew: false, file };
  const credentials = {
    accessKeyId: `DAG${randomBytes(12).toString("hex").toUpperCase().slice(0, 17)}`,
    secretAccessKey: randomBytes(30).toString("base64url"),
  };
  const created = `${file}.${randomBytes(6).toString("hex")}`;
  replaceFile(created, `${JSON.stringify(credentials, undefined, 2)}\n`);
  try {
    if (statSync(file, { throwIfNoEntry: false })?.size === 0) renameSync(created, file);
    else linkSync(created, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    // Another process that shares the folder has created one at the same time.
    return loadOrCreateCredentials(data);
  } finally {
    rmSync(created, { force: true });
  }
  return { credentials, isNew: true, file };
}

function readCredentials(file: string): Credentials | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  // A service before this one left the file empty when the disk was full at its first start.
  if (text === "") return undefined;
  try {
    return pair.parse(JSON.parse(text));
  } catch {
    throw new StartError(
      `${file} does not hold a key pair: delete it so that the next start creates a new one, or configure credentials`,
    );
  }
}
