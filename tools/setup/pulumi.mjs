/**
 * The Pulumi CLI: the one on PATH, else an earlier installation, else the official installer, else a build from the
 * Go module proxy. Whatever is put in place is put there whole, by one rename.
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
import { outsidePath, readJson } from "./layout.mjs";
import { ensureNodePlugins, hasNodeHost } from "./node-plugins.mjs";
import { withLock } from "./lock.mjs";
import { note, SetupError, step } from "./progress.mjs";
import { run, tail } from "./process.mjs";
import { compareVersions, isAtLeast, parseVersion } from "./version.mjs";

/** @typedef {{ version: string, folder: string }} Cli a CLI's version (no leading v) and the folder of its programs */

const program = process.platform === "win32" ? "pulumi.exe" : "pulumi";
/** Where the Automation API installs to and looks, too. */
const versions = join(homedir(), ".pulumi", "versions");
const lock = join(versions, ".set-up.lock");

/**
 * The oldest CLI that serves: the oldest SDK that the provider supports (its peer dependency), since a CLI older than
 * the program's SDK may not know what it asks for; the provider was measured with it.
 */
export const oldestCli = String(readJson("package.json").peerDependencies["@pulumi/pulumi"]).replace(/^[^\d]*/, "");

/** Releases to build, newest first: not every one can be had from every proxy. */
const releasesToBuild = ["3.260.0", "3.259.0", "3.258.0", "3.250.0"];

/**
 * A Pulumi CLI that runs Node.js programs.
 *
 * @param {string} node the Node that runs the repository's programs
 * @returns {Promise<string>} the folder to put on PATH
 * @throws {SetupError} where no way to have one works; says what was tried and what to install
 */
export async function ensurePulumi(node) {
  const found = (await find()) ?? (await withLock(lock, async () => (await find()) ?? (await install(node))));
  const cli =
    isInVersions(found.folder) || hasNodeHost(found.folder) ? found : await withLock(lock, async () => adopt(found));
  if (isInVersions(cli.folder)) await ensureNodePlugins(dirname(cli.folder), node, (work) => withLock(lock, work));
  return cli.folder;
}

/** @returns {Promise<Cli | undefined>} the first that is new enough: PATH first, then installations, newest first */
async function find() {
  for (const folder of [...outsidePath().split(delimiter), join(homedir(), ".pulumi", "bin"), ...installations()]) {
    if (!existsSync(join(folder, program))) continue;
    const version = await versionOf(folder);
    if (version && isAtLeast(version, oldestCli)) return { version, folder };
  }
  return undefined;
}

function installations() {
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
async function install(node) {
  removeLeftovers();
  note(`no Pulumi CLI ${oldestCli} or later on PATH or in ${versions}`);
  const official = await installOfficial(node);
  if ("folder" in official) return official;
  const reasons = [`the official installer: ${official.failure}`];
  for (const version of process.platform === "win32" ? [] : releasesToBuild) {
    try {
      return await inPlace(version, async (target) => {
        await step(
          `building Pulumi ${version} from the Go module proxy, because its download is out of reach (4 minutes on 2 cores)`,
          (say) => buildFromGoProxy(version, join(target, "bin", program), say),
        );
        await ensureNodePlugins(target, node, (work) => work());
      });
    } catch (error) {
      if (!(error instanceof GoBuildError)) throw error;
      reasons.push(`building ${version}: ${error.message}`);
      if (error.concernsAllReleases) break;
      note(`${version} cannot be built here: ${error.message.split("\n")[0]}`);
    }
  }
  throw new SetupError(`there is no Pulumi CLI ${oldestCli} or later, and none could be installed.

Tried:
${reasons.map((reason) => `- ${reason}`).join("\n")}

Install it as https://www.pulumi.com/docs/install/ says, so that \`pulumi\` is on PATH; or, where that site is out of
reach, install Go (https://go.dev/dl/) and run this again: it is then built from the Go module proxy.`);
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
    return await inPlace(version, (target) =>
      step(`installing Pulumi ${version} with its official installer`, async () => {
        const env = { ...process.env, NODE_USE_ENV_PROXY: "1" };
        const ended = await run(node, [installer, target], { env, timeoutMs: 10 * 60_000 });
        if (ended.code === 0) return;
        failure = ended.signal ? "took longer than 10 minutes" : tail(ended.output, 3);
        throw new Error(failure);
      }),
    );
  } catch (error) {
    if (failure === "") throw error;
    note(`the official installer does not work here: ${failure}`);
    return { failure };
  }
}

/**
 * Makes an installation in a temporary folder and moves it in as a whole.
 *
 * @param {string} version
 * @param {(target: string) => Promise<void>} make
 * @returns {Promise<Cli>}
 */
async function inPlace(version, make) {
  mkdirSync(versions, { recursive: true });
  const temporary = mkdtempSync(join(versions, ".set-up-"));
  try {
    chmodSync(temporary, 0o755);
    mkdirSync(join(temporary, "bin"));
    await make(temporary);
    const target = join(versions, version);
    // What is there was found to be no working CLI.
    rmSync(target, { recursive: true, force: true });
    renameSync(temporary, target);
    return { version, folder: join(target, "bin") };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * A CLI from PATH that cannot run Node.js programs (one somebody built with Go): a copy of it, to be completed.
 *
 * @param {Cli} cli
 * @returns {Promise<Cli>}
 */
async function adopt({ version, folder }) {
  const copy = join(versions, version, "bin");
  if (existsSync(join(copy, program)) && (await versionOf(copy)) === version) return { version, folder: copy };
  note(`${join(folder, program)} has no Node.js language host beside it: using a copy in ${versions}`);
  return inPlace(version, async (target) => {
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

/** What interrupted installations left; the lock is held, so nobody is working on it. */
function removeLeftovers() {
  if (!existsSync(versions)) return;
  for (const name of readdirSync(versions)) {
    if (name.startsWith(".set-up-")) rmSync(join(versions, name), { recursive: true, force: true });
  }
}
