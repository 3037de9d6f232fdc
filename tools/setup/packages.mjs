/** Installs the npm packages of the lock file when node_modules lacks one of them. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathWithoutPackages, readJson, repositoryLock, root } from "./layout.mjs";
import { withLock } from "./lock.mjs";
import { isAtLeast } from "./version-number.mjs";
import { oldestNode } from "./layout.mjs";
import { note, SetupError, step } from "./progress.mjs";
import { run, tail } from "./process.mjs";

const stamp = join(root, "node_modules", ".cache", "set-up", "packages");

/**
 * Installs the packages of the lock file when they are missing, incomplete or of another version.
 *
 * @throws {SetupError} when npm fails; the message has npm's last lines and says what to do
 */
export async function ensurePackages() {
  if (isUpToDate(packagesHash())) return;
  await withLock(repositoryLock, async () => {
    const hash = packagesHash();
    if (isUpToDate(hash)) return;
    if (!isComplete()) {
      await step("installing npm packages with `npm ci` (about 30 seconds)", installPackages);
    }
    mkdirSync(join(stamp, ".."), { recursive: true });
    writeFileSync(stamp, hash);
  });
}

/** The fields of package.json that determine node_modules. */
const packageFields = [
  "allowScripts",
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "overrides",
  "peerDependencies",
  "workspaces",
];

/**
 * @returns {string} a hash of the required packages and the platform
 */
export function packagesHash() {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  hash.update(readFileSync(join(root, "package-lock.json")));
  for (const file of ["package.json", ...workspaceManifests()]) {
    const manifest = readJson(file);
    hash.update(`\0${file}\0`).update(JSON.stringify(packageFields.map((field) => manifest[field])));
  }
  return hash.digest("hex");
}

/**
 * Returns true when an installation has the packages of a lock file. npm writes its list of installed packages last, so
 * an interrupted installation has no list.
 *
 * @param {{ packages: Record<string, LockedPackage> }} wanted package-lock.json
 * @param {{ packages: Record<string, LockedPackage> }} installed node_modules/.package-lock.json
 */
export function installationMatches(wanted, installed) {
  return Object.entries(wanted.packages).every(([path, { version, link, optional, peer }]) => {
    if (!path.startsWith("node_modules/")) return true;
    const found = installed.packages[path];
    return found ? Boolean(link) === Boolean(found.link) && version === found.version : Boolean(optional || peer);
  });
}

/** @typedef {{ version?: string, link?: boolean, optional?: boolean, peer?: boolean }} LockedPackage */

/** @param {string} hash */
function isUpToDate(hash) {
  if (!existsSync(join(root, "node_modules", ".package-lock.json"))) return false;
  try {
    return readFileSync(stamp, "utf8") === hash;
  } catch {
    return false;
  }
}

/** Returns true when all packages are installed, according to npm's list and to the folders on disk. */
function isComplete() {
  try {
    const installed = readJson("node_modules/.package-lock.json");
    const folders = Object.keys(installed.packages).filter((path) => path.startsWith("node_modules/"));
    return (
      installationMatches(readJson("package-lock.json"), installed) &&
      folders.every((path) => existsSync(join(root, path, "package.json")))
    );
  } catch {
    return false;
  }
}

function workspaceManifests() {
  const manifests = readdirSync(join(root, "examples")).map((name) => join("examples", name, "package.json"));
  return ["console/package.json", "hiveql/package.json", "service/package.json", ...manifests].filter((file) =>
    existsSync(join(root, file)),
  );
}

async function installPackages() {
  rmSync(stamp, { force: true });
  let ended = await npm(["ci"]);
  if (ended.code !== 0 && isMissingNodeBinary(ended.output)) {
    note(
      `the npm package \`node\` has no build for ${process.platform} ${process.arch}; ` +
        `using Node.js ${process.versions.node} instead`,
    );
    ended = await npm(["ci", "--ignore-scripts"]);
    if (ended.code === 0) ended = await npm(["rebuild", ...approvedScripts().filter((name) => name !== "node")]);
  }
  if (ended.code === 0 && isComplete()) return;
  if (ended.code === 0)
    throw new SetupError(`npm ci succeeded, but packages are missing in ${join(root, "node_modules")}:
another process has changed the folder at the same time. Run the command again.`);
  throw new SetupError(`npm could not install the packages of package-lock.json. npm's error:

${errorLines(ended.output)}

Fix the cause and run the command again; it continues from here. For a network or registry error, set your registry with
\`npm config set registry URL\`.`);
}

/**
 * npm's error begins with what is wrong and ends with general help.
 *
 * @param {string} output of a failed npm
 * @returns {string} the first lines of the error, or the last lines of an output without one
 */
export function errorLines(output) {
  const lines = output.split("\n").filter((line) => line.startsWith("npm error"));
  return lines.length > 0 ? lines.slice(0, 15).join("\n") : tail(output);
}

/** @param {string[]} args */
function npm(args) {
  const env = { ...process.env, PATH: pathWithoutPackages() };
  return run("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], { cwd: root, env });
}

/** @param {string} output of a failed npm */
function isMissingNodeBinary(output) {
  return output.includes("installArchSpecificPackage") && isAtLeast(process.versions.node, oldestNode);
}

/** @returns {string[]} the packages whose install scripts package.json approves */
function approvedScripts() {
  return Object.keys(readJson("package.json").allowScripts ?? {});
}
