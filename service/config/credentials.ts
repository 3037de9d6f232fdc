/** The key pair of a service that was configured none: made once, kept beside its data. */
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Credentials } from "../../contract";
import { StartError } from "./start-error";

const pair = z.strictObject({ accessKeyId: z.string().min(1), secretAccessKey: z.string().min(1) });

export interface OwnCredentials {
  readonly credentials: Credentials;
  /** Whether it was made now, which is when the user must be told. */
  readonly isNew: boolean;
  /** Where it is kept, readable by its owner only. */
  readonly file: string;
}

/** The pair of the data folder; a new one where it has none. */
export function ownCredentials(data: string): OwnCredentials {
  const file = join(data, "credentials.json");
  const known = read(file);
  if (known !== undefined) return { credentials: known, isNew: false, file };
  const credentials = {
    accessKeyId: `DAG${randomBytes(12).toString("hex").toUpperCase().slice(0, 17)}`,
    secretAccessKey: randomBytes(30).toString("base64url"),
  };
  writeFileSync(file, `${JSON.stringify(credentials, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
  return { credentials, isNew: true, file };
}

function read(file: string): Credentials | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return pair.parse(JSON.parse(text));
  } catch {
    throw new StartError(
      `${file} does not hold a key pair: delete it to have a new one made, or configure credentials`,
    );
  }
}
