/** Makes the provider's processes start quickly: one file instead of hundreds, and the HiveQL parser only when needed. */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "../setup/layout.mjs";

/** The modules with which the provider's processes start, in dist/ and as sources. */
const entries = ["provider/dynamic/handlers", "provider/plugin/main"];

/**
 * Bundles the entries, each to `<entry>.bundle.js`, which `<entry>.js` loads with Node's compile cache. Packages stay
 * apart, so that users get their updates.
 */
export async function bundleProcesses() {
  await loadSyntaxLazily();
  for (const entry of entries) {
    await build({
      entryPoints: [join(root, `${entry}.ts`)],
      outfile: join(root, "dist", `${entry}.bundle.js`),
      bundle: true,
      format: "cjs",
      platform: "node",
      target: "node22",
      minifyWhitespace: true,
      legalComments: "eof",
      logLevel: "warning",
      packages: "external",
      plugins: [{ name: "syntax", setup: keepSyntaxApart }],
    });
    const name = entry.split("/").at(-1);
    // An older Node.js has no compile cache, and says so first.
    const text = `"use strict";\nrequire("../client/require-node.js");\nrequire("node:module").enableCompileCache();\nmodule.exports = require("./${name}.bundle.js");\n`;
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
