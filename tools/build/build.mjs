/**
 * Builds the three packages: compiles TypeScript to each dist/ folder, bundles the HiveQL grammar into each, bundles the
 * provider's processes, and builds the console into the service.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { build as buildPages } from "vite";
import { bundleOptions } from "./bundle-options.mjs";
import { repositoryLock, root } from "../setup/layout.mjs";
import { withLock } from "../setup/lock.mjs";
import { run } from "../setup/process.mjs";
import { bundleProcesses } from "./processes.mjs";
import { isBuilt, markBuilt, markUnbuilt, sourcesHash } from "../setup/build-stamp.mjs";

/** The compiler runs; `buildInfo` is the file in which the compiler records its outputs for incremental builds. */
const projects = [
  { config: "service/tsconfig.json", dist: "service/dist", sources: ".", buildInfo: "service.tsbuildinfo" },
  { config: "provider/tsconfig.json", dist: "dist", sources: ".", buildInfo: "provider.tsbuildinfo" },
  { config: "hiveql/tsconfig.json", dist: "hiveql/dist", sources: "hiveql", buildInfo: "hiveql.tsbuildinfo" },
];
const grammars = [
  "dist/hiveql/syntax/grammar.js",
  "service/dist/hiveql/syntax/grammar.js",
  "hiveql/dist/syntax/grammar.js",
];

/**
 * Builds all packages, one build at a time.
 *
 * @param {{ ifChanged: boolean }} options `ifChanged` skips the build when no source has changed since the last one
 * @returns {Promise<boolean>} true when everything compiled; the compiler's errors are printed
 */
export function buildPackages({ ifChanged }) {
  return withLock(repositoryLock, async () => {
    const hash = sourcesHash();
    if (ifChanged && isBuilt(hash)) return true;
    markUnbuilt();
    const compiled = await Promise.all(projects.map(compile));
    await bundleGrammar();
    if (compiled.every(Boolean)) await bundleProcesses();
    await buildConsole();
    const succeeded = compiled.every(Boolean);
    if (succeeded) markBuilt(hash);
    return succeeded;
  });
}

/** @param {(typeof projects)[number]} project */
async function compile({ config, dist, sources, buildInfo }) {
  // With an old build info, the compiler does not rewrite outputs that were deleted since.
  if (!existsSync(join(root, dist))) rmSync(join(root, "node_modules/.cache", buildInfo), { force: true });
  removeStaleOutputs(join(root, dist), join(root, sources));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { code, output } = await run(process.execPath, [tsc, "-p", config, "--pretty", "false"], {
    cwd: root,
  });
  process.stdout.write(output);
  return code === 0;
}

/**
 * Deletes outputs of earlier builds whose source file no longer exists.
 *
 * @param {string} dist
 * @param {string} sources
 */
function removeStaleOutputs(dist, sources) {
  if (!existsSync(dist)) return;
  for (const entry of readdirSync(dist, { withFileTypes: true })) {
    const built = join(dist, entry.name);
    const source = join(sources, entry.name.replace(/\.(?:d\.ts|js)(?:\.map)?$/, ".ts"));
    if (!existsSync(source)) rmSync(built, { recursive: true });
    else if (entry.isDirectory()) removeStaleOutputs(built, source);
  }
}

/**
 * Bundles the used part of dt-sql-parser with the grammar, because Node.js cannot import dt-sql-parser's modules. The
 * declarations beside it name its classes only: users of the packages do not have dt-sql-parser.
 */
async function bundleGrammar() {
  const grammar = join(root, "hiveql/syntax/grammar.ts");
  for (const file of grammars) writeGrammarDeclarations(join(root, dirname(file)));
  for (const outfile of grammars) {
    await build({
      entryPoints: [grammar],
      outfile: join(root, outfile),
      ...bundleOptions,
    });
  }
}

/**
 * Writes grammar.d.ts with the classes that the declarations beside it use.
 *
 * @param {string} folder
 */
function writeGrammarDeclarations(folder) {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".d.ts"))
    .flatMap((name) => [
      ...readFileSync(join(folder, name), "utf8").matchAll(/import (?:type )?\{([^}]*)\} from "\.\/grammar"/g),
    ])
    .flatMap(([, list = ""]) => list.split(",").map((each) => each.replace("type ", "").trim()));
  const classes = [...new Set(names)].filter(Boolean).toSorted();
  const lines = classes.map((name) => `export declare class ${name} {\n  private readonly grammar;\n}`);
  const header = "/** The parse tree of the bundled grammar. Its classes are not part of the package's interface. */";
  writeFileSync(join(folder, "grammar.d.ts"), `${[header, ...lines].join("\n")}\n`);
}

/** Builds the console to service/dist/console, with the API's description beside it. */
async function buildConsole() {
  await buildPages({ configFile: join(root, "console/vite.config.mts") });
  copyFileSync(join(root, "openapi.json"), join(root, "service/dist/console/openapi.json"));
}
