/** Whether dist/ and service/dist/ are what the sources say: by content, so that a checkout or a touch costs nothing. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./layout.mjs";

const stamp = join(root, "node_modules", ".cache", "set-up", "build");
const results = ["dist/provider/index.js", "hiveql/dist/index.js", "service/dist/service/main.js"];
const inputs = [
  "contract",
  "storage",
  "hiveql",
  "provider",
  "service",
  "tsconfig.json",
  "package-lock.json",
  "tools/build",
];
const skipped = new Set(["node_modules", "dist"]);

/** @returns {string} changes when a source file, a compiler setting or a package changes */
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
    return results.every((file) => existsSync(join(root, file))) && readFileSync(stamp, "utf8") === hash;
  } catch {
    return false;
  }
}

/** @param {string} hash of the sources that were built */
export function markBuilt(hash) {
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
}

/** Before a build: until it has ended, nothing counts as built. */
export function markUnbuilt() {
  rmSync(stamp, { force: true });
}

/**
 * @param {string} path from the repository's folder
 * @returns {string[]}
 */
function filesOf(path) {
  if (!existsSync(join(root, path))) return [];
  if (/\.\w+$/.test(path)) return [path];
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesOf(`${path}/${entry.name}`);
    return [`${path}/${entry.name}`];
  });
}
