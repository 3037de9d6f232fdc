/** A proxy in front of the service of a test, which loses answers or requests. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Target } from "../service/caller";

/** Passes a request on and gives back its answer, unless it is lost. */
type Way = (request: IncomingMessage, response: ServerResponse, pass: () => Promise<Response>) => Promise<void>;

/** Starts a proxy for a test. Requests of the method go the given way, and all others are passed on. */
export async function startProxy<Service extends Target>(service: Service, method: string, way: Way): Promise<Service> {
  const server = createServer((request, response) => {
    void (async () => {
      const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
      const { host: _host, connection: _connection, ...headers } = request.headers as Record<string, string>;
      const sent = chunks.length > 0 && { body: Buffer.concat(chunks) };
      const pass = () =>
        fetch(service.url + request.url, { method: request.method ?? "GET", headers, ...sent }).then(async (answer) => {
          const content = await answer.arrayBuffer();
          return new Response(content.byteLength > 0 ? content : null, { status: answer.status });
        });
      if (request.method === method) return await way(request, response, pass);
      const answer = await pass();
      response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
    })();
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return { ...service, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** What becomes of an answer of the service on its way. */
export const losses = {
  "closes the connection": (response: ServerResponse) => void response.destroy(),
  "answers with a page and status 502": (response: ServerResponse) =>
    void response.writeHead(502, { "Content-Type": "text/html" }).end("<html>bad gateway</html>"),
  "cuts the answer short": (response: ServerResponse) => {
    response.writeHead(200, { "Content-Length": 100 });
    response.write("{", () => response.destroy());
  },
} as const;

export const lossNames = Object.keys(losses) as readonly (keyof typeof losses)[];
