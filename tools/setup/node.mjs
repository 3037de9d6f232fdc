/** Node 24: from the npm package `node`, or where there is none for the platform, a new enough one on PATH. */
import { oldestNode, outsidePath, packagePrograms, root } from "./layout.mjs";
import { SetupError } from "./progress.mjs";
import { run } from "./process.mjs";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isAtLeast } from "./version.mjs";

const program = process.platform === "win32" ? "node.exe" : "node";
const packaged = join(root, "node_modules", "node", "bin", program);

/**
 * The Node that runs everything of the repository.
 *
 * @returns {Promise<string>} its path
 * @throws {SetupError} where there is none; says what to install
 */
export async function ensureNode() {
  if (process.execPath === packaged) return packaged;
  if (!(await isNewEnough(packaged))) await restorePackagedNode();
  if (await isNewEnough(packaged)) return packaged;
  for (const candidate of [process.execPath, ...onPath()]) if (await isNewEnough(candidate)) return candidate;
  throw new SetupError(`Node ${oldestNode} or later is needed, and the npm package \`node\` brings none for
${process.platform} ${process.arch}. Install Node 24 (https://nodejs.org/en/download) so that \`node\` on PATH is it.`);
}

/** Node's own install script may have been held back by npm's settings (ignore-scripts). */
async function restorePackagedNode() {
  if (!existsSync(join(root, "node_modules", "node", "package.json"))) return;
  const env = { ...process.env, PATH: outsidePath() };
  await run("npm", ["rebuild", "node", "--ignore-scripts=false", "--loglevel=error"], {
    cwd: root,
    env,
  });
}

function onPath() {
  return outsidePath()
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
