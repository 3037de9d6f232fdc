/** Bundles the simulation with the real code, whose Node.js modules are replaced by the world's. */
import { build, type Plugin } from "esbuild";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "../..");
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

/** A change of one line of the real code, which a schedule must find. */
export interface Mutant {
  readonly name: string;
  /** Path of the file. */
  readonly file: string;
  /** Text that the file has once. */
  readonly from: string;
  readonly to: string;
  /** The only kind of schedules that can find it. @default any */
  readonly kind?: "shared";
}

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
      const file = join(root, mutant.file);
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (path !== file) return undefined;
        const source = readFileSync(path, "utf8");
        if (source.split(mutant.from).length !== 2) {
          throw new Error(`mutant "${mutant.name}": ${relative(root, path)} has not once: ${mutant.from}`);
        }
        isApplied = true;
        return { contents: source.replace(mutant.from, () => mutant.to), loader: "ts" };
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
