/** What the start of an engine says of servers that are not what the config says, and say nothing themselves. */
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { afterEach, expect, test } from "vitest";
import { hiveFamily } from "../../../../../service/engines/hiveserver2";
import { FileStorage } from "../../../../../storage/file";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Starts a server that does this with the first bytes of each connection. Returns its port. */
async function serve(use: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => socket.on("error", () => undefined).once("data", () => use(socket)));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const closing = (socket: Socket) => void socket.end();
const speakingHttp = (socket: Socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");

const options = { clusterName: "c", debug: false, memoryBytes: 1, threads: 1, directory: tmpdir() };

function familyOn(port: number, user?: string) {
  return hiveFamily({
    name: "hive",
    dialect: "hive",
    servers: [{ host: "127.0.0.1", port, login: user === undefined ? undefined : { user, password: "secret" } }],
    storage: new FileStorage(tmpdir()),
    startLocal: () => Promise.reject(new Error("is not reached")),
  });
}

test.each([
  ["expects a login", {}, closing, /closed the connection: check urls, auth and tls in the config$/],
  ["expects no login", { user: "ann" }, closing, /closed the connection before it was used: check urls, auth and tls/],
  ["is no HiveServer2", {}, speakingHttp, /is not HiveServer2's protocol: check urls, auth and tls in the config$/],
] as const)(
  "start: a server that %s is refused with the remedy",
  async (_, { user }: { user?: string }, use, message) => {
    const family = familyOn(await serve(use), user);
    await expect(family.start(options)).rejects.toThrow(message);
  },
);

test("start: ends at once when the engine is not wanted any more, although the server is silent", async () => {
  const called = Promise.withResolvers<void>();
  const family = familyOn(await serve(() => called.resolve()));
  const abort = new AbortController();
  const started = family.start({ ...options, signal: abort.signal });
  started.catch(() => undefined);
  await called.promise;
  abort.abort();
  await expect(started).rejects.toThrow();
});
