/** The socket: limits on what may arrive, and answers in the API's shape even to what is no HTTP. */
import { randomUUID } from "node:crypto";
import { createServer, STATUS_CODES, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { errors, type ApiError } from "../../contract";
import type { Env } from "./env";
import { errorBody } from "./errors";

/** Limits on requests; `docs/service.md` lists them. */
const serverLimits = {
  /** Bytes of a request's head. */
  headerBytes: 16_384,
  /** Time for the head to arrive. */
  headersMilliseconds: 10_000,
  /** Time for the whole request to arrive. */
  requestMilliseconds: 30_000,
  /** Time that an idle connection is kept. */
  keepAliveMilliseconds: 65_000,
  connections: 1000,
} as const;

export interface HttpServer {
  /** Such as `http://127.0.0.1:9393`. */
  readonly url: string;
  /** Stops accepting; resolves when what was asked is answered, or when the time is up. */
  close(graceMilliseconds: number): Promise<void>;
}

/**
 * Binds the address; requests wait until `app` is there.
 * @throws what `listen` of node:net throws, with its code.
 */
export async function listen(
  address: { readonly host: string; readonly port: number },
  app: Promise<Hono<Env>>,
  headerPrefix: string,
): Promise<HttpServer> {
  const listener = app.then((ready) =>
    getRequestListener(ready.fetch, { errorHandler: () => badRequest(headerPrefix) }),
  );
  // Whoever waits for the app learns of its failure; here it only means that no request is answered.
  listener.catch(() => undefined);
  const server = createServer(
    {
      maxHeaderSize: serverLimits.headerBytes,
      headersTimeout: serverLimits.headersMilliseconds,
      requestTimeout: serverLimits.requestMilliseconds,
      keepAliveTimeout: serverLimits.keepAliveMilliseconds,
      connectionsCheckingInterval: 1000,
      // Node's own answer to a request without one has no body; ours has.
      requireHostHeader: false,
    },
    (incoming, outgoing) => {
      listener.then((handle) => handle(incoming, outgoing)).catch(() => incoming.socket.destroy());
    },
  );
  server.maxConnections = serverLimits.connections;
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => refuse(error, socket, headerPrefix));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(address.port, address.host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return { url: urlOf(server), close: (grace) => close(server, grace) };
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

function close(server: Server, grace: number): Promise<void> {
  return new Promise((resolve) => {
    const last = setTimeout(() => server.closeAllConnections(), grace);
    // A connection whose answer was under way becomes idle only now.
    const idle = setInterval(() => server.closeIdleConnections(), 20);
    server.close(() => {
      clearTimeout(last);
      clearInterval(idle);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** Answers what the HTTP parser refused, on the bare socket. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex, headerPrefix: string): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const answer = parserError(error.code);
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody(answer, requestId, ""));
  socket.end(
    [
      `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
      `Date: ${new Date().toUTCString()}`,
      "Server: dag-service",
      `${headerPrefix}request-id: ${requestId}`,
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
    () => socket.destroy(),
  );
}

function parserError(code: string | undefined): ApiError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new errors.RequestTimeout("the request took too long to arrive");
  if (code === "HPE_HEADER_OVERFLOW") {
    return new errors.EntityTooLarge(`the request's head is larger than ${serverLimits.headerBytes} bytes`);
  }
  return new errors.InvalidParameter("the request is not HTTP/1.1");
}

/** A request that cannot be made into one for the app, such as one with a Host header that is no host. */
function badRequest(headerPrefix: string): Response {
  const answer = new errors.InvalidParameter("the request line or the Host header is not valid");
  const requestId = randomUUID();
  return Response.json(errorBody(answer, requestId, ""), {
    status: answer.status,
    headers: { Server: "dag-service", [`${headerPrefix}request-id`]: requestId, Connection: "close" },
  });
}
