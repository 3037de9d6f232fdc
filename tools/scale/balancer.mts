/** A load balancer for service processes of this machine. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface Balancer {
  /** The endpoint that clients use. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a load balancer: a connection goes to the first of the URLs that takes it. A connection to a process that ends
 * is closed, as a load balancer does, and the client's next one goes to another process.
 *
 * @param urls of the processes, in the order in which they are tried
 */
export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    return socket.on("error", () => socket.destroy()).once("close", () => sockets.delete(socket));
  };
  const server = createServer(async (client) => {
    track(client);
    for (const url of urls) {
      const upstream = await connected(url);
      if (!upstream) continue;
      track(upstream);
      client.once("close", () => upstream.destroy());
      upstream.once("close", () => client.destroy());
      client.pipe(upstream).pipe(client);
      return;
    }
    client.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Returns a connection; undefined when nothing takes it. */
function connected(url: string): Promise<Socket | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}
