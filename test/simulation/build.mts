/** Bundles the simulation with the real code, whose Node.js modules are replaced by the world's. */
import { build, type Plugin } from "esbuild";
import { join } from "node:path";
import { changedBy, pathOf, type Mutant } from "./mutants/mutant.mts";

const shims = join(import.meta.dirname, "shims");

/** The modules that the world replaces, in the code that is simulated. */
const replaced: Readonly<Record<string, string>> = {
  "node:fs": "fs",
  "node:fs/promises": "fs-promises",
  "node:crypto": "crypto",
  "node:sqlite": "sqlite",
  "node:timers/promises": "timers-promises",
  pg: "pg",
  undici: "undici",
};

/** Bundles the simulation into a file. @param mutant changes the real code */
export async function bundleSimulation(outfile: string, mutant?: Mutant): Promise<void> {
  let isApplied = mutant === undefined;
  const plugin: Plugin = {
    name: "simulation",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(node:|pg$|undici$)/ }, ({ path, importer }) => {
        const shim = replaced[path];
        const isReal = importer.startsWith(import.meta.dirname) || importer.includes("/node_modules/");
        if (shim === undefined || isReal) return { path, external: true };
        return { path: join(shims, `${shim}.ts`) };
      });
      if (mutant === undefined) return;
      const file = pathOf(mutant);
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (path !== file) return undefined;
        isApplied = true;
        return { contents: changedBy(mutant), loader: "ts" };
      });
    },
  };
  await build({
    entryPoints: [join(import.meta.dirname, "main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    sourcemap: "inline",
    logLevel: "error",
    external: ["@aws-sdk/*", "@electric-sql/*", "@smithy/*", "zod", "csv-parse/*"],
    plugins: [plugin],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  if (!isApplied) throw new Error(`mutant "${mutant?.name}": the simulation does not use ${mutant?.file}`);
}
