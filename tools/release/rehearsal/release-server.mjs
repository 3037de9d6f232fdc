/**
 * A server that takes a release's files as GitHub does, for publish-archives.mjs, and offers them for download as
 * `pulumi plugin install --server` asks for them. It speaks the five calls that the step makes, no more.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

/** @typedef {{ id: number, tag_name: string, draft: boolean, upload_url: string, assets: { name: string, size: number, digest: string }[] }} Release */

/**
 * @returns {Promise<{ url: string, releases: Release[], refuse: (uploads: number) => void, close: () => void }>} `refuse`
 *   takes that many uploads, then refuses one
 */
export async function startReleaseServer() {
  /** @type {Release[]} */
  const releases = [];
  /** @type {Map<string, Buffer>} */
  const contents = new Map();
  let refuseAfter = Infinity;
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const body = Buffer.concat(await Array.fromAsync(request));
    const [, id] = /releases\/(\d+)/.exec(pathname) ?? [];
    const release = releases.find((each) => String(each.id) === id);
    const answer = (/** @type {number} */ status, /** @type {unknown} */ value) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (request.method === "GET" && pathname.endsWith("/releases")) return answer(200, releases);
    if (request.method === "POST" && pathname.endsWith("/releases")) {
      const made = { ...JSON.parse(String(body)), id: releases.length + 1, assets: [] };
      made.upload_url = `${url}/uploads/releases/${made.id}/assets{?name,label}`;
      releases.push(made);
      return answer(201, made);
    }
    if (request.method === "POST" && release) {
      if (refuseAfter-- === 0) return answer(503, { message: "unavailable" });
      const name = searchParams.get("name") ?? "";
      if (contents.has(name)) return answer(422, { message: "already_exists" });
      contents.set(name, body);
      const digest = `sha256:${createHash("sha256").update(body).digest("hex")}`;
      release.assets.push({ name, size: body.length, digest });
      return answer(201, {});
    }
    if (request.method === "PATCH" && release) return answer(200, Object.assign(release, JSON.parse(String(body))));
    const file = contents.get(pathname.slice(1));
    const visible = releases.some(
      ({ draft, assets }) => !draft && assets.some(({ name }) => name === pathname.slice(1)),
    );
    return file && visible
      ? response.writeHead(200, { "content-length": file.length }).end(file)
      : answer(404, { message: "Not Found" });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}`;
  return { url, releases, refuse: (uploads) => void (refuseAfter = uploads), close: () => server.close() };
}
