/**
 * Finds or installs the Pulumi CLI. Tries in this order: PATH, earlier installations, the official installer, and a
 * build from the Go module proxy. An installation appears complete, by one rename.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildFromGoProxy, GoBuildError } from "./go-build.mjs";
import { pathWithoutPackages, readJson } from "./layout.mjs";
import { ensureNodePlugins, hasNodeHost } from "./node-plugins.mjs";
import { withLock } from "./lock.mjs";
import { note, SetupError, step } from "./progress.mjs";
import { run, tail } from "./process.mjs";
import { compareVersions, isAtLeast, parseVersion } from "./version-number.mjs";

/** @typedef {{ version: string, folder: string }} Cli a CLI: its version (no leading v) and its folder of programs */

const program = process.platform === "win32" ? "pulumi.exe" : "pulumi";
/** The folder that the Automation API also uses for its installations. */
const versions = join(homedir(), ".pulumi", "versions");
const lock = join(versions, ".set-up.lock");

/**
 * The oldest supported CLI. It equals the oldest SDK that the provider supports (its peer dependency), because a CLI
 * older than the program's SDK may lack features that the SDK uses. The provider is tested with this version.
 */
export const oldestCli = String(readJson("package.json").peerDependencies["@pulumi/pulumi"]).replace(/^[^\d]*/, "");

/** Releases to try to build, newest first: a proxy may not have all of them. */
const releasesToBuild = ["3.260.0", "3.259.0", "3.258.0", "3.250.0"];

/**
 * Finds or installs a Pulumi CLI that runs Node.js programs.
 *
 * @param {string} node the Node.js that runs the repository's programs
 * @returns {Promise<string>} the folder to put on PATH
 * @throws {SetupError} when every way fails; the message lists what was tried and says what to install
 */
export async function ensurePulumi(node) {
  const found = (await findCli()) ?? (await withLock(lock, async () => (await findCli()) ?? (await installCli(node))));
  const cli =
    isInVersions(found.folder) || hasNodeHost(found.folder) ? found : await withLock(lock, async () => copyCli(found));
  if (isInVersions(cli.folder)) await ensureNodePlugins(dirname(cli.folder), node, (work) => withLock(lock, work));
  return cli.folder;
}

/** @returns {Promise<Cli | undefined>} the first CLI that is new enough: on PATH, else the newest installation */
async function findCli() {
  for (const folder of [
    ...pathWithoutPackages().split(delimiter),
    join(homedir(), ".pulumi", "bin"),
    ...installedCliFolders(),
  ]) {
    if (!existsSync(join(folder, program))) continue;
    const version = await versionOf(folder);
    if (version && isAtLeast(version, oldestCli)) return { version, folder };
  }
  return undefined;
}

function installedCliFolders() {
  if (!existsSync(versions)) return [];
  const found = readdirSync(versions).filter((name) => parseVersion(name) !== undefined);
  return found.sort((a, b) => compareVersions(b, a)).map((name) => join(versions, name, "bin"));
}

/** @param {string} folder */
async function versionOf(folder) {
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const { code, output } = await run(join(folder, program), ["version"], {
    env,
    timeoutMs: 30_000,
  });
  const last = output.trim().split("\n").at(-1)?.trim() ?? "";
  return code === 0 && parseVersion(last) ? last.replace(/^v/, "") : undefined;
}

/** @param {string} folder */
function isInVersions(folder) {
  return realpathSync(folder).startsWith(join(existsSync(versions) ? realpathSync(versions) : versions, "/"));
}

/**
 * @param {string} node
 * @returns {Promise<Cli>}
 */
