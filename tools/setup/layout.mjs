/** Where things are: paths of the repository, and PATH without the repository's own programs. */
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's folder. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");

/** The folder of the programs that the npm packages bring, Node 24 among them. */
export const packagePrograms = join(root, "node_modules", ".bin");

/** The lock under which packages are installed and sources are built. */
export const repositoryLock = join(root, ".setup.lock");

/** The oldest Node that the packages run on (`engines` in package.json). */
export const oldestNode = "22.19.0";

/**
 * @param {string} path a JSON file, from the repository's folder
 * @returns {any}
 */
export function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

/**
 * PATH as it is outside the repository: the packages' programs would vanish under an `npm ci` that uses them.
 *
 * @param {string | undefined} path
 * @returns {string} ends with the folder of the running Node, so that there always is one
 */
export function outsidePath(path = process.env["PATH"]) {
  const outside = (path ?? "").split(delimiter).filter((folder) => folder && !folder.startsWith(packagePrograms));
  const own = dirname(process.execPath);
  return [...outside, ...(own.startsWith(root) ? [] : [own])].join(delimiter);
}

/**
 * The environment with folders put first on PATH.
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
