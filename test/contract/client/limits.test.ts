import { createServer, type AddressInfo, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answer, drop, hang, MisbehavingServer, raw, refuse } from "./misbehaving-server";
import { accepted, caught, cluster, getCluster, okCluster, select } from "./samples";

let server: MisbehavingServer;
beforeAll(async () => void (server = await MisbehavingServer.start()));
afterAll(() => server.close());

describe("time limits", () => {
  it("headers: an attempt without a response is retried for GET, and is an error for POST", async () => {
    const client = server.client({ timeouts: { headers: 200 } });
    server.behave(hang, okCluster);
    expect(await getCluster(client)).toEqual(cluster);
    server.behave(hang, accepted);
    const error = await caught(client.submitSelect(select));
    expect(error).toMatchObject({ code: "CallTimedOut", phase: "headers", sent: true });
    expect(server.received).toHaveLength(1);
  });

  it("connect: a connection that is not established in time is an error before anything is sent", async () => {
    const connections: Socket[] = [];
    const mute = createServer((socket) => void connections.push(socket.on("error", () => {}))).listen(0, "127.0.0.1");
    await new Promise((resolve) => mute.once("listening", resolve));
    const endpoint = `https://127.0.0.1:${(mute.address() as AddressInfo).port}`;
    const client = server.client({ endpoint, timeouts: { connect: 200 }, maxRetries: 1 });
    const error = await caught(client.submitSelect(select));
    expect(error).toMatchObject({ code: "CallTimedOut", phase: "connect", sent: false });
    expect(error.message).toContain("cannot connect within 200 ms");
    expect(connections).toHaveLength(2);
    for (const connection of connections) connection.destroy();
    await new Promise((resolve) => mute.close(resolve));
  });

  it("body: a response body that stalls is an error", async () => {
    server.behave(raw("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{", "keep"));
    const client = server.client({ timeouts: { body: 200 }, maxRetries: 0 });
    expect(await caught(getCluster(client))).toMatchObject({
      code: "CallTimedOut",
      phase: "body",
      sent: true,
      status: 200,
    });
  });

  it("call: ends a call in any phase", async () => {
    server.behave(hang);
    const error = await caught(server.client().getCluster({ clusterName: "c1" }, { timeout: 150 }));
    expect(error).toMatchObject({ code: "CallTimedOut", phase: "call", sent: true, operation: "getCluster" });
    const byDefault = server.client({ timeouts: { call: 150 } });
    expect(await caught(getCluster(byDefault))).toMatchObject({ code: "CallTimedOut", phase: "call" });
    await expect(byDefault.getCluster({ clusterName: "c1" }, { timeout: 0 })).rejects.toMatchObject({
      code: "InvalidClientOption",
    });
  });

  it("headers: does not apply to PUT, which responds when its work is done", async () => {
    server.behave((response) => void setTimeout(() => response.writeHead(204).end(), 800));
    await server
      .client({ timeouts: { headers: 200 } })
      .exportClusterLog({ clusterName: "c1", outputLogPath: "dag://logs/a/" });
    server.behave(hang);
    const impatient = server.client({ timeouts: { work: 150 } });
    expect(await caught(impatient.restartCluster({ clusterName: "c1" }))).toMatchObject({
      code: "CallTimedOut",
      sent: true,
    });
  });

  it("signal: ends a call at once, before, during and between its attempts", async () => {
    const client = server.client();
    server.behave(hang);
    const before = await caught(
      client.getCluster({ clusterName: "c1" }, { signal: AbortSignal.abort(new Error("stop")) }),
    );
    expect(before).toMatchObject({ code: "CallAborted", sent: false, cause: { message: "stop" } });
    expect(server.received).toHaveLength(0);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    expect(await caught(client.submitSelect(select, { signal: stop.signal }))).toMatchObject({
      code: "CallAborted",
      sent: true,
    });
    const between = new AbortController();
    server.behave((response, received, socket) => {
      response.once("finish", () => setTimeout(() => between.abort(), 500));
      return refuse(503, "ServiceUnavailable", { "retry-after": "20" })(response, received, socket);
    });
    expect(await caught(client.getCluster({ clusterName: "c1" }, { signal: between.signal }))).toMatchObject({
      code: "CallAborted",
      sent: true,
    });
  });

  it("close: ends running calls and waits, and rejects later ones", async () => {
    server.behave(hang);
    const client = server.client();
    const running = [getCluster(client), client.waitForQuery({ queryId: 7, clusterName: "c1" })].map(caught);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await client.close();
    expect(await Promise.all(running)).toMatchObject([{ code: "CallAborted" }, { code: "WaitAborted" }]);
    expect(await caught(getCluster(client))).toMatchObject({ code: "CallAborted", sent: false });
    await client.close();
  });
});