async function installCli(node) {
  removeTemporaryFolders();
  note(`found no Pulumi CLI ${oldestCli} or later on PATH or in ${versions}; installing one`);
  const official = await installOfficial(node);
  if ("folder" in official) return official;
  const reasons = [`the official installer: ${official.failure}`];
  for (const version of process.platform === "win32" ? [] : releasesToBuild) {
    try {
      return await installAtomically(version, async (target) => {
        await step(
          `building Pulumi ${version} with Go, because the official installer failed (about 4 minutes on 2 cores)`,
          (say) => buildFromGoProxy(version, join(target, "bin", program), say),
        );
        await ensureNodePlugins(target, node, (work) => work());
      });
    } catch (error) {
      if (!(error instanceof GoBuildError)) throw error;
      reasons.push(`building Pulumi ${version} with Go: ${error.message}`);
      if (error.concernsAllReleases) break;
      note(`cannot build Pulumi ${version}: ${error.message.split("\n")[0]}`);
    }
  }
  throw new SetupError(`no Pulumi CLI ${oldestCli} or later was found, and installing one failed.

Tried:
${reasons.map((reason) => `- ${reason}`).join("\n")}

Install the Pulumi CLI (https://www.pulumi.com/docs/install/), put \`pulumi\` on PATH and run the command again. If that
site is not reachable, install Go (https://go.dev/dl/) and run the command again: set-up then builds the Pulumi CLI from
the Go module proxy.`);
}

/**
 * @param {string} node
 * @returns {Promise<Cli | { failure: string }>}
 */
async function installOfficial(node) {
  const version = String(readJson("node_modules/@pulumi/pulumi/package.json").version);
  const installer = fileURLToPath(new URL("official-installer.mjs", import.meta.url));
  let failure = "";
  try {
    return await installAtomically(version, (target) =>
      step(`installing the Pulumi CLI ${version} with the official installer`, async () => {
        const env = { ...process.env, NODE_USE_ENV_PROXY: "1" };
        const ended = await run(node, [installer, target], { env, timeoutMs: 10 * 60_000 });
        if (ended.code === 0) return;
        failure = ended.signal ? "took longer than 10 minutes" : tail(ended.output, 3);
        throw new Error(failure);
      }),
    );
  } catch (error) {
    if (failure === "") throw error;
    note(`the official installer failed: ${failure}`);
    return { failure };
  }
}

/**
 * Creates an installation in a temporary folder and renames that folder to its final place.
 *
 * @param {string} version
 * @param {(target: string) => Promise<void>} fill writes the installation into the folder
 * @returns {Promise<Cli>}
 */
async function installAtomically(version, fill) {
  mkdirSync(versions, { recursive: true });
  const temporary = mkdtempSync(join(versions, ".set-up-"));
  try {
    chmodSync(temporary, 0o755);
    mkdirSync(join(temporary, "bin"));
    await fill(temporary);
    const target = join(versions, version);
    // findCli has found no working CLI in this folder.
    rmSync(target, { recursive: true, force: true });
    renameSync(temporary, target);
    return { version, folder: join(target, "bin") };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * Copies a CLI from PATH that has no Node.js language host (for instance one built with Go), so that the plugins can be
 * added to the copy.
 *
 * @param {Cli} cli
 * @returns {Promise<Cli>}
 */
async function copyCli({ version, folder }) {
  const copy = join(versions, version, "bin");
  if (existsSync(join(copy, program)) && (await versionOf(copy)) === version) return { version, folder: copy };
  note(`${join(folder, program)} has no Node.js language host; copying it to ${versions} and adding one there`);
  return installAtomically(version, async (target) => {
    linkOrCopy(realpathSync(join(folder, program)), join(target, "bin", program));
  });
}

/**
 * @param {string} from
 * @param {string} to
 */
function linkOrCopy(from, to) {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/** Deletes the folders of interrupted installations. The caller holds the lock, so no installation is running. */
function removeTemporaryFolders() {
  if (!existsSync(versions)) return;
  for (const name of readdirSync(versions)) {
    if (name.startsWith(".set-up-")) rmSync(join(versions, name), { recursive: true, force: true });
  }
}
