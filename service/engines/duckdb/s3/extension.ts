/** Finds DuckDB's extension httpfs, with which DuckDB reads Parquet objects on S3 itself. */
import { fork } from "node:child_process";
import { join } from "node:path";

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

/** Checks whether DuckDB loads the extension. @param path its path. @default DuckDB's own place for it */
export async function checkExtension(path: string | undefined): Promise<ExtensionCheck> {
  // The extension must see no credentials.
  const env = { HOME: process.env["HOME"] };
  const stdio = ["ignore", "ignore", "ignore", "ipc"] as const;
  const child = fork(join(__dirname, "check-extension.js"), path === undefined ? [] : [path], {
    env,
    stdio: [...stdio],
    execArgv: [],
    timeout,
  });
  return new Promise((resolve, reject) => {
    child.once("message", (found) => resolve(found as ExtensionCheck));
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      reject(new Error(`the process that looks for DuckDB's extension httpfs ended with ${signal ?? code}`));
    });
  });
}
