/** Finds the Node.js that runs programs, and the files of a program's own SDK. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** The oldest Node.js of pulumi-dag (`engines` in its package.json), as [major, minor]. */
const oldestVersion = [22, 19] as const;

/**
 * Returns the Node.js that runs programs: the one that runs the host (`node` on PATH), or, when that is too old, the one
 * that set-up has copied beside the CLI.
 *
 * @param version of the running Node.js
 * @param provided path of the Node.js beside the CLI
 */
export function nodeForPrograms(
  version: string = process.versions.node,
  provided: string = join(__dirname, "..", "node", "bin", "node"),
): string {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < oldestVersion[0] || (major === oldestVersion[0] && minor < oldestVersion[1]);
  return isOld && existsSync(provided) ? provided : process.execPath;
}

/**
 * Finds a file of the SDK that the program itself uses.
 *
 * @param folder of the program
 * @param module such as `@pulumi/pulumi/cmd/run`
 * @returns undefined when the program has no SDK installed
 */
export function resolveFrom(folder: string, module: string): string | undefined {
  try {
    return createRequire(join(folder, "program.js")).resolve(module);
  } catch {
    return undefined;
  }
}
