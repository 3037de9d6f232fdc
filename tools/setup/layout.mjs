/** Paths of the repository, and PATH without the programs of its npm packages. */
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root folder of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");

/** The folder of the programs of the npm packages; Node.js 24 is one of them. */
export const packagePrograms = join(root, "node_modules", ".bin");

/** The lock file that is held while packages are installed or sources are built. */
export const repositoryLock = join(root, ".setup.lock");

/** The oldest Node.js that the packages support (`engines` in package.json). */
export const oldestNode = "22.19.0";

/**
 * @param {string} path of a JSON file, relative to the repository's root
 * @returns {any}
 */
export function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

/**
 * Returns PATH without the programs of the npm packages: `npm ci` deletes these programs while it may be using them.
 *
 * @param {string | undefined} path
 * @returns {string} ends with the folder of the running Node.js when that is not a package, so that `node` is on PATH
 */
export function pathWithoutPackages(path = process.env["PATH"]) {
  const outside = (path ?? "").split(delimiter).filter((folder) => folder && !folder.startsWith(packagePrograms));
  const own = dirname(process.execPath);
  return [...outside, ...(own.startsWith(root) ? [] : [own])].join(delimiter);
}

/**
 * Returns the environment with the folders first on PATH.
 *
 * @param {readonly string[]} folders
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {NodeJS.ProcessEnv}
 */
export function withPath(folders, env = process.env) {
  const name = Object.keys(env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  const rest = (env[name] ?? "").split(delimiter).filter((folder) => folder && !folders.includes(folder));
  return { ...env, [name]: [...folders, ...rest].join(delimiter) };
}
