/**
 * `sign-off.mjs FOLDER` checks that a release is complete and of one version, that its names are free or ours, and
 * writes SHA256SUMS. Nothing is published that was not signed off. `RELEASE_PLATFORMS` names the platforms that must be
 * there, `linux-amd64,…`; without it, all.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readJson } from "../setup/layout.mjs";
import { run } from "../setup/process.mjs";
import {
  mavenFolder,
  npmPackages,
  platforms,
  plugin,
  pythonVersion,
  releaseVersion,
  sbomName,
  sdks,
  tarballName,
} from "./packages.mjs";
import { checksums, must, ReleaseError, runStep, sumsFile } from "./step.mjs";

await runStep(async (folder) => {
  const version = releaseVersion();
  const npmNames = [...npmPackages.map(({ published }) => published), sdks.nodejs.name];
  const wanted = process.env["RELEASE_PLATFORMS"]?.split(",") ?? platforms;
  const files = [
    ...npmNames.map((name) => `npm/${tarballName(name, version)}`),
    ...npmNames.map((name) => `sbom/${sbomName(tarballName(name, version))}`),
    `sbom/${sdks.python.name}-${pythonVersion(version)}-py3-none-any.cdx.json`,
    `sbom/sdk-go-v${version}.cdx.json`,
    `sbom/sdk-java-v${version}.cdx.json`,
    `pypi/${sdks.python.name}-${pythonVersion(version)}.tar.gz`,
    `pypi/${sdks.python.name}-${pythonVersion(version)}-py3-none-any.whl`,
    `go/${sdks.go.folder}/go.mod`,
    ...[".pom", ".jar", "-sources.jar", "-javadoc.jar"].map(
      (kind) => `${mavenFolder(version)}/${sdks.java.artifact}-${version}${kind}`,
    ),
    ...wanted.flatMap((platform) => {
      const archive = `archives/pulumi-resource-${plugin}-v${version}-${platform}.tar.gz`;
      return [archive, sbomName(archive)];
    }),
  ];
  const missing = files.filter((file) => !existsSync(join(folder, file)));
  if (missing.length > 0) throw new ReleaseError(`the release lacks ${missing.join(", ")}`);
  if (readJson("schema.json").version !== version)
    throw new ReleaseError(`schema.json has another version than ${version}: run \`npm run generate\``);
  for (const name of npmNames) await requireOwnName(name);
  for (const name of npmNames)
    await must("npm", [
      "publish",
      "--dry-run",
      "--ignore-scripts",
      "--tag=next",
      "--loglevel=error",
      join(folder, "npm", tarballName(name, version)),
    ]);
  writeFileSync(join(folder, sumsFile), checksums(folder));
  console.log(`signed off ${version}: ${files.length} files`);
});

/**
 * Stops when the registry has a package of that name which is not of this repository.
 *
 * @param {string} name
 */
async function requireOwnName(name) {
  const { code, output } = await run("npm", ["view", name, "repository.url", "--json", "--loglevel=error"]);
  if (code !== 0 && output.includes("E404")) return;
  if (code !== 0) throw new ReleaseError(`the npm registry does not say who has the name ${name}: ${output}`);
  const ours = String(readJson("package.json").repository.url);
  if (!output.includes(ours.replace(/^git\+|\.git$/g, "")))
    throw new ReleaseError(
      `the name ${name} belongs to another package on the npm registry: choose another one in tools/release/packages.mjs`,
    );
}
