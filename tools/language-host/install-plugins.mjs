/**
 * `install-plugins.mjs FOLDER`: installs the plugins that run Node.js programs beside a CLI. FOLDER contains the CLI's
 * `bin`. The installed files are self-contained: they work without this repository.
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
    // A hard link takes no space and stays when node_modules is deleted.
    linkSync(process.execPath, file);
  } catch {
    copyFileSync(process.execPath, file);
  }
});

/**
 * Writes an executable file atomically, so that a CLI that starts it in the meantime finds the old or the new file.
 *
 * @param {string} path relative to the CLI's folder
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
