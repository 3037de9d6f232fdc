/** Checks what the registries need of the published packages' package.json files. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readJson, root } from "../setup/layout.mjs";
import { npmPackages } from "../release/packages.mjs";

/** @returns {string[]} one line for each field that is missing or wrong */
export function manifestProblems() {
  const main = readJson("package.json");
  return npmPackages.flatMap(({ folder, name }) => {
    const file = folder === "." ? "package.json" : `${folder}/package.json`;
    const manifest = readJson(file);
    return [
      ...problemsOf(manifest, { name, folder, main }),
      ...programProblems(folder, manifest.bin ?? {}),
      ...(existsSync(join(root, folder, "LICENSE")) ? [] : [`LICENSE is missing beside it`]),
      ...(existsSync(join(root, folder, "README.md")) ? [] : [`README.md is missing beside it: npm shows it`]),
    ].map((problem) => `${file}: ${problem}`);
  });
}

/**
 * @param {any} manifest
 * @param {{ name: string, folder: string, main: any }} expected
 * @returns {string[]}
 */
export function problemsOf(manifest, { name, folder, main }) {
  const directory = folder === "." ? undefined : folder;
  const same = /** @type {const} */ (["version", "license", "homepage", "bugs"]);
  return [
    ...(manifest.name === name ? [] : [`the name is ${manifest.name}, and ${name} in tools/release/packages.mjs`]),
    ...(manifest.repository?.url === main.repository.url && manifest.repository?.directory === directory
      ? []
      : [`repository is not that of the root package with "directory": "${folder}", which provenance compares`]),
    ...same.filter((field) => manifest[field] !== main[field]).map((field) => `${field} is not that of package.json`),
    ...(manifest.engines?.node === main.engines.node ? [] : ["engines.node is not that of package.json"]),
    ...(Array.isArray(manifest.files) && manifest.files.length > 0
      ? []
      : ["files is missing: all files would be packed"]),
    ...(manifest.private ? ["private is set, so npm refuses to publish it"] : []),
    ...(manifest.publishConfig?.access === "public" ? [] : ['publishConfig has no "access": "public"']),
  ];
}

/**
 * @param {string} folder
 * @param {Readonly<Record<string, string>>} programs of the built package
 * @returns {string[]}
 */
function programProblems(folder, programs) {
  return Object.entries(programs).flatMap(([name, file]) => {
    const [shebang] = readFileSync(join(root, folder, file), "utf8").split("\n", 1);
    return shebang === "#!/usr/bin/env node"
      ? []
      : [
          `the program ${name} begins with "${shebang}": begin with "#!/usr/bin/env node", as Alpine's env has no options`,
        ];
  });
}
