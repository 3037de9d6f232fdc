/** A proxy in front of an S3 server that counts what is read, and can refuse or hold the reads of objects. */
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A read of an object through the proxy. */
export interface Read {
  readonly method: string;
  /** Path of the URL, such as `/data/t/a.parquet`. */
  readonly path: string;
  /** True for DuckDB's own requests. */
  readonly byDuckDB: boolean;
  /** Status of the server's answer; 0 when there was none. */
  status: number;
  /** Bytes that were sent. */
  bytes: number;
}

export class CountingProxy implements AsyncDisposable {
  readonly reads: Read[] = [];
  /** Called before a request is passed on; one for which it returns false is refused, and one that it holds waits. */
  before: (read: Read) => boolean | Promise<boolean> = () => true;
  readonly #server = createServer((from, to) => void this.#pass(from, to));

  private constructor(private readonly target: URL) {}

  static async start(target: string): Promise<CountingProxy> {
    const proxy = new CountingProxy(new URL(target));
    await once(proxy.#server.listen(0, "127.0.0.1"), "listening");
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Returns the number of DuckDB's requests, and the sum of the bytes of all. */
  get sums(): { readonly byDuckDB: number; readonly bytes: number } {
    return {
      byDuckDB: this.reads.filter(({ byDuckDB }) => byDuckDB).length,
      bytes: this.reads.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  reset(): void {
    this.reads.length = 0;
    this.before = () => true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #pass(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = from;
    const byDuckDB = /duckdb/i.test(headers["user-agent"] ?? "");
    const read: Read = { method, path: decodeURIComponent(url.split("?")[0]!), byDuckDB, status: 0, bytes: 0 };
    this.reads.push(read);
    if (!(await this.before(read))) {
      from.resume();
      to.writeHead(403, { "content-type": "application/xml" });
      to.end("<Error><Code>AccessDenied</Code><Message>THE WORDS OF THE SERVER</Message></Error>");
      return;
    }
    const { hostname, port } = this.target;
    // The signature is over the header Host, which is passed on as it is.
    const passed = request({ hostname, port, method, path: url, headers }, (answer) => {
      read.status = answer.statusCode!;
      to.writeHead(read.status, answer.headers);
      answer.on("data", (chunk: Buffer) => (read.bytes += method === "GET" ? chunk.length : 0));
      answer.pipe(to);
    });
    passed.on("error", () => to.destroy());
    to.on("close", () => passed.destroy());
    from.pipe(passed);
  }
}
