/** The npm packages: what the lock file names is in node_modules, all of it, or is installed. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outsidePath, readJson, repositoryLock, root } from "./layout.mjs";
import { withLock } from "./lock.mjs";
import { isAtLeast } from "./version.mjs";
import { oldestNode } from "./layout.mjs";
import { note, SetupError, step } from "./progress.mjs";
import { run, tail } from "./process.mjs";

const stamp = join(root, "node_modules", ".cache", "set-up", "packages");

/**
 * Installs the packages of the lock file where they are missing, incomplete or not the ones it names.
 *
 * @throws {SetupError} with npm's last words and what to do
 */
export async function ensurePackages() {
  if (isStamped(packagesHash())) return;
  await withLock(repositoryLock, async () => {
    const hash = packagesHash();
    if (isStamped(hash)) return;
    if (!isComplete()) {
      await step("installing the npm packages of package-lock.json (about half a minute)", installPackages);
    }
    mkdirSync(join(stamp, ".."), { recursive: true });
    writeFileSync(stamp, hash);
  });
}

/** What a package.json says about packages; its other fields change nothing in node_modules. */
const aboutPackages = [
  "allowScripts",
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "overrides",
  "peerDependencies",
  "workspaces",
];

/**
 * @returns {string} changes when other packages are wanted, or the same for another platform
 */
export function packagesHash() {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
  hash.update(readFileSync(join(root, "package-lock.json")));
  for (const file of ["package.json", ...workspaceManifests()]) {
    const manifest = readJson(file);
    hash.update(`\0${file}\0`).update(JSON.stringify(aboutPackages.map((field) => manifest[field])));
  }
  return hash.digest("hex");
}

/**
 * Whether an installation holds what a lock file asks for. npm writes the installation's own list last of all, so an
 * interrupted one has none.
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
function isStamped(hash) {
  if (!existsSync(join(root, "node_modules", ".package-lock.json"))) return false;
  try {
    return readFileSync(stamp, "utf8") === hash;
  } catch {
    return false;
  }
}

/** Whether everything is there: by the installation's own list, and by what lies in the folders. */
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
  return ["hiveql/package.json", "service/package.json", ...manifests].filter((file) => existsSync(join(root, file)));
}

async function installPackages() {
  rmSync(stamp, { force: true });
  let ended = await npm(["ci"]);
  if (ended.code !== 0 && isMissingNodeBinary(ended.output)) {
    note(`npm has no Node for ${process.platform} ${process.arch}; using Node ${process.versions.node}`);
    ended = await npm(["ci", "--ignore-scripts"]);
    if (ended.code === 0) ended = await npm(["rebuild", ...approvedScripts().filter((name) => name !== "node")]);
  }
  if (ended.code === 0 && isComplete()) return;
  if (ended.code === 0)
    throw new SetupError(`npm has ended well, but packages are missing in ${join(root, "node_modules")}:
somebody else has changed it meanwhile. Run the command again.`);
  throw new SetupError(`the npm packages could not be installed; npm said:

${tail(ended.output)}

Look at npm's message; where it is about the network or the registry, set your registry with
\`npm config set registry URL\` and run the command again. It goes on from here.`);
}

/** @param {string[]} args */
function npm(args) {
  const env = { ...process.env, PATH: outsidePath() };
  return run("npm", [...args, "--no-audit", "--no-fund", "--loglevel=error"], { cwd: root, env });
}

/** @param {string} output of an npm that failed */
function isMissingNodeBinary(output) {
  return output.includes("installArchSpecificPackage") && isAtLeast(process.versions.node, oldestNode);
}

/** @returns {string[]} the packages whose install scripts package.json approves */
function approvedScripts() {
  return Object.keys(readJson("package.json").allowScripts ?? {});
}
