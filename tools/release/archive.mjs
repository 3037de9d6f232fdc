/**
 * `archive.mjs FOLDER` writes `pulumi-resource-dag-v<version>-<os>-<arch>.tar.gz` for this machine's platform, in the
 * format of `pulumi plugin install`: the plugin as one script, and the Node.js that runs this program. The release runs
 * it on every platform. Its bill of materials is beside it. Needs the build (`npm run build`).
 *
 * The archive has a script and its runtime instead of a single executable, so that the runtime keeps its signature (a
 * modified one does not start on macOS and is suspicious on Windows) and the script stays readable.
 */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { bundleOptions } from "../build/bundle-options.mjs";
import { readJson, root } from "../setup/layout.mjs";
import { run } from "../setup/process.mjs";
import { isAtLeast } from "../setup/version-number.mjs";
import { plugin, sbomName } from "./packages.mjs";
import { writeSbom } from "./sbom.mjs";

const unixLauncher = `#!/bin/sh
folder=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
exec "$folder/node" "$folder/dist/provider/plugin/main.js" "$@"
`;
const windowsLauncher = '@"%~dp0node.exe" "%~dp0dist\\provider\\plugin\\main.js" %*\r\n';

const [target] = process.argv.slice(2);
if (target === undefined) {
  console.error("usage: archive.mjs FOLDER");
  process.exit(2);
}

const { version, engines } = /** @type {{ version: string, engines: { node: string } }} */ (readJson("package.json"));
// The archive contains this Node.js, and the plugin refuses an older one than the package needs.
if (!isAtLeast(process.versions.node, `${engines.node.replace(">=", "")}.0`)) {
  console.error(
    `archive.mjs needs Node.js ${engines.node}, but this is Node.js ${process.versions.node}: run it with the clone's own, node_modules/.bin/node`,
  );
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "pulumi-dag-archive-"));
try {
  const components = await writeContents(folder);
  mkdirSync(resolve(target), { recursive: true });
  const file = join(resolve(target), `pulumi-resource-dag-v${version}-${platformName()}.tar.gz`);
  const { code, output } = await run("tar", ["-czf", file, "-C", folder, "."]);
  if (code !== 0) throw new Error(`tar failed with exit code ${code} for ${file}: ${output}`);
  const name = `pulumi-resource-${plugin}`;
  writeSbom(
    sbomName(file),
    { name, version, purl: `pkg:generic/${name}@${version}?platform=${platformName()}` },
    components,
  );
  console.log(file);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Writes the archive's files to a folder.
 *
 * @param {string} into
 * @returns {Promise<import("./sbom.mjs").Component[]>} what they are made of
 */
async function writeContents(into) {
  const windows = process.platform === "win32";
  // The plugin reads the package's files from three folders above itself, as in the npm package.
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: root,
    entryPoints: [join(root, "dist/provider/plugin/main.js")],
    outfile: join(into, "dist/provider/plugin/main.js"),
    ...bundleOptions,
  });
  for (const name of ["schema.json", "LICENSE"]) copyFileSync(join(root, name), join(into, name));
  writeFileSync(join(into, "package.json"), `${JSON.stringify({ name: "pulumi-dag", version, private: true })}\n`);
  const node = join(into, windows ? "node.exe" : "node");
  copyFileSync(process.execPath, node);
  const launcher = join(into, windows ? "pulumi-resource-dag.cmd" : "pulumi-resource-dag");
  writeFileSync(launcher, windows ? windowsLauncher : unixLauncher);
  for (const program of [node, launcher]) chmodSync(program, 0o755);
  const runtime = process.versions.node;
  return [
    { name: "node", version: runtime, purl: `pkg:generic/node@${runtime}`, licenses: ["MIT"] },
    ...bundledPackages(Object.keys(metafile.inputs)),
  ];
}

/**
 * @param {string[]} inputs the files of a bundle, relative to the repository
 * @returns {import("./sbom.mjs").Component[]} the npm packages that they belong to
 */
function bundledPackages(inputs) {
  const folders = new Set(inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  return [...folders].map((each) => {
    const manifest = readJson(join(each, "package.json"));
    const licenses = typeof manifest.license === "string" ? [manifest.license] : [];
    const purl = `pkg:npm/${manifest.name.replace("@", "%40")}@${manifest.version}`;
    return { name: manifest.name, version: manifest.version, purl, licenses };
  });
}

/** @returns {string} Pulumi's name of this platform, such as `linux-amd64` */
function platformName() {
  /** @type {Partial<Record<string, string>>} */
  const names = { win32: "windows", x64: "amd64" };
  return `${names[process.platform] ?? process.platform}-${names[process.arch] ?? process.arch}`;
}
