/**
 * `pack-sdks.mjs FOLDER` generates the SDKs and packs each for its registry: an npm package, a wheel and a source
 * distribution for Python, and the folder of the Go module. Needs Go, and Python with the package `build`.
 */
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readJson, root } from "../setup/layout.mjs";
import { pythonVersion, releaseVersion, sbomName, sdks, tarballName } from "./packages.mjs";
import { writeGoSbom, writeNpmSbom, writePythonSbom } from "./sbom.mjs";
import { must, runStep } from "./step.mjs";

await runStep(async (folder) => {
  const work = mkdtempSync(join(tmpdir(), "pulumi-dag-pack-sdks-"));
  try {
    await must(process.execPath, [join(root, "tools/release/sdks.mjs"), work]);
    await packNodejs(join(work, "nodejs"), join(folder, "npm"));
    const python = join(work, "python");
    copyFileSync(join(root, "README.md"), join(python, "README.md"));
    mkdirSync(join(folder, "pypi"), { recursive: true });
    await must("python3", ["-m", "build", "--outdir", join(folder, "pypi"), python], { cwd: work });
    const wheel = `${sdks.python.name}-${pythonVersion(releaseVersion())}-py3-none-any.whl`;
    await writePythonSbom(join(folder, "pypi", wheel), join(folder, "sbom", sbomName(wheel)));
    await packGo(join(work, "go"), folder);
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 3 });
  }
});

/**
 * @param {string} sdk
 * @param {string} target
 */
async function packNodejs(sdk, target) {
  mkdirSync(join(sdk, "node_modules"));
  for (const name of ["@pulumi", "@types"])
    symlinkSync(join(root, "node_modules", name), join(sdk, "node_modules", name), "junction");
  await must(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", sdk]);
  const { devDependencies, scripts, ...manifest } = JSON.parse(readFileSync(join(sdk, "package.json"), "utf8"));
  const { repository, engines, bugs } = readJson("package.json");
  const published = { ...manifest, repository, engines, bugs, publishConfig: { access: "public" } };
  writeFileSync(join(sdk, "bin/package.json"), `${JSON.stringify(published, null, 2)}\n`);
  for (const name of ["LICENSE", "README.md"]) copyFileSync(join(root, name), join(sdk, "bin", name));
  mkdirSync(target, { recursive: true });
  await must("npm", ["pack", "--ignore-scripts", "--pack-destination", target, "--loglevel=error"], {
    cwd: join(sdk, "bin"),
  });
  const tarball = tarballName(sdks.nodejs.name, releaseVersion());
  await writeNpmSbom(join(target, tarball), join(target, "../sbom", sbomName(tarball)));
  console.log(sdks.nodejs.name);
}

/**
 * Completes go.mod, which names only Pulumi's SDK, and compiles the module.
 *
 * @param {string} sdk
 * @param {string} folder
 */
async function packGo(sdk, folder) {
  const env = { ...process.env, GOFLAGS: "-mod=mod", GOWORK: "off" };
  copyFileSync(join(root, "LICENSE"), join(sdk, "LICENSE"));
  await must("go", ["mod", "tidy"], { cwd: sdk, env });
  await must("go", ["build", "./..."], { cwd: sdk, env });
  cpSync(sdk, join(folder, "go", sdks.go.folder), { recursive: true });
  const { module: name } = sdks.go;
  const version = `v${releaseVersion()}`;
  const file = join(folder, "sbom", sbomName(`sdk-go-${version}`));
  await writeGoSbom(sdk, { name, version, purl: `pkg:golang/${name}@${version}` }, file, env);
  console.log(sdks.go.module);
}
