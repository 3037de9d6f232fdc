/** A server with the calls of Pulumi Cloud that `pulumi package publish` makes, and what it took. It speaks no more. */
import { once } from "node:events";
import { createServer } from "node:http";

/** @returns {Promise<{ url: string, published: () => { path: string, files: Record<string, string> }[], close: () => void }>} */
export async function startPulumiRegistry() {
  /** @type {Map<string, { path: string, files: Record<string, string>, isComplete: boolean }>} by operation */
  const operations = new Map();
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const body = String(Buffer.concat(await Array.fromAsync(request)));
    const answer = (/** @type {number} */ status, /** @type {unknown} */ value) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (pathname === "/api/user") return answer(200, { githubLogin: "releaser", name: "releaser", organizations: [] });
    if (pathname === "/api/capabilities") return answer(200, { capabilities: [] });
    const [, path = "", version, isComplete] =
      /^\/api\/registry\/packages\/([^/]+\/[^/]+\/[^/]+)\/versions(?:\/([^/]+)(\/complete))?$/.exec(pathname) ?? [];
    if (request.method === "POST" && path && version === undefined) {
      const operationID = String(operations.size + 1);
      operations.set(operationID, { path: `${path}@${JSON.parse(body).version}`, files: {}, isComplete: false });
      const at = (/** @type {string} */ file) => `${url}/uploads/${operationID}/${file}`;
      const uploadURLs = {
        schema: at("schema"),
        index: at("index"),
        installationConfiguration: at("installation-configuration"),
      };
      return answer(202, { operationID, uploadURLs });
    }
    const [, id = "", file = ""] = /^\/uploads\/(\d+)\/([a-z-]+)$/.exec(pathname) ?? [];
    const upload = operations.get(id);
    if (request.method === "PUT" && upload) {
      upload.files[file] = body;
      return answer(200, {});
    }
    const completed = isComplete === undefined ? undefined : operations.get(JSON.parse(body).operationID);
    if (completed?.path === `${path}@${version}`) {
      completed.isComplete = true;
      return answer(201, {});
    }
    return answer(404, { code: 404, message: "Not Found" });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}`;
  const published = () => [...operations.values()].filter((each) => each.isComplete);
  return { url, published, close: () => server.close() };
}
