/**
 * Checks the scripts of every package.json. npm runs them in `sh` or in Windows' `cmd.exe`, so a script is one program
 * with plain arguments: no `exec`, no quotes, variables, patterns or redirections, no second command.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { packagePrograms, readJson } from "../setup/layout.mjs";

/** A word that both shells read as itself. */
const plainWord = /^[\w@.:/=-]+$/;
const installed = new Set(["node", "npm", "npx"]);

/**
 * @param {readonly string[]} manifests paths of package.json files
 * @returns {string[]} one line for each script that needs a shell of one system
 */
export function repositoryScriptProblems(manifests) {
  const programs = new Set([...installed, ...readdirSync(packagePrograms)]);
  return manifests.flatMap((file) =>
    scriptProblems(readJson(file).scripts ?? {}, programs).map(
      (problem) => `${file.split("\\").join("/")}: ${problem}`,
    ),
  );
}

/**
 * @param {Readonly<Record<string, string>>} scripts of one package.json
 * @param {ReadonlySet<string>} programs that are installed on every system
 * @returns {string[]}
 */
export function scriptProblems(scripts, programs) {
  return Object.entries(scripts).flatMap(([name, script]) => {
    const words = script.split(" ");
    const [program = ""] = words;
    const shell = words.find((word) => !plainWord.test(word)) ?? (/^\w+=/.test(program) ? program : undefined);
    if (shell !== undefined)
      return `the script ${name} has "${shell}", which not every shell reads as it is: write a program in scripts/`;
    if (!programs.has(program))
      return `the script ${name} begins with "${program}", which Windows has not: begin with node or a package's program`;
    return [];
  });
}

/** @returns {string[]} the paths of the repository's package.json files */
export function repositoryManifests() {
  const folders = /** @type {string[]} */ (readJson("package.json").workspaces).flatMap((folder) =>
    folder.endsWith("/*")
      ? readdirSync(join(packagePrograms, "../..", folder.slice(0, -2))).map((name) => folder.replace("*", name))
      : [folder],
  );
  return ["package.json", ...folders.map((folder) => `${folder}/package.json`)];
}
