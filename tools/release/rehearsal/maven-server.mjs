/**
 * A server that takes the bundle of the Java SDK as Maven Central's Publisher API does, and lays out a Maven repository of
 * files. Like Central, it refuses a bundle in which a file lacks its checksum or signature.
 */
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { digest, must } from "../step.mjs";

/** @typedef {Awaited<ReturnType<typeof startMavenServer>>} MavenServer */

/** @param {string} folder of the server; `repository` in it is the Maven repository */
export async function startMavenServer(folder) {
  const repository = join(folder, "repository");
  mkdirSync(repository, { recursive: true });
  /** @type {string[][]} what is wrong with each bundle */
  const bundles = [];
  let refuseAfter = Infinity;
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const body = Buffer.concat(await Array.fromAsync(request));
    const answer = (/** @type {number} */ status, /** @type {unknown} */ value) =>
      response.writeHead(status).end(typeof value === "string" ? value : JSON.stringify(value));
    if (pathname.startsWith("/maven2/")) {
      const file = join(repository, pathname.slice("/maven2/".length));
      return existsSync(file) ? response.end(readFileSync(file)) : answer(404, "");
    }
    if (request.headers.authorization !== "Bearer token-of-the-rehearsal") return answer(401, "");
    if (pathname === "/published")
      return answer(200, { published: existsSync(join(repository, pathOf(searchParams))) });
    if (pathname === "/status") {
      const errors = bundles[Number(searchParams.get("id"))] ?? ["unknown bundle"];
      return answer(200, { deploymentState: errors.length > 0 ? "FAILED" : "PUBLISHED", errors });
    }
    if (pathname !== "/upload") return answer(404, "");
    if (refuseAfter-- === 0) return answer(503, "unavailable");
    const headers = { "content-type": String(request.headers["content-type"]) };
    const bundle = (await new Response(new Uint8Array(body), { headers }).formData()).get("bundle");
    if (!(bundle instanceof Blob)) return answer(400, "no bundle");
    const unpacked = join(folder, `bundle-${bundles.length}`);
    mkdirSync(unpacked);
    writeFileSync(join(unpacked, "bundle.zip"), Buffer.from(await bundle.arrayBuffer()));
    await must("jar", ["--extract", "--file", "bundle.zip"], { cwd: unpacked });
    const errors = problems(unpacked);
    if (errors.length === 0)
      await must("jar", ["--extract", "--file", join(unpacked, "bundle.zip")], { cwd: repository });
    bundles.push(errors);
    return answer(201, String(bundles.length - 1));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}`;
  const env = {
    MAVEN_REPOSITORY_URL: `${url}/maven2`,
    MAVEN_PUBLISHER_URL: url,
    MAVEN_PUBLISHER_TOKEN: "token-of-the-rehearsal",
    MAVEN_GPG_KEY: await makeKey(join(folder, "gpg")),
  };
  /** Takes that many uploads, then refuses one. */
  const refuse = (/** @type {number} */ uploads) => void (refuseAfter = uploads);
  return { repository, env, refuse, close: () => server.close() };
}

/** @param {URLSearchParams} query of a package */
function pathOf(query) {
  return `${query.get("namespace")?.replaceAll(".", "/")}/${query.get("name")}/${query.get("version")}`;
}

/**
 * @param {string} folder of an unpacked bundle
 * @returns {string[]}
 */
function problems(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.(?:jar|pom)$/.test(name),
  );
  const found = files.flatMap((name) => {
    const file = join(folder, name);
    const missing = [".asc", ".md5", ".sha1"].filter((extension) => !existsSync(file + extension));
    if (missing.length > 0) return [`${name} lacks ${missing.join(", ")}`];
    return readFileSync(`${file}.sha1`, "utf8") === digest(file, "sha1") ? [] : [`${name}.sha1 is wrong`];
  });
  return files.length < 4 ? [...found, "jar, sources, documentation and pom are not all there"] : found;
}

/**
 * @param {string} home of gpg, which is made
 * @returns {Promise<string>} a new private key
 */
async function makeKey(home) {
  mkdirSync(home, { mode: 0o700 });
  const gpg = ["--batch", "--quiet", "--homedir", home, "--pinentry-mode", "loopback", "--passphrase", ""];
  try {
    await must("gpg", [...gpg, "--quick-generate-key", "rehearsal@pulumi-dag.invalid", "ed25519", "sign", "never"]);
    const printed = await must("gpg", [...gpg, "--armor", "--export-secret-keys"]);
    return printed.slice(printed.indexOf("-----BEGIN"));
  } finally {
    await must("gpgconf", ["--homedir", home, "--kill", "all"]);
  }
}
