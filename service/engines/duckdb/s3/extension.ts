/** Finds DuckDB's extension httpfs, with which DuckDB reads Parquet objects on S3 itself. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/** What was found at a path. */
export interface ExtensionCheck {
  readonly path: string;
  /** DuckDB's, such as `v1.5.5`. */
  readonly version: string;
  /** DuckDB's name of this platform, such as `linux_amd64`. */
  readonly platform: string;
  /** `refused`: it is for another version or platform, is not signed by DuckDB, or is damaged. */
  readonly state: "missing" | "loaded" | "refused";
}

/** Milliseconds that the check may take. */
const timeout = 60_000;

/** Looks whether DuckDB loads the extension. @param path its path. @default DuckDB's own place for it */
export async function checkExtension(path: string | undefined): Promise<ExtensionCheck> {
  const args = [join(__dirname, "check-extension.js"), ...(path === undefined ? [] : [path])];
  // The extension must see no credentials.
  const env = { HOME: process.env["HOME"] };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout });
  return JSON.parse(stdout) as ExtensionCheck;
}
