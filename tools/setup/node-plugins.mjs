/** Installs the two plugins that run Node.js programs beside a Pulumi CLI that lacks them. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { pathWithoutPackages, readJson, root } from "./layout.mjs";
import { SetupError } from "./progress.mjs";
import { run, tail } from "./process.mjs";

const host = "pulumi-language-nodejs";
const sources = join(root, "tools", "language-host");

/**
 * @param {string} folder of a CLI's programs
 * @returns {boolean} true when that CLI finds a Node.js language host beside it or on PATH
 */
export function hasNodeHost(folder) {
  const beside = dirname(realpathSync(join(folder, process.platform === "win32" ? "pulumi.exe" : "pulumi")));
  return [beside, ...pathWithoutPackages().split(delimiter)].some((each) =>
    [host, `${host}.exe`].some((name) => existsSync(join(each, name))),
  );
}

/**
 * Installs our plugins beside a CLI that has none, and updates those of an older set-up. Leaves an official
 * installation unchanged.
 *
 * @param {string} target the CLI's folder, which contains `bin`
 * @param {string} node the Node.js to copy beside the CLI
 * @param {(work: () => Promise<void>) => Promise<void>} withInstallLock runs the work under the installation's lock
 * @throws {SetupError} when the plugins cannot be built
 */
export async function ensureNodePlugins(target, node, withInstallLock) {
  const stamp = join(target, "node-plugins.sha256");
  const hash = pluginsHash(node);
  const isOfficial = () => existsSync(join(target, "bin", host)) && !existsSync(stamp);
  const isCurrent = () => existsSync(join(target, "bin", host)) && readFileSync(stamp, "utf8") === hash;
  if (isOfficial() || isCurrent()) return;
  await withInstallLock(async () => {
    if (isOfficial() || isCurrent()) return;
    // Written before the plugins, so that after an interruption they still count as ours.
    writeFileSync(stamp, "");
    const { code, output } = await run(node, [join(sources, "install-plugins.mjs"), target]);
    if (code !== 0)
      throw new SetupError(`cannot build the Node.js plugins of the Pulumi CLI in ${target}:\n\n${tail(output)}`);
    writeFileSync(stamp, hash);
  });
}

/**
 * @param {string} node
 * @returns {string} a hash of the plugins' sources, the SDK's version and the Node.js beside the CLI
 */
function pluginsHash(node) {
  const hash = createHash("sha256").update(String(readJson("node_modules/@pulumi/pulumi/package.json").version));
  hash.update(node.startsWith(root) ? String(readJson("node_modules/node/package.json").version) : node);
  for (const file of readdirSync(sources, { recursive: true, encoding: "utf8" }).sort()) {
    if (/\.\w+$/.test(file)) hash.update(`\0${file}\0`).update(readFileSync(join(sources, file)));
  }
  return hash.digest("hex");
}
