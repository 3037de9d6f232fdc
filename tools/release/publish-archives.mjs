/**
 * `publish-archives.mjs FOLDER` uploads the plugin's archives, their checksums and the SBOMs to the release of the tag. The
 * release is a draft until all are there, so a user never sees half of it; the command can be repeated. It speaks GitHub's
 * interface, and reads GitHub's own variables: GITHUB_API_URL, GITHUB_REPOSITORY and GITHUB_TOKEN.
 */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { plugin, releaseVersion } from "./packages.mjs";
import { digest, ReleaseError, requireSignedOff, runStep } from "./step.mjs";

const { GITHUB_API_URL: api, GITHUB_REPOSITORY: repository, GITHUB_TOKEN: token } = process.env;

await runStep(async (folder) => {
  requireSignedOff(folder);
  if (!api || !repository || !token)
    throw new ReleaseError("set GITHUB_API_URL, GITHUB_REPOSITORY and GITHUB_TOKEN: they name where the release goes");
  const version = releaseVersion();
  const tag = `v${version}`;
  const releases = /** @type {Release[]} */ (await call("GET", `${api}/repos/${repository}/releases?per_page=100`));
  const release =
    releases.find(({ tag_name }) => tag_name === tag) ??
    /** @type {Release} */ (
      await call("POST", `${api}/repos/${repository}/releases`, {
        tag_name: tag,
        name: tag,
        draft: true,
        prerelease: version.includes("-"),
        generate_release_notes: true,
      })
    );
  for (const [name, content] of files(folder, version)) {
    const there = release.assets.find((asset) => asset.name === name);
    if (there && !isSame(there, content))
      throw new ReleaseError(`the release ${tag} has ${name} with other contents: release another version`);
    if (!there)
      await call("POST", `${release.upload_url.replace(/\{.*/, "")}?name=${encodeURIComponent(name)}`, content);
    console.log(`${name}: ${there ? "was uploaded before" : "uploaded"}`);
  }
  if (release.draft) await call("PATCH", `${api}/repos/${repository}/releases/${release.id}`, { draft: false });
  console.log(`${tag} is public`);
});

/** @typedef {{ id: number, tag_name: string, draft: boolean, upload_url: string, assets: Asset[] }} Release */
/** @typedef {{ name: string, size: number, digest?: string | null }} Asset without a digest in older GitHub Enterprise */

/**
 * @param {Asset} asset
 * @param {Buffer} content
 */
function isSame({ size, digest: sum }, content) {
  return sum ? sum === `sha256:${createHash("sha256").update(content).digest("hex")}` : size === content.length;
}

/**
 * @param {string} folder
 * @param {string} version
 * @returns {[string, Buffer][]} names and contents of the release's files
 */
function files(folder, version) {
  const paths = ["archives", "sbom"].flatMap((name) =>
    readdirSync(join(folder, name))
      .filter((file) => /\.(?:tar\.gz|cdx\.json)$/.test(file))
      .map((file) => join(folder, name, file)),
  );
  const sums = paths.map((path) => `${digest(path)}  ${basename(path)}\n`).join("");
  return [
    ...paths.map((path) => /** @type {[string, Buffer]} */ ([basename(path), readFileSync(path)])),
    [`pulumi-resource-${plugin}-v${version}-checksums.txt`, Buffer.from(sums)],
  ];
}

/**
 * @param {"GET" | "POST" | "PATCH"} method
 * @param {string} url
 * @param {Buffer | object} [body]
 * @returns {Promise<unknown>}
 */
async function call(method, url, body) {
  const binary = Buffer.isBuffer(body);
  const headers = {
    authorization: `Bearer ${token}`,
    accept: "application/vnd.github+json",
    "content-type": binary ? "application/octet-stream" : "application/json",
  };
  const sent = body === undefined ? {} : { body: binary ? new Uint8Array(body) : JSON.stringify(body) };
  const answer = await fetch(url, { method, headers, ...sent }).catch((error) => {
    throw new ReleaseError(`${method} ${url} failed: ${error.cause?.code ?? error.message}. Run the command again`);
  });
  if (answer.ok) return answer.json();
  throw new ReleaseError(`${method} ${url} answered ${answer.status}. Run the command again when the cause is gone`);
}
