/** A proxy before an S3 server that holds copies back, so that a test meets a service in the middle of a publication. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface StallingProxy {
  readonly endpoint: string;
  /** Resolves when a copy is held back. */
  readonly stalled: Promise<void>;
  /** Sends what is held back, and holds nothing back any more. */
  release(): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy.
 * @param passing the number of copies that pass before the others are held back
 */
export async function startStallingProxy(target: string, passing: number): Promise<StallingProxy> {
  const { hostname, port } = new URL(target);
  const stalled = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  let copies = 0;
  let isReleased = false;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let isHeld = false;
    for (const [socket, other] of [
      [client, undefined],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        other?.end();
      });
    }
    upstream.pipe(client);
    client.on("data", (chunk: Buffer) => {
      if (/x-amz-copy-source:/i.test(chunk.toString("latin1")) && (copies += 1) > passing) isHeld ||= !isReleased;
      if (!isHeld || isReleased) upstream.write(chunk);
      else {
        held.push(() => upstream.write(chunk));
        stalled.resolve();
      }
    });
    // What was sent arrives also when its sender is gone.
    client.on("end", () => isHeld || upstream.end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stalled: stalled.promise,
    release: () => {
      isReleased = true;
      for (const send of held.splice(0)) send();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
