/** The two plugins that let a CLI run Node.js programs, for a CLI that came without them. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { outsidePath, readJson, root } from "./layout.mjs";
import { SetupError } from "./progress.mjs";
import { run, tail } from "./process.mjs";

const host = "pulumi-language-nodejs";
const sources = join(root, "tools", "language-host");

/**
 * @param {string} folder of a CLI's programs
 * @returns {boolean} whether that CLI finds a Node.js language host: beside it or on PATH
 */
export function hasNodeHost(folder) {
  const beside = dirname(realpathSync(join(folder, process.platform === "win32" ? "pulumi.exe" : "pulumi")));
  return [beside, ...outsidePath().split(delimiter)].some((each) =>
    [host, `${host}.exe`].some((name) => existsSync(join(each, name))),
  );
}

/**
 * Puts our plugins beside a CLI that has none, and renews those that an older set-up put there. An official
 * installation is left as it is.
 *
 * @param {string} target the CLI's folder, with `bin` in it
 * @param {string} node the Node to keep beside it
 * @param {(work: () => Promise<void>) => Promise<void>} locked runs the work alone
 * @throws {SetupError} where they cannot be made
 */
export async function ensureNodePlugins(target, node, locked) {
  const stamp = join(target, "node-plugins.sha256");
  const hash = pluginsHash(node);
  const isOfficial = () => existsSync(join(target, "bin", host)) && !existsSync(stamp);
  const isCurrent = () => existsSync(join(target, "bin", host)) && readFileSync(stamp, "utf8") === hash;
  if (isOfficial() || isCurrent()) return;
  await locked(async () => {
    if (isOfficial() || isCurrent()) return;
    // Before the plugins: should this be interrupted, they still count as ours.
    writeFileSync(stamp, "");
    const { code, output } = await run(node, [join(sources, "install-plugins.mjs"), target]);
    if (code !== 0) throw new SetupError(`the Node.js plugins of the Pulumi CLI could not be made:\n\n${tail(output)}`);
    writeFileSync(stamp, hash);
  });
}

/**
 * @param {string} node
 * @returns {string} changes with the plugins' sources, the SDK and the Node that is kept
 */
function pluginsHash(node) {
  const hash = createHash("sha256").update(String(readJson("node_modules/@pulumi/pulumi/package.json").version));
  hash.update(node.startsWith(root) ? String(readJson("node_modules/node/package.json").version) : node);
  for (const file of readdirSync(sources, { recursive: true, encoding: "utf8" }).sort()) {
    if (/\.\w+$/.test(file)) hash.update(`\0${file}\0`).update(readFileSync(join(sources, file)));
  }
  return hash.digest("hex");
}
