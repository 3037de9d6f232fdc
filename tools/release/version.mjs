/**
 * Sets the next version and writes CHANGELOG.md from the notes in `.changeset/`; the release's pull request contains
 * these changes. Changesets sets versions of workspaces only, and pulumi-dag is the root: notes therefore name
 * dag-service, hiveql-duckdb follows its version, and this script copies version and changelog entries to pulumi-dag.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packagePrograms, readJson, root } from "../setup/layout.mjs";
import { run } from "../setup/process.mjs";

const before = String(readJson("service/package.json").version);
await runOrThrow(join(packagePrograms, "changeset"), ["version"]);
const version = String(readJson("service/package.json").version);
if (version === before) {
  console.error("no release notes in .changeset/: add one with `npx changeset`");
  process.exit(1);
}

edit("package.json", (text) => text.replace(/"version": "[^"]*"/, `"version": "${version}"`));
const entries = readFileSync(join(root, "service/CHANGELOG.md"), "utf8").replace(/^# .*\n+/, "");
for (const folder of ["service", "hiveql"]) rmSync(join(root, folder, "CHANGELOG.md"), { force: true });
// The newest entry comes after the introduction.
edit("CHANGELOG.md", (text) => {
  const [introduction = "", ...older] = text.split(/^(?=## )/m);
  return [`${introduction.trimEnd()}\n\n`, `${entries.trimEnd()}\n`, ...older.map((entry) => `\n${entry}`)].join("");
});
await runOrThrow("npm", ["install", "--package-lock-only", "--no-audit"]);
await runOrThrow("npm", ["run", "build"]);
await runOrThrow("npm", ["run", "generate"]);
console.log(version);

/**
 * @param {string} path
 * @param {(text: string) => string} change
 */
function edit(path, change) {
  const file = join(root, path);
  writeFileSync(file, change(readFileSync(file, "utf8")));
}

/**
 * @param {string} program
 * @param {string[]} args
 */
async function runOrThrow(program, args) {
  const { code, output } = await run(program, args, { cwd: root });
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed with exit code ${code}:\n${output}`);
}
