/** What the steps of a release share: arguments, programs that must succeed, and checksums. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { root } from "../setup/layout.mjs";
import { run, tail } from "../setup/process.mjs";

/** The file of checksums that sign-off writes and every publication compares with. */
export const sumsFile = "SHA256SUMS";

/** A release that cannot go on; the message says what a person does. */
export class ReleaseError extends Error {}

/**
 * Runs the step of a script: its one argument is the release's folder. An error that a person must read is printed
 * without a stack.
 *
 * @param {(folder: string) => Promise<void>} step
 */
export async function runStep(step) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    console.error(`usage: ${process.argv[1]} FOLDER`);
    process.exit(2);
  }
  try {
    await step(resolve(folder));
  } catch (error) {
    if (!(error instanceof ReleaseError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<string>} its output
 */
export async function must(program, args, { cwd = root, env = process.env } = {}) {
  const { code, output } = await run(program, args, { cwd, env });
  if (code === 0) return output;
  const shown = args.filter((arg) => !/authorization/i.test(arg)).join(" ");
  throw new ReleaseError(`${program} ${shown} failed with exit code ${code}:\n${tail(output, 25)}`);
}

/**
 * @param {string} file
 * @param {"sha256" | "sha512" | "sha1" | "md5"} [algorithm]
 * @param {"hex" | "base64"} [encoding]
 */
export function digest(file, algorithm = "sha256", encoding = "hex") {
  return createHash(algorithm).update(readFileSync(file)).digest(encoding);
}

/**
 * @param {string} folder of a release
 * @returns {string[]} its files, relative and sorted, without the checksums
 */
export function releaseFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    )
    .filter((file) => file !== sumsFile)
    .toSorted();
}

/**
 * Refuses a folder that was not signed off, or has changed since.
 *
 * @param {string} folder
 */
export function requireSignedOff(folder) {
  const file = join(folder, sumsFile);
  if (!existsSync(file)) throw new ReleaseError(`${file} is missing: run sign-off.mjs for the folder first`);
  if (readFileSync(file, "utf8") !== checksums(folder))
    throw new ReleaseError(`the files of ${folder} are not those that were signed off: build the release again`);
}

/** @param {string} folder */
export function checksums(folder) {
  return releaseFiles(folder)
    .map((name) => `${digest(join(folder, name))}  ${name}\n`)
    .join("");
}