describe("lists and waits", () => {
  it("queries: fetches all pages with the same filters", async () => {
    const query = (id: number) => ({
      id,
      type: "split",
      processEngine: "mapreduce",
      dsl: "mapreduce",
      status: "finished",
      clusterName: "c1",
      clusterRebooted: false,
      accessKeyId: "AK",
      startTime: "2026-11-20 13:46:11",
      progress: "100%",
    });
    server.behave(
      answer(200, { isTruncated: true, nextMarker: 2, queries: [query(3), query(2)] }),
      drop,
      answer(200, { isTruncated: false, queries: [query(1)] }),
    );
    const ids: number[] = [];
    for await (const { id } of server.client().queries({ max: 2, status: ["finished"], labelPrefix: "l" }))
      ids.push(id);
    expect(ids).toEqual([3, 2, 1]);
    expect(server.received.map(({ url }) => url)).toEqual([
      "/v1/?query&max=2&status=finished&labelPrefix=l",
      "/v1/?query&max=2&marker=2&status=finished&labelPrefix=l",
      "/v1/?query&max=2&marker=2&status=finished&labelPrefix=l",
    ]);
  });

  it("clusters: fetches all pages", async () => {
    server.behave(
      answer(200, { isTruncated: true, nextMarker: "c1", clusters: [cluster] }),
      answer(200, { isTruncated: false, clusters: [{ ...cluster, name: "c2" }] }),
    );
    const names: string[] = [];
    for await (const { name } of server.client().clusters({ order: "asc" })) names.push(name);
    expect(names).toEqual(["c1", "c2"]);
    expect(server.received.map(({ url }) => url)).toEqual([
      "/v1/?clusterManagement&order=asc",
      "/v1/?clusterManagement&marker=c1&order=asc",
    ]);
  });

  it("waitForQuery: polls once for all waits, despite transient failures", async () => {
    const query = (id: number, status: string) => ({
      id,
      type: "select",
      processEngine: "mapreduce",
      dsl: "hive",
      status,
      clusterName: "c1",
      clusterRebooted: false,
      accessKeyId: "AK",
      startTime: "2026-11-20 13:46:11",
      progress: "50%",
      stage: 1,
      query: "SELECT 1",
      outputFormat: "csv",
      outputResourcePath: "dag://results/a/",
    });
    server.behave((response, received, socket) => {
      const lists = server.received.filter(({ url }) => url.startsWith("/v1/?")).length;
      const id = Number(/^\/v1\/(\d+)/.exec(received.url)?.[1]);
      if (lists === 2) return drop(response, received, socket);
      if (lists === 3) return refuse(503, "ServiceUnavailable")(response, received, socket);
      if (id > 0) return answer(200, query(id, "finished"))(response, received, socket);
      const queries = lists < 6 ? Array.from({ length: 20 }, (_, index) => query(index + 1, "running")) : [];
      return answer(200, { isTruncated: false, queries })(response, received, socket);
    });
    const client = server.client({ pollInterval: 100 });
    const progress: string[] = [];
    const observed = (record: { progress: string }) => void progress.push(record.progress);
    const waits = Array.from({ length: 20 }, (_, index) =>
      client.waitForQuery({ queryId: index + 1, clusterName: "c1", observed }),
    );
    const records = await Promise.all(waits);
    expect(records.map(({ id, status }) => `${id} ${status}`)).toEqual(
      waits.map((_, index) => `${index + 1} finished`),
    );
    expect(progress.length).toBeGreaterThan(20);
    const lists = server.received.filter(({ url }) => url === "/v1/?query&status=running&clusterName=c1");
    expect(server.received.length - lists.length).toBe(20);
    expect(lists.length).toBeLessThan(15);
  });
});
