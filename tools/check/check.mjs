/** The quick checks of `npm run check`: static checks of the repository, in under 30 seconds. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { packagePrograms, root } from "../setup/layout.mjs";
import { run } from "../setup/process.mjs";
import { formatDuration } from "../setup/progress.mjs";
import { npmPackages } from "../release/packages.mjs";
import { behaviourProblems } from "./behaviours.mjs";
import { documentProblems } from "./documents.mjs";
import { manifestProblems } from "./manifests.mjs";
import { measuredNotices } from "./measured.mjs";
import { repositoryManifests, repositoryScriptProblems } from "./scripts.mjs";
import { siteProblems } from "./site.mjs";

/** @typedef {{ code: number | null, output: string }} Result */
/** @typedef {{ name: string, check: () => Promise<Result> }} Step */

/** @type {Step[]} the slowest first */
const steps = [
  { name: "types", check: () => tool("tsc", "-p", "tsconfig.json", "--pretty", "false") },
  { name: "types: site", check: () => tool("tsc", "-p", "docs/.vitepress/tsconfig.json", "--pretty", "false") },
  { name: "types: console", check: () => tool("tsc", "-p", "console/tsconfig.json", "--pretty", "false") },
  { name: "package shape: pulumi-dag", check: () => packageShape(".") },
  { name: "package shape: dag-service", check: () => packageShape("service") },
  { name: "import direction", check: () => tool("depcruise", ...cruiserArguments()) },
  { name: "package shape: hiveql-duckdb", check: () => packageShape("hiveql") },
  { name: "dead code", check: () => tool("knip", "--no-progress") },
  {
    name: "generated files in sync",
    check: () => run(process.execPath, ["scripts/generate.mts", "--check"], { cwd: root }),
  },
  { name: "lint", check: () => tool("oxlint") },
  { name: "format", check: () => tool("oxfmt", "--check") },
  { name: "documents name what exists", check: documents },
  { name: "docs/api-support.md names the contract tests", check: behaviours },
  { name: "package.json: scripts run on every system, published packages are complete", check: manifests },
  { name: "release notes name packages that changesets can release", check: releaseNotes },
  { name: "lock file: can be installed, and names no registry", check: lockFile },
];

/**
 * Runs every check and prints one line for each; a failed check also prints its output.
 *
 * @returns {Promise<boolean>} true when all checks passed
 */
export async function runChecks() {
  const failed = await runAll(Math.max(2, availableParallelism()));
  for (const line of await measuredNotices()) console.log(`notice docs/performance.md: ${line}`);
  if (failed > 0) console.error(`\n${failed} of ${steps.length} checks failed`);
  return failed === 0;
}

/**
 * @param {number} concurrency
 * @returns {Promise<number>} the number of failed checks
 */
async function runAll(concurrency) {
  const waiting = [...steps];
  let failures = 0;
  const worker = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const started = Date.now();
      const { code, output } = await step.check();
      const took = formatDuration(Date.now() - started);
      console.log(`${code === 0 ? "ok    " : "FAILED"} ${step.name} (${took})`);
      if (code === 0) continue;
      failures++;
      console.log(`${output.trimEnd().replace(/^/gm, "       ")}\n`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return failures;
}

/**
 * @param {string} name of a program in node_modules/.bin
 * @param {string[]} args
 * @returns {Promise<Result>}
 */
function tool(name, ...args) {
  return run(join(packagePrograms, name), args, {
    cwd: root,
    env: { ...process.env, FORCE_COLOR: "0", NO_COLOR: "1" },
  });
}

/** The published workspaces; pulumi-dag is the root package, which changesets does not know. */
const releasable = new Set(npmPackages.filter(({ folder }) => folder !== ".").map(({ name }) => name));

const packages = ["contract", "storage", "hiveql", "provider", "service", "console"];

function cruiserArguments() {
  const examples = readdirSync(join(root, "examples")).map((name) => `examples/${name}`);
  return ["--config", ".dependency-cruiser.cjs", ...packages, "tools", "scripts", "test", ...examples];
}

/**
 * Checks the package as npm packs it: every entry point exists and has matching types in every module system.
 *
 * @param {string} folder of the package
 * @returns {Promise<Result>}
 */
async function packageShape(folder) {
  const target = mkdtempSync(join(tmpdir(), "pulumi-dag-check-"));
  try {
    const packed = await run("npm", ["pack", "--pack-destination", target, "--loglevel=error"], {
      cwd: join(root, folder),
    });
    const [tarball] = readdirSync(target);
    if (packed.code !== 0 || !tarball) return packed;
    const file = join(target, tarball);
    const shape = await tool("publint", "run", file, "--strict", "--pack=false");
    if (shape.code !== 0) return shape;
    const types = await tool("attw", file, "--format", "ascii", "--profile", "node16");
    return types.code === 0 ? await publishable(file) : types;
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}

/**
 * Lets npm do all of a publication but the upload; what npm would correct on its way is a failure.
 *
 * @param {string} file
 * @returns {Promise<Result>}
 */
async function publishable(file) {
  const { code, output } = await run("npm", ["publish", "--dry-run", "--offline", "--tag", "next", file], {
    cwd: root,
  });
  const corrected = output.includes("npm warn publish npm auto-corrected");
  return { code: corrected ? 1 : code, output };
}

/** @returns {Promise<Result>} */
async function documents() {
  return resultOf([...(await documentProblems()), ...siteProblems()]);
}

/** @returns {Promise<Result>} */
async function behaviours() {
  return resultOf(await behaviourProblems());
}

/** @returns {Promise<Result>} */
function manifests() {
  return Promise.resolve(resultOf([...repositoryScriptProblems(repositoryManifests()), ...manifestProblems()]));
}

/** @returns {Promise<Result>} */
async function lockFile() {
  const installable = await run("npm", ["ci", "--dry-run", "--offline", "--loglevel=error"], { cwd: root });
  if (installable.code !== 0) return installable;
  const lines = readFileSync(join(root, "package-lock.json"), "utf8").split("\n");
  const named = lines.filter((line) => /"resolved": "https?:/.test(line));
  return { code: named.length === 0 ? 0 : 1, output: named.join("\n") };
}

/**
 * Checks which package each note in `.changeset/` names: changesets knows workspaces only, and stops at the first note
 * that names another package. pulumi-dag is the root package, so its notes name dag-service (tools/release/version.mjs).
 *
 * @returns {Promise<Result>}
 */
async function releaseNotes() {
  const folder = join(root, ".changeset");
  const problems = readdirSync(folder)
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) => {
      const [, header = ""] = readFileSync(join(folder, file), "utf8").split(/^---$/m);
      const named = header.split("\n").flatMap((line) => /^"?([^":]+)"?:/.exec(line.trim())?.[1] ?? []);
      if (named.length === 0) return [`.changeset/${file} names no package: begin it with "dag-service": minor`];
      const wrong = named.filter((name, index) => !releasable.has(name) || named.indexOf(name) !== index);
      return wrong.map((name) => `.changeset/${file} names ${name}: name dag-service once, whose version all have`);
    });
  return resultOf(problems);
}

/**
 * @param {readonly string[]} problems one line each
 * @returns {Result}
 */
function resultOf(problems) {
  return { code: problems.length === 0 ? 0 : 1, output: problems.join("\n") };
}
