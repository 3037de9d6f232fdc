/** Tells whether the dist/ folders are up to date, by a hash of the sources: a checkout or a touch needs no build. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./layout.mjs";

const stamp = join(root, "node_modules", ".cache", "set-up", "build");
const outputs = [
  "dist/provider/index.js",
  "hiveql/dist/index.js",
  "service/dist/service/main.js",
  "service/dist/console/index.html",
];
const inputs = [
  "contract",
  "storage",
  "hiveql",
  "provider",
  "service",
  "console",
  "openapi.json",
  "tsconfig.json",
  "package-lock.json",
  "tools/build",
];
const skippedFolders = new Set(["node_modules", "dist"]);

/** @returns {string} a hash of the source files, the compiler settings and the package versions */
export function sourcesHash() {
  const hash = createHash("sha256");
  for (const file of inputs.flatMap(filesOf).sort()) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}

/** @param {string} hash of the sources */
export function isBuilt(hash) {
  try {
    return outputs.every((file) => existsSync(join(root, file))) && readFileSync(stamp, "utf8") === hash;
  } catch {
    return false;
  }
}

/** @param {string} hash of the sources that were built */
export function markBuilt(hash) {
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
}

/** Deletes the stamp before a build, so that an interrupted build does not count. */
export function markUnbuilt() {
  rmSync(stamp, { force: true });
}

/**
 * @param {string} path relative to the repository's root
 * @returns {string[]}
 */
function filesOf(path) {
  if (!existsSync(join(root, path))) return [];
  if (/\.\w+$/.test(path)) return [path];
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : filesOf(`${path}/${entry.name}`);
    return [`${path}/${entry.name}`];
  });
}
