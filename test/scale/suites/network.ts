/** A network between a service and a server: a TCP proxy. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { type DialectName, serverOf } from "../harness";

/** A network between the engine and the server, which can break. */
export class Network {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #lost: "closed" | "silent" | undefined;
  port = 0;

  /** @param url of the server. @default that of the test run */
  constructor(
    private readonly dialect: DialectName,
    private readonly url?: string,
  ) {}

  async up(): Promise<void> {
    const { host, port } = this.url ? addressIn(this.url) : serverOf(this.dialect);
    const add = (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
    };
    this.#server = createServer((near) => {
      add(near);
      if (this.#lost === "closed") return void near.destroy();
      if (this.#lost === "silent") return void near.resume();
      const far = connect(port, host);
      add(far);
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => this.#server!.listen(this.port, "127.0.0.1", resolve));
    this.port = (this.#server.address() as AddressInfo).port;
  }

  /** Breaks all connections. */
  break(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Breaks all connections, and takes new ones behind which nothing is, as a load balancer does. */
  loseServer(how: "closed" | "silent"): void {
    this.#lost = how;
    this.break();
  }

  /** Has a server behind its connections again; those that are silent break. */
  findServer(): void {
    this.#lost = undefined;
    this.break();
  }

  /** Breaks all connections, and takes no new ones. */
  async down(): Promise<void> {
    const closed = new Promise((resolve) => this.#server!.close(resolve));
    this.break();
    await closed;
  }
}

function addressIn(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
