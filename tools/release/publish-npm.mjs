/**
 * `publish-npm.mjs FOLDER` publishes the npm packages of a signed-off folder. A package that the registry already has is
 * left, so that the command can be repeated; one with other contents stops it. The registry is that of npm's settings.
 */
import { join } from "node:path";
import { run, tail } from "../setup/process.mjs";
import { npmPackages, npmTag, releaseVersion, sdks, tarballName } from "./packages.mjs";
import { digest, must, ReleaseError, requireSignedOff, runStep } from "./step.mjs";

await runStep(async (folder) => {
  requireSignedOff(folder);
  const version = releaseVersion();
  for (const name of [...npmPackages.map(({ published }) => published), sdks.nodejs.name]) {
    const file = join(folder, "npm", tarballName(name, version));
    const own = `sha512-${digest(file, "sha512", "base64")}`;
    const there = await integrityOf(`${name}@${version}`);
    if (there !== undefined && there !== own)
      throw new ReleaseError(`the registry has ${name} ${version} with other contents: release another version`);
    if (there === undefined) await publish(file, version);
    console.log(`${name} ${version}: ${there ? "was published before" : "published"}`);
  }
});

/** @param {string} spec */
async function integrityOf(spec) {
  const { code, output } = await run("npm", ["view", spec, "dist.integrity", "--prefer-online", "--loglevel=error"]);
  if (code === 0) return /sha512-\S+/.exec(output)?.[0];
  if (output.includes("E404")) return undefined;
  throw new ReleaseError(`the registry does not say whether it has ${spec}:\n${tail(output)}`);
}

/**
 * @param {string} file
 * @param {string} version
 */
async function publish(file, version) {
  // Provenance needs the identity of a workflow; npm signs with it.
  const provenance = process.env["ACTIONS_ID_TOKEN_REQUEST_URL"] ? ["--provenance"] : [];
  await must("npm", [
    "publish",
    file,
    "--ignore-scripts",
    "--access=public",
    `--tag=${npmTag(version)}`,
    ...provenance,
  ]);
}
