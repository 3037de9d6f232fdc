/** Builds the three packages: TypeScript to each package's dist/, then the HiveQL grammar as one plain file in each. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { repositoryLock, root } from "../setup/layout.mjs";
import { withLock } from "../setup/lock.mjs";
import { run } from "../setup/process.mjs";
import { isBuilt, markBuilt, markUnbuilt, sourcesHash } from "../setup/sources.mjs";

/** One compiler run: what it reads, what it writes, and its record of what it wrote. */
const projects = [
  { config: "service/tsconfig.json", dist: "service/dist", sources: ".", record: "service.tsbuildinfo" },
  { config: "provider/tsconfig.json", dist: "dist", sources: ".", record: "provider.tsbuildinfo" },
  { config: "hiveql/tsconfig.json", dist: "hiveql/dist", sources: "hiveql", record: "hiveql.tsbuildinfo" },
];
const grammars = [
  "dist/hiveql/syntax/grammar.js",
  "service/dist/hiveql/syntax/grammar.js",
  "hiveql/dist/syntax/grammar.js",
];

/**
 * Builds all packages. Two builds at once take turns.
 *
 * @param {{ ifChanged: boolean }} options with `ifChanged`, nothing is done when the sources are those of the last build
 * @returns {Promise<boolean>} whether everything compiled; what did not is printed
 */
export function buildPackages({ ifChanged }) {
  return withLock(repositoryLock, async () => {
    const hash = sourcesHash();
    if (ifChanged && isBuilt(hash)) return true;
    markUnbuilt();
    const compiled = await Promise.all(projects.map(compile));
    await bundleGrammar();
    const succeeded = compiled.every(Boolean);
    if (succeeded) markBuilt(hash);
    return succeeded;
  });
}

/** @param {(typeof projects)[number]} project */
async function compile({ config, dist, sources, record }) {
  // The compiler trusts its record of what it has written, even where somebody has deleted it since.
  if (!existsSync(join(root, dist))) rmSync(join(root, "node_modules/.cache", record), { force: true });
  removeOrphans(join(root, dist), join(root, sources));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { code, output } = await run(process.execPath, [tsc, "-p", config, "--pretty", "false"], {
    cwd: root,
  });
  process.stdout.write(output);
  return code === 0;
}

/**
 * Deletes what earlier builds wrote for sources that are gone.
 *
 * @param {string} dist
 * @param {string} sources
 */
function removeOrphans(dist, sources) {
  if (!existsSync(dist)) return;
  for (const entry of readdirSync(dist, { withFileTypes: true })) {
    const built = join(dist, entry.name);
    const source = join(sources, entry.name.replace(/\.(?:d\.ts|js)(?:\.map)?$/, ".ts"));
    if (!existsSync(source)) rmSync(built, { recursive: true });
    else if (entry.isDirectory()) removeOrphans(built, source);
  }
}

/** dt-sql-parser's own modules cannot be imported by plain Node, so what we use of it is bundled. */
async function bundleGrammar() {
  const grammar = join(root, "hiveql/syntax/grammar.ts");
  for (const outfile of grammars) {
    await build({
      entryPoints: [grammar],
      outfile: join(root, outfile),
      bundle: true,
      format: "cjs",
      platform: "node",
      target: "node22",
      minifyWhitespace: true,
      legalComments: "eof",
      logLevel: "warning",
    });
  }
}
