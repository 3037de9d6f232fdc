/** `pack-npm.mjs FOLDER` packs the npm packages, under their names on the registry, and writes an SBOM for each. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../setup/layout.mjs";
import { npmPackages, releaseVersion, sbomName, tarballName } from "./packages.mjs";
import { writeNpmSbom } from "./sbom.mjs";
import { must, runStep } from "./step.mjs";

await runStep(async (folder) => {
  const target = join(folder, "npm");
  mkdirSync(target, { recursive: true });
  for (const each of npmPackages) {
    await pack(each, target);
    console.log(`${each.published} ${releaseVersion()}`);
  }
});

/**
 * @param {import("./packages.mjs").NpmPackage} each
 * @param {string} target
 */
async function pack({ name, folder, published }, target) {
  const work = mkdtempSync(join(tmpdir(), "pulumi-dag-pack-"));
  try {
    await must("npm", ["pack", "--pack-destination", work, "--loglevel=error"], { cwd: join(root, folder) });
    await must("tar", ["-xzf", tarballName(name, releaseVersion())], { cwd: work });
    const manifest = join(work, "package/package.json");
    const { scripts, devDependencies, ...rest } = JSON.parse(readFileSync(manifest, "utf8"));
    writeFileSync(manifest, `${JSON.stringify({ ...rest, name: published }, null, 2)}\n`);
    await must("npm", ["pack", "--ignore-scripts", "--pack-destination", target, "--loglevel=error"], {
      cwd: join(work, "package"),
    });
    const tarball = tarballName(published, releaseVersion());
    await writeNpmSbom(join(target, tarball), join(target, "../sbom", sbomName(tarball)));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
