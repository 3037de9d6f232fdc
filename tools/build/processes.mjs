/** Makes processes start quickly: one file instead of hundreds, and the HiveQL parser only when needed. */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { bundleOptions } from "./bundle-options.mjs";
import { root } from "../setup/layout.mjs";

/** The modules with which the provider's processes start, in dist/ and as sources. */
const entries = ["provider/dynamic/handlers", "provider/plugin/main"];

/** The module with which the service's engine processes start, in service/dist/ and as a source. */
const engineEntry = "service/engines/duckdb/process/worker";

/** What engine processes load when it is first used: it is their largest part. Each file of hiveql/syntax, with its uses. */
const loadedLate = {
  "./parse": ["parseStatement"],
  "./read-statement": ["readStatement"],
  "./tables": ["tablesRead"],
  "./check-statement": ["checkStatement"],
};

/** Bundles the processes of the provider and the engine processes of the service. */
export async function bundleProcesses() {
  await bundleProvider();
  await bundleEngine();
}

/**
 * Bundles the engine process. `@duckdb/node-api` is in the bundle: every process needs it, and it has many files. The
 * other packages are loaded where they are needed.
 */
async function bundleEngine() {
  const { metafile } = await build({
    entryPoints: [join(root, `${engineEntry}.ts`)],
    outfile: join(root, "service/dist", `${engineEntry}.bundle.js`),
    ...bundleOptions,
    external: ["@duckdb/node-bindings", "@aws-sdk/*", "@smithy/*"],
    plugins: [
      { name: "syntax", setup: loadSyntaxLate },
      { name: "api", setup: leaveOutApi },
    ],
    metafile: true,
  });
  for (const [file, { imports }] of Object.entries(metafile.inputs)) {
    if (imports.some(({ original }) => original === "zod")) {
      throw new Error(`${file} imports zod, which every engine process would load: move what needs it to another file`);
    }
  }
  const text = `"use strict";\nrequire("../../../compile-cache.js");\nrequire("./worker.bundle.js");\n`;
  writeFileSync(join(root, "service/dist", `${engineEntry}.js`), text);
}

/** @param {import("esbuild").PluginBuild} bundle */
function loadSyntaxLate(bundle) {
  const index = join(root, "hiveql/syntax/index.ts");
  const namespace = "loaded-late";
  bundle.onResolve({ filter: /^\.\// }, ({ path, importer }) =>
    importer === index && path in loadedLate ? { path, namespace } : undefined,
  );
  bundle.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
    contents: loadedLate[/** @type {keyof typeof loadedLate} */ (path)]
      .map(
        (name) =>
          `Object.defineProperty(exports, "${name}", { enumerable: true, get: () => require("${path}").${name} });`,
      )
      .join("\n"),
    resolveDir: dirname(index),
  }));
}

/**
 * Leaves out the modules of the contract that need zod, which describe the API: engine processes use none of them.
 *
 * @param {import("esbuild").PluginBuild} bundle
 */
function leaveOutApi(bundle) {
  const folder = join(root, "contract");
  bundle.onLoad({ filter: /\/contract\/index\.ts$/ }, ({ path }) => {
    const lines = readFileSync(path, "utf8").split("\n");
    const needsZod = (/** @type {string | undefined} */ name) =>
      name !== undefined && /from "(zod|\.\/fields)"/.test(readFileSync(join(folder, `${name}.ts`), "utf8"));
    const kept = lines.filter((line) => !needsZod(/from "\.\/(.*)"/.exec(line)?.[1]));
    return { contents: kept.join("\n"), loader: "ts", resolveDir: folder };
  });
}

/**
 * Bundles the entries, each to `<entry>.bundle.js`, which `<entry>.js` loads with Node's compile cache. Packages stay
 * apart, so that users get their updates.
 */
async function bundleProvider() {
  await loadSyntaxLazily();
  for (const entry of entries) {
    await build({
      entryPoints: [join(root, `${entry}.ts`)],
      outfile: join(root, "dist", `${entry}.bundle.js`),
      ...bundleOptions,
      packages: "external",
      plugins: [{ name: "syntax", setup: keepSyntaxApart }],
    });
    const name = entry.split("/").at(-1);
    // An older Node.js has no compile cache, and says so first.
    const text = `"use strict";\nrequire("../client/require-node.js");\nrequire("../pulumi-engine/compile-cache.js");\nmodule.exports = require("./${name}.bundle.js");\n`;
    writeFileSync(join(root, "dist", `${entry}.js`), text);
  }
}

/**
 * Every entry is two folders below dist/.
 *
 * @param {import("esbuild").PluginBuild} bundle
 */
function keepSyntaxApart(bundle) {
  bundle.onResolve({ filter: /\/hiveql\/syntax(\/index\.js)?$/ }, () => ({
    path: "../../hiveql/syntax/index.js",
    external: true,
  }));
}

/** Makes dist/hiveql/syntax load its modules, and with them the grammar, when one of its functions is first used. */
async function loadSyntaxLazily() {
  const folder = join(root, "dist/hiveql/syntax");
  const all = join(folder, "all.js");
  await build({ entryPoints: [join(root, "hiveql/syntax/index.ts")], outfile: all, format: "cjs", platform: "node" });
  const names = Object.keys(createRequire(import.meta.url)(all));
  const getters = names.map(
    (name) =>
      `Object.defineProperty(exports, "${name}", { enumerable: true, get: () => require("./all.js").${name} });`,
  );
  // The last line names the exports for Node's import of CommonJS modules.
  const lines = ['"use strict";', ...getters, `0 && (module.exports = { ${names.join(", ")} });`];
  writeFileSync(join(folder, "index.js"), `${lines.join("\n")}\n`);
}
