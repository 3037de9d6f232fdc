/** The upper layers of the image: Node.js, the packages that dag-service needs, and dag-service as npm packs it. */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { releaseVersion, tarballName } from "../release/packages.mjs";
import { must } from "../release/step.mjs";
import { root } from "../setup/layout.mjs";

const home = "opt/dag-service/node_modules";

/** The program that the image starts, and the config that a deployment puts its own in place of. */
export const program = "/usr/local/bin/dag-service";
export const configFile = "/etc/dag/dag.yaml";

/** `env`, which a package's own first line asks for, is not in the image. */
const launcher = `#!/usr/local/bin/node\nrequire("/${home}/dag-service/dist/service/main.js");\n`;
const config = "# A deployment mounts its own config here.\nlisten: 0.0.0.0:9393\ndata: /data\n";

/**
 * Writes the Node.js that runs this program.
 *
 * @param {string} into
 */
export function writeNode(into) {
  const folder = join(into, "usr/local/bin");
  mkdirSync(folder, { recursive: true });
  copyFileSync(process.execPath, join(folder, "node"));
  chmodSync(join(folder, "node"), 0o755);
}

/**
 * Writes the packages that dag-service depends on, in the versions of the lock file, as they are installed here.
 *
 * @param {string} into
 */
export function writeDependencies(into) {
  for (const folder of dependencyFolders(join(root, "service"))) {
    const path = relative(root, folder).replace(/^service\//, "node_modules/dag-service/");
    const own = join(folder, "node_modules");
    const target = join(into, "opt/dag-service", path);
    cpSync(folder, target, { recursive: true, verbatimSymlinks: true, filter: (source) => source !== own });
  }
}

/**
 * Writes dag-service, its command and its config.
 *
 * @param {string} into
 */
export async function writeService(into) {
  const work = mkdtempSync(join(tmpdir(), "pulumi-dag-image-"));
  try {
    await must("npm", ["pack", "--ignore-scripts", "--pack-destination", work, "--loglevel=error"], {
      cwd: join(root, "service"),
    });
    await must("tar", ["-xzf", tarballName("dag-service", releaseVersion())], { cwd: work });
    cpSync(join(work, "package"), join(into, home, "dag-service"), { recursive: true });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  for (const [path, text, mode] of /** @type {const} */ ([
    [program, launcher, 0o755],
    [configFile, config, 0o644],
  ])) {
    mkdirSync(dirname(join(into, path)), { recursive: true });
    writeFileSync(join(into, path), text);
    chmodSync(join(into, path), mode);
  }
}

/**
 * @param {string} start folder of a package
 * @returns {string[]} the folders of the packages that it needs on this platform, sorted
 */
function dependencyFolders(start) {
  /** @type {Set<string>} */
  const found = new Set();
  const waiting = [start];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const optional = { ...manifest.optionalDependencies, ...manifest.peerDependencies };
    for (const name of Object.keys({ ...manifest.dependencies, ...optional })) {
      const needed = installedFolder(folder, name);
      if (needed === undefined && !(name in optional))
        throw new Error(`${name}, which ${folder} needs, is not installed`);
      if (needed === undefined || found.has(needed)) continue;
      found.add(needed);
      waiting.push(needed);
    }
  }
  return [...found].toSorted();
}

/**
 * @param {string} from
 * @param {string} name
 * @returns {string | undefined} where Node.js finds a package
 */
function installedFolder(from, name) {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return candidate;
  }
  return undefined;
}
