/** Loads modules of the HiveQL translator from source, for scripts that run without a build. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./setup/layout.mjs";

/**
 * Bundles a module of hiveql/ and loads it.
 * @param entry such as `functions/index.ts`.
 */
export const loadHiveql = <Module,>(entry: string): Promise<Module> => loadModule(`hiveql/${entry}`);

/**
 * Bundles a module of the translator or of the engine, and loads it.
 * @param entry such as `service/engines/duckdb/engine-errors.ts`.
 */
export async function loadModule<Module>(entry: string): Promise<Module> {
  const outfile = join(root, `node_modules/.cache/hiveql/${process.pid}-${entry.replaceAll(/\W/g, "-")}.cjs`);
  await build({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["@duckdb/*"],
    logLevel: "error",
  });
  return createRequire(join(root, "hiveql/package.json"))(outfile) as Module;
}

/** Loads DuckDB's client, which is a dependency of the package in hiveql/. */
export function loadDuckDB() {
  return createRequire(join(root, "hiveql/package.json"))("@duckdb/node-api") as typeof import("@duckdb/node-api");
}
