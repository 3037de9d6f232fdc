/** Which Node runs programs, and where a program's own SDK is. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** pulumi-dag's oldest Node (`engines` in its package.json), as [major, minor]. */
const oldest = [22, 19] as const;

/**
 * The Node that runs programs: the one that runs the host (`node` on PATH), or where that is too old the one that
 * set-up has put beside the CLI.
 *
 * @param versions the running Node's
 * @param provided the path of the one that set-up provides
 */
export function nodeForPrograms(
  version: string = process.versions.node,
  provided: string = join(__dirname, "..", "node", "bin", "node"),
): string {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isOld = major < oldest[0] || (major === oldest[0] && minor < oldest[1]);
  return isOld && existsSync(provided) ? provided : process.execPath;
}

/**
 * Finds a file of the SDK that the program itself uses.
 *
 * @param folder the program's
 * @param module such as `@pulumi/pulumi/cmd/run`
 * @returns undefined where no SDK is installed for it
 */
export function resolveFrom(folder: string, module: string): string | undefined {
  try {
    return createRequire(join(folder, "program.js")).resolve(module);
  } catch {
    return undefined;
  }
}
