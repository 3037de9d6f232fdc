/**
 * `publish-pypi.mjs FOLDER` uploads the Python SDK of a signed-off folder with twine. A file that the index already has is
 * left; one with other contents stops it. pip's and twine's settings name the index.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../setup/process.mjs";
import { pythonVersion, releaseVersion, sdks } from "./packages.mjs";
import { digest, must, ReleaseError, requireSignedOff, runStep } from "./step.mjs";

await runStep(async (folder) => {
  requireSignedOff(folder);
  for (const name of readdirSync(join(folder, "pypi")).toSorted()) {
    const file = join(folder, "pypi", name);
    const there = await publishedDigest(name);
    if (there !== undefined && there !== digest(file))
      throw new ReleaseError(`the index has ${name} with other contents: release another version`);
    if (there === undefined) await must("python3", ["-m", "twine", "upload", "--non-interactive", file]);
    console.log(`${name}: ${there ? "was published before" : "published"}`);
  }
});

/**
 * @param {string} name of a file
 * @returns {Promise<string | undefined>} the SHA-256 of the index's file; undefined when it has none
 */
async function publishedDigest(name) {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-dag-pypi-"));
  try {
    const kind = name.endsWith(".whl") ? "--only-binary=:all:" : "--no-binary=:all:";
    const spec = `${sdks.python.name}==${pythonVersion(releaseVersion())}`;
    const args = ["-m", "pip", "download", "--no-deps", "--no-cache-dir", "--no-build-isolation", kind, "-d", folder];
    const { code, output } = await run("python3", [...args, spec]);
    const [file] = readdirSync(folder);
    if (file !== undefined) return digest(join(folder, file));
    if (code !== 0 && /No matching distribution/.test(output)) return undefined;
    throw new ReleaseError(`the index does not say whether it has ${name}:\n${output}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
