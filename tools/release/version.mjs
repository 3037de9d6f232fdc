/**
 * Sets the next version and writes CHANGELOG.md, from the notes in `.changeset/`; the release's pull request is made of
 * what this changes. Changesets versions workspaces only, and pulumi-dag is the root: notes name dag-service, and
 * pulumi-dag takes over its version and entries, so that the two always fit.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packagePrograms, readJson, root } from "../setup/layout.mjs";
import { run } from "../setup/process.mjs";

const before = String(readJson("service/package.json").version);
await must(join(packagePrograms, "changeset"), ["version"]);
const version = String(readJson("service/package.json").version);
if (version === before) {
  console.error("there are no notes in .changeset/: add one with `npx changeset`");
  process.exit(1);
}

edit("package.json", (text) => text.replace(/"version": "[^"]*"/, `"version": "${version}"`));
const entries = readFileSync(join(root, "service/CHANGELOG.md"), "utf8").replace(/^# .*\n+/, "");
rmSync(join(root, "service/CHANGELOG.md"));
// The introduction stays at the top, the newest entry follows it.
edit("CHANGELOG.md", (text) => {
  const [introduction = "", ...older] = text.split(/^(?=## )/m);
  return [`${introduction.trimEnd()}\n\n`, `${entries.trimEnd()}\n`, ...older.map((entry) => `\n${entry}`)].join("");
});
await must("npm", ["install", "--package-lock-only", "--no-audit"]);
await must("npm", ["run", "build"]);
await must("npm", ["run", "schema"]);
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
async function must(program, args) {
  const { code, output } = await run(program, args, { cwd: root });
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}:\n${output}`);
}
