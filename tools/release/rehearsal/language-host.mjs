/** The language hosts of Pulumi that a CLI lacks which was built from its Go module. */
import { existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { buildGoProgram } from "../go-program.mjs";

/**
 * Returns a folder for PATH that has the language host; it is built where PATH has none.
 *
 * @param {"java" | "yaml"} language
 * @param {NodeJS.ProcessEnv} env
 * @param {string} folder of the rehearsal
 * @returns {Promise<string>}
 */
export async function ensureLanguageHost(language, env, folder) {
  const name = /** @type {const} */ (`pulumi-language-${language}`);
  const program = process.platform === "win32" ? `${name}.exe` : name;
  const there = String(env["PATH"])
    .split(delimiter)
    .find((each) => existsSync(join(each, program)));
  if (there !== undefined) return there;
  const work = join(folder, "language-hosts", language);
  mkdirSync(work, { recursive: true });
  await buildGoProgram(name, work);
  return work;
}
