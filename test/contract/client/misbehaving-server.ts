/** A real HTTP server whose behaviour tests control, down to the socket. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Client, type ClientOptions } from "../../../provider/client";

/** A received request. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** Handler of one request. */
export type Behaviour = (response: ServerResponse, received: Received, socket: Socket) => void | Promise<void>;

export class MisbehavingServer {
  readonly received: Received[] = [];
  readonly #clients: Client[] = [];
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #behaviour: Behaviour = answer(500, "no behaviour was given");

  static async start(): Promise<MisbehavingServer> {
    const server = new MisbehavingServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Uses one handler per request; the last one for all further requests. */
  behave(...behaviours: Behaviour[]): void {
    this.received.length = 0;
    this.#behaviour = (response, received, socket) =>
      behaviours[Math.min(this.received.length, behaviours.length) - 1]!(response, received, socket);
  }

  /** A client of this server; it is closed with the server. */
  client(options: Partial<ClientOptions> = {}): Client {
    const client = new Client({ endpoint: this.url, accessKeyId: "AK", secretAccessKey: "very-secret", ...options });
    this.#clients.push(client);
    return client;
  }

  async close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = {
      method: request.method!,
      url: request.url!,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
      time: Date.now(),
    };
    this.received.push(received);
    await this.#behaviour(response, received, request.socket);
  }
}

/** Responds like the service. */
export function answer(status: number, body?: unknown, headers: Record<string, string> = {}): Behaviour {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  return (response) => {
    response.writeHead(status, { "x-svc-request-id": "r-1", "content-type": "application/json", ...headers }).end(text);
  };
}

/** Responds with an error of the API. */
export function refuse(status: number, code: string, headers?: Record<string, string>): Behaviour {
  return answer(status, { code, message: `${code} it is`, status, requestId: "r-1", resource: "/v1/" }, headers);
}

/** Closes the connection without a response. */
export const drop: Behaviour = (_response, _received, socket) => void socket.destroy();

/** Never responds. */
export const hang: Behaviour = () => {};

/** Sends bytes that need not be HTTP. */
export function raw(text: string, then: "keep" | "close" = "close"): Behaviour {
  return (_response, _received, socket) => {
    socket.write(text, () => then === "close" && socket.destroy());
  };
}
