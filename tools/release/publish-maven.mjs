/**
 * `publish-maven.mjs FOLDER` signs the Java SDK of a signed-off folder and uploads it to Maven Central as one bundle, so
 * that all of it is published or nothing; the command can be repeated. MAVEN_REPOSITORY_URL is the repository that users
 * read, MAVEN_PUBLISHER_URL and MAVEN_PUBLISHER_TOKEN are Central's Publisher API and a token for it, and MAVEN_GPG_KEY is
 * the private key, armored and without a passphrase. Needs gpg and a JDK, whose `jar` writes the bundle.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mavenFolder, releaseVersion, sdks } from "./packages.mjs";
import { digest, must, ReleaseError, requireSignedOff, runStep } from "./step.mjs";

const names = /** @type {const} */ ([
  "MAVEN_REPOSITORY_URL",
  "MAVEN_PUBLISHER_URL",
  "MAVEN_PUBLISHER_TOKEN",
  "MAVEN_GPG_KEY",
]);
const [repository = "", publisher = "", token = "", key = ""] = names.map((name) => process.env[name]);
/** How often the publisher is asked for the state of a bundle, each 10 s after the last. */
const maxAsked = 90;

await runStep(async (folder) => {
  requireSignedOff(folder);
  const unset = names.filter((name) => !process.env[name]);
  if (unset.length > 0) throw new ReleaseError(`set ${unset.join(", ")}: docs/releasing.md says where they come from`);
  const version = releaseVersion();
  const { group, artifact } = sdks.java;
  const jar = `${artifact}-${version}.jar`;
  const there = await publishedDigest(`${mavenFolder(version).replace(/^maven/, repository)}/${jar}.sha1`);
  if (there !== undefined && there !== digest(join(folder, mavenFolder(version), jar), "sha1"))
    throw new ReleaseError(`the repository has ${jar} with other contents: release another version`);
  const known = there !== undefined || (await isPublished(version));
  if (!known) await upload(folder, version);
  console.log(`${group}:${artifact}: ${known ? "was published before" : "published"}`);
});

/**
 * @param {string} url of a checksum
 * @returns {Promise<string | undefined>} undefined when the repository does not have it
 */
async function publishedDigest(url) {
  const answer = await request("GET", url, {});
  if (answer.status === 404) return undefined;
  return (await succeeded(answer, url).text()).trim();
}

/**
 * The publisher knows a version some time before the repository has it.
 *
 * @param {string} version
 * @returns {Promise<boolean>}
 */
async function isPublished(version) {
  const { group, artifact } = sdks.java;
  const query = new URLSearchParams({ namespace: group, name: artifact, version });
  const url = `${publisher}/published?${query}`;
  const { published } = await succeeded(await request("GET", url), url).json();
  return published === true;
}

/**
 * @param {string} folder
 * @param {string} version
 */
async function upload(folder, version) {
  const work = mkdtempSync(join(tmpdir(), "pulumi-dag-maven-"));
  try {
    const signed = join(work, "maven");
    cpSync(join(folder, "maven"), signed, { recursive: true });
    await sign(join(work, mavenFolder(version)), join(work, "gpg"));
    const bundle = join(work, "bundle.zip");
    await must("jar", ["--create", "--no-manifest", "--file", bundle, "-C", signed, "."], { cwd: work });
    const form = new FormData();
    form.set("bundle", new Blob([new Uint8Array(readFileSync(bundle))]), "bundle.zip");
    const url = `${publisher}/upload?publishingType=AUTOMATIC&name=${sdks.java.artifact}-${version}`;
    await waitForBundle((await succeeded(await request("POST", url, { body: form }), url).text()).trim());
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Writes the signature of each file beside it.
 *
 * @param {string} folder
 * @param {string} home of gpg, which is made and knows only the release's key
 */
async function sign(folder, home) {
  mkdirSync(home, { mode: 0o700 });
  const gpg = ["--batch", "--homedir", home];
  const file = join(home, "key.asc");
  writeFileSync(file, key, { mode: 0o600 });
  try {
    await must("gpg", [...gpg, "--import", file]);
    for (const name of readdirSync(folder).filter((each) => /\.(?:jar|pom)$/.test(each)))
      await must("gpg", [...gpg, "--pinentry-mode", "loopback", "--armor", "--detach-sign", join(folder, name)]);
  } finally {
    await must("gpgconf", ["--homedir", home, "--kill", "all"]);
  }
}

/** @param {string} id of the bundle */
async function waitForBundle(id) {
  const url = `${publisher}/status?id=${encodeURIComponent(id)}`;
  for (let asked = 0; asked < maxAsked; asked++) {
    const { deploymentState: state, errors } = await succeeded(await request("POST", url), url).json();
    if (state === "PUBLISHED" || state === "PUBLISHING") return;
    if (state === "FAILED") throw new ReleaseError(`the publisher refuses the bundle: ${JSON.stringify(errors)}`);
    await sleep(10_000);
  }
  throw new ReleaseError(`the publisher has not decided about the bundle ${id} yet. Run the command again later`);
}

/**
 * @param {"GET" | "POST"} method
 * @param {string} url
 * @param {{ body?: FormData, headers?: Record<string, string> }} [options] without `headers`, those of the publisher
 */
async function request(method, url, { body, headers = { authorization: `Bearer ${token}` } } = {}) {
  return fetch(url, { method, headers, ...(body && { body }) }).catch((error) => {
    throw new ReleaseError(`${method} ${url} failed: ${error.cause?.code ?? error.message}. Run the command again`);
  });
}

/**
 * @param {Response} answer
 * @param {string} url
 */
function succeeded(answer, url) {
  if (answer.ok) return answer;
  throw new ReleaseError(`${url} answered ${answer.status}. Run the command again when the cause is gone`);
}
