/** The HTTP server: limits requests, and answers invalid HTTP with an error body of the API too. */
import { randomUUID } from "node:crypto";
import { createServer, STATUS_CODES, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { errors, type ApiError } from "../../contract";
import type { App } from "./app";
import { Connections } from "./connections";
import { toErrorBody } from "./error-response";

/** Limits on requests; `docs/service.md` lists them. */
const requestLimits = {
  /** Maximum bytes of the request line and headers. */
  headerBytes: 16_384,
  /** Time limit for receiving the headers. */
  headersMilliseconds: 10_000,
  /** Time limit for receiving the whole request. */
  requestMilliseconds: 30_000,
  /** Time after which an idle connection of a caller is closed; see {@link Connections} for others. */
  keepAliveMilliseconds: 65_000,
} as const;

export interface HttpServer {
  /** Base URL, such as `http://127.0.0.1:9393`. */
  readonly url: string;
  /** Stops accepting connections. Resolves when all open requests are answered or the grace period has passed. */
  close(graceMilliseconds: number): Promise<void>;
}

/**
 * Binds the address; requests wait until `app` resolves.
 * @throws the error of `listen` of node:net, with its code.
 */
export async function listen(
  address: { readonly host: string; readonly port: number },
  app: Promise<App>,
  headerPrefix: string,
): Promise<HttpServer> {
  let ready: App | undefined;
  app.then(
    (created) => (ready = created),
    // The caller handles a rejected app; here the rejection only must not be unhandled.
    () => undefined,
  );
  const connections = new Connections();
  const server = createServer(
    {
      maxHeaderSize: requestLimits.headerBytes,
      headersTimeout: requestLimits.headersMilliseconds,
      requestTimeout: requestLimits.requestMilliseconds,
      keepAliveTimeout: requestLimits.keepAliveMilliseconds,
      connectionsCheckingInterval: 1000,
      // Node answers a missing Host header without a body; the app's response has one.
      requireHostHeader: false,
    },
    (incoming, outgoing) => {
      // HTTP/1.0 has no Host header, which the app's requests need.
      if (incoming.httpVersion === "1.0") incoming.headers.host ??= "localhost";
      connections
        .serve(incoming, outgoing, async () => (ready ?? (await app))(incoming, outgoing))
        .catch(() => incoming.socket.destroy());
    },
  );
  server.on("connection", (socket) => connections.add(socket));
  // Node answers an expectation that it does not know without a body; it is ignored instead.
  server.on("checkExpectation", (incoming, outgoing) => server.emit("request", incoming, outgoing));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) =>
    answerParserError(error, socket, headerPrefix),
  );
  server.on("connect", (_: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    answerOnSocket(new errors.InvalidParameter("the method CONNECT is not supported"), socket, headerPrefix);
  });
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
    // Busy connections become idle when their responses are sent.
    const idle = setInterval(() => server.closeIdleConnections(), 20);
    server.close(() => {
      clearTimeout(last);
      clearInterval(idle);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** Answers a request that the HTTP parser rejected. */
function answerParserError(error: NodeJS.ErrnoException, socket: Duplex, headerPrefix: string): void {
  // An answer that waits for its reader is not followed by another one.
  if (error.code === "ECONNRESET" || !socket.writable || socket.writableLength > 0) return void socket.destroy();
  answerOnSocket(parserError(error.code), socket, headerPrefix);
}

/** Answers on the raw socket, and closes it. */
function answerOnSocket(answer: ApiError, socket: Duplex, headerPrefix: string): void {
  const requestId = randomUUID();
  const body = JSON.stringify(toErrorBody(answer, requestId, ""));
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
    return new errors.EntityTooLarge(`the request line and headers are larger than ${requestLimits.headerBytes} bytes`);
  }
  return new errors.InvalidParameter("the request is not valid HTTP/1.1");
}
