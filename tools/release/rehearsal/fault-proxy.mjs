/** A proxy before a registry that refuses some uploads, so that a publication stops half-way. */
import { once } from "node:events";
import { createServer, request } from "node:http";

/**
 * @param {number} port of the registry
 * @returns {Promise<{ url: string, refuse: (uploads: number) => void, close: () => void }>} `refuse` lets that many
 *   uploads through, then refuses one
 */
export async function startFaultProxy(port) {
  let refuseAfter = Infinity;
  const server = createServer((incoming, response) => {
    const upload = incoming.method === "PUT" || incoming.method === "POST";
    if (upload && refuseAfter-- === 0) {
      incoming.resume().once("end", () => response.writeHead(403).end("refused by the rehearsal"));
      return;
    }
    const options = { host: "127.0.0.1", port, path: incoming.url, method: incoming.method, headers: incoming.headers };
    const outgoing = request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.once("error", () => response.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: own } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const refuse = (/** @type {number} */ uploads) => void (refuseAfter = uploads);
  return { url: `http://127.0.0.1:${own}`, refuse, close: () => server.close() };
}
