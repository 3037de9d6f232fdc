/**
 * The connections of a client that waits for queries. It runs on the processors of the service, so it does little: a
 * question with `fetch` takes three times as much of them.
 */
import { connect, type Socket } from "node:net";
import type { Answer } from "../../chaos/service.mts";

/** A request with its headers. */
export interface Request {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Milliseconds without a request after which a connection is not used again, because the service may close it. */
const keptMilliseconds = 30_000;

/** Connections to one service, kept for the next requests. */
export class Connections implements Disposable {
  readonly #url: URL;
  /** Those without a request, with the time of their last one. */
  readonly #free: { readonly socket: Socket; readonly used: number }[] = [];

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Sends a request and returns the answer. @throws Error when the connection breaks before the answer is complete */
  async ask(request: Request): Promise<Answer> {
    const socket = this.#freeSocket() ?? (await this.#connect());
    const answer = await exchange(socket, textOf(request, this.#url.host));
    this.#free.push({ socket, used: performance.now() });
    return answer;
  }

  [Symbol.dispose](): void {
    for (const { socket } of this.#free.splice(0)) socket.destroy();
  }

  #freeSocket(): Socket | undefined {
    for (let next = this.#free.pop(); next; next = this.#free.pop()) {
      if (!next.socket.destroyed && performance.now() - next.used < keptMilliseconds) return next.socket;
      next.socket.destroy();
    }
    return undefined;
  }

  #connect(): Promise<Socket> {
    const { port, hostname } = this.#url;
    return new Promise((resolve, reject) => {
      const socket = connect({ port: Number(port), host: hostname, noDelay: true }, () => {
        socket.off("error", reject);
        // An error closes the socket, which is what a request waits for.
        socket.on("error", () => undefined);
        resolve(socket);
      }).once("error", reject);
    });
  }
}

function textOf({ method, target, headers, body = "" }: Request, host: string): string {
  const all = { Host: host, "Content-Length": String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** Sends a request on a socket that has no other, and reads the answer. */
function exchange(socket: Socket, text: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    const onData = (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const answer = answerOf(received);
      if (answer) settle(() => resolve(answer));
    };
    const onClose = () => settle(() => reject(new Error("the service closed the connection before its answer ended")));
    const settle = (then: () => void) => {
      socket.off("data", onData).off("close", onClose);
      then();
    };
    socket.on("data", onData).on("close", onClose);
    socket.write(text);
  });
}

/** Returns an answer of a known length when it is complete. */
function answerOf(received: Buffer): Answer | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = received.toString("latin1", 0, end);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
  if (received.length < end + 4 + length) return undefined;
  const body = received.toString("utf8", end + 4);
  return { status: Number(head.slice(9, 12)), body: body === "" ? {} : JSON.parse(body) };
}
