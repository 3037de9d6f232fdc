/**
 * `install-plugins.mjs FOLDER`: puts beside a CLI what it needs to run Node.js programs. FOLDER holds the CLI's `bin`.
 * Everything is self-contained: it goes on working when this repository is gone.
 */
import { chmodSync, copyFileSync, linkSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { root } from "../setup/layout.mjs";

const [target = ""] = process.argv.slice(2);
const here = join(root, "tools", "language-host");

await place("bin/pulumi-language-nodejs", async (file) => {
  await build({
    entryPoints: [join(here, "main.ts")],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    minifyWhitespace: true,
    legalComments: "eof",
    banner: { js: "#!/usr/bin/env node" },
    logLevel: "warning",
  });
});
const dynamicHost = "pulumi-resource-pulumi-nodejs";
await place(`sdk/${dynamicHost}`, (file) => copyFileSync(join(root, "node_modules/@pulumi/pulumi", dynamicHost), file));
await place(`bin/${dynamicHost}`, (file) => copyFileSync(join(here, "dynamic-provider.sh"), file));
await place("node/bin/node", (file) => {
  try {
    // Costs nothing, and stays when node_modules is deleted.
    linkSync(process.execPath, file);
  } catch {
    copyFileSync(process.execPath, file);
  }
});

/**
 * Writes an executable file in one step, so that a CLI that runs meanwhile finds the old one or the new one.
 *
 * @param {string} path from the CLI's folder
 * @param {(file: string) => void | Promise<void>} write
 */
async function place(path, write) {
  const file = join(target, path);
  const temporary = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true });
  try {
    await write(temporary);
    chmodSync(temporary, 0o755);
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}
