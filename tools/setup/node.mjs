/** Finds Node.js 24: from the npm package `node`, or a new enough one on PATH when that package lacks the platform. */
import { oldestNode, pathWithoutPackages, packagePrograms, root } from "./layout.mjs";
import { SetupError } from "./progress.mjs";
import { run } from "./process.mjs";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isAtLeast } from "./version-number.mjs";

const program = process.platform === "win32" ? "node.exe" : "node";
const packagedNode = join(root, "node_modules", "node", "bin", program);

/**
 * Finds the Node.js that runs the repository's programs.
 *
 * @returns {Promise<string>} its path
 * @throws {SetupError} when there is none; the message says what to install
 */
export async function ensureNode() {
  if (process.execPath === packagedNode) return packagedNode;
  if (!(await isNewEnough(packagedNode))) await restorePackagedNode();
  if (await isNewEnough(packagedNode)) return packagedNode;
  for (const candidate of [process.execPath, ...nodesOnPath()]) if (await isNewEnough(candidate)) return candidate;
  throw new SetupError(`found no Node.js ${oldestNode} or later on PATH, and the npm package \`node\` has no build for
${process.platform} ${process.arch}. Install Node.js 24 (https://nodejs.org/en/download), put \`node\` on PATH and run
the command again.`);
}

/** Runs the install script of the package `node`, which npm skips when the user has set ignore-scripts. */
async function restorePackagedNode() {
  if (!existsSync(join(root, "node_modules", "node", "package.json"))) return;
  const env = { ...process.env, PATH: pathWithoutPackages() };
  await run("npm", ["rebuild", "node", "--ignore-scripts=false", "--loglevel=error"], {
    cwd: root,
    env,
  });
}

function nodesOnPath() {
  return pathWithoutPackages()
    .split(delimiter)
    .map((folder) => join(folder, program))
    .filter((file) => existsSync(file) && !file.startsWith(packagePrograms));
}

/** @param {string} node */
async function isNewEnough(node) {
  if (node === process.execPath) return isAtLeast(process.versions.node, oldestNode);
  if (!existsSync(node)) return false;
  const { code, output } = await run(node, ["--version"]);
  return code === 0 && isAtLeast(output, oldestNode);
}
