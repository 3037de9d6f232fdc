import { createServer, request as forward, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answer, MisbehavingServer } from "./misbehaving-server";
import { caught, cluster, getCluster, okCluster } from "./samples";

/** A host name that only the proxy knows. */
const endpoint = "http://service.invalid/";
const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"];

let server: MisbehavingServer;
let proxy: Server;
/** Targets of the proxy's requests. */
const targets: string[] = [];
let connections = 0;

beforeAll(async () => {
  server = await MisbehavingServer.start();
  proxy = createServer((request, response) => {
    targets.push(request.url!);
    const { pathname, search } = new URL(request.url!);
    const { method, headers } = request;
    request.pipe(
      forward(server.url + pathname + search, { method, headers }, (answered) => {
        response.writeHead(answered.statusCode!, answered.headers);
        answered.pipe(response);
      }),
    );
  });
  proxy.on("connection", () => (connections += 1));
  proxy.on("connect", (request, socket) => {
    targets.push(request.url!);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  await server.close();
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
});

const before = Object.fromEntries(names.map((name) => [name, process.env[name]]));
const setEnvironment = (values: Readonly<Record<string, string | undefined>>) => {
  for (const name of names) {
    if (values[name] === undefined) delete process.env[name];
    else process.env[name] = values[name];
  }
};

beforeEach(() => {
  targets.length = 0;
  connections = 0;
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  setEnvironment({ HTTP_PROXY: url, HTTPS_PROXY: url });
});
afterEach(() => setEnvironment(before));

describe("proxy", () => {
  it("HTTP_PROXY: requests go through the proxy, with the signature that the service expects", async () => {
    server.behave(okCluster);
    expect(await getCluster(server.client({ endpoint }))).toEqual(cluster);
    expect(targets).toEqual(["http://service.invalid/v1/c1?clusterManagement"]);
    expect(server.received[0]!.headers).toMatchObject({
      host: "service.invalid",
      authorization: expect.stringMatching(/^IIJGIO AK:/) as string,
    });
  });

  it("HTTPS_PROXY: a tunnel that the proxy refuses is a failed connection, and nothing was sent", async () => {
    const client = server.client({ endpoint: "https://service.invalid/", maxRetries: 0 });
    expect(await caught(getCluster(client))).toMatchObject({ code: "ConnectionFailed", sent: false });
    expect(targets).toEqual(["service.invalid:443"]);
  });

  it("NO_PROXY: the hosts that it names are connected to directly", async () => {
    process.env["NO_PROXY"] = "other.invalid,service.invalid";
    const error = await caught(getCluster(server.client({ endpoint, maxRetries: 0 })));
    expect(error).toMatchObject({ code: "ConnectionFailed", sent: false });
    expect(targets).toEqual([]);
  });

  it("loopback addresses are connected to directly", async () => {
    server.behave(okCluster);
    expect(await getCluster(server.client())).toEqual(cluster);
    expect(await getCluster(server.client({ endpoint: server.url.replace("127.0.0.1", "localhost") }))).toEqual(
      cluster,
    );
    expect(targets).toEqual([]);
  });

  it("connections and maxResponseBytes: apply through a proxy too", async () => {
    server.behave(okCluster);
    const client = server.client({ endpoint, connections: 1 });
    await Promise.all([getCluster(client), getCluster(client), getCluster(client)]);
    expect(targets).toHaveLength(3);
    expect(connections).toBe(1);
    server.behave(answer(200, "x".repeat(2_000)));
    const small = server.client({ endpoint, maxResponseBytes: 1_000 });
    expect(await caught(getCluster(small))).toMatchObject({ code: "MalformedAnswer" });
  });

  it("timeouts.body: applies through a proxy too", async () => {
    server.behave((response) => void response.writeHead(200, { "content-length": "100" }).write("{"));
    const client = server.client({ endpoint, timeouts: { body: 200 }, maxRetries: 0 });
    expect(await caught(getCluster(client))).toMatchObject({ code: "CallTimedOut", phase: "body" });
  });

  it("a value that is not a URL: the error names the variables", () => {
    process.env["HTTP_PROXY"] = "not a url";
    expect(() => server.client({ endpoint })).toThrow(/HTTP_PROXY or HTTPS_PROXY is not the URL of a proxy/);
  });
});
