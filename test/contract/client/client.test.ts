import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations, signRequest } from "../../../provider/api";
import { Client, mayHaveBeenCarriedOut, systemClock, type ClientError } from "../../../provider/client";
import { answer, drop, hang, MisbehavingServer, raw, refuse } from "./misbehaving-server";

const cluster = { name: "c1", status: "norm", type: "duckdb", instances: [{ grade: "g1", quantity: 5 }], debug: false };
const select = { clusterName: "c1", query: "SELECT 1", outputResourcePath: "dag://results/a/" };
const okCluster = answer(200, cluster);
const accepted = answer(202, { queryId: 7 });

/** Takes nearly no time between two tries unless it is asked to. */
const hasty = { ...systemClock, random: () => 0.001 };

let server: MisbehavingServer;
beforeAll(async () => void (server = await MisbehavingServer.start()));
afterAll(() => server.close());

const getCluster = (client: Client) => client.getCluster({ clusterName: "c1" });
const caught = (work: Promise<unknown>): Promise<ClientError> =>
  work.then(
    (value) => expect.fail(`it succeeded with ${JSON.stringify(value)}`),
    (error: ClientError) => error,
  );

describe("requests", () => {
  it("GET: is signed and carries no body", async () => {
    server.behave(answer(200, { isTruncated: false, queries: [] }));
    await server.client({ signatureScheme: "DAG" }).listQueries({ max: 5 });
    const { method, url, headers, body } = server.received[0]!;
    expect([method, url, body]).toEqual(["GET", "/v1/?query&max=5", ""]);
    const signature = signRequest({ method, target: url, date: headers.date! }, "very-secret");
    expect(headers.authorization).toBe(`DAG AK:${signature}`);
    expect(Math.abs(Date.parse(headers.date!) - Date.now())).toBeLessThan(5_000);
    expect(headers["content-type"]).toBeUndefined();
  });

  it("POST: is signed with its content type and carries JSON", async () => {
    server.behave(accepted);
    expect(await server.client().submitSelect({ ...select, query: "SELECT 'ä'" })).toEqual({ queryId: 7 });
    const { method, url, headers, body } = server.received[0]!;
    expect(JSON.parse(body)).toEqual({ ...select, query: "SELECT 'ä'" });
    const contentType = "application/json";
    expect(headers["content-type"]).toBe(contentType);
    const signature = signRequest({ method, target: url, contentType, date: headers.date! }, "very-secret");
    expect(headers.authorization).toBe(`IIJGIO AK:${signature}`);
  });

  it("each try is signed anew", async () => {
    server.behave(refuse(503, "ServiceUnavailable", { "retry-after": "2" }), okCluster);
    await getCluster(server.client());
    const [first, second] = server.received.map(({ headers }) => headers);
    expect(Date.parse(second!.date!)).toBeGreaterThan(Date.parse(first!.date!));
    expect(second!.authorization).not.toBe(first!.authorization);
  });

  it("go below the endpoint's path, which is not signed", async () => {
    server.behave(okCluster);
    await getCluster(server.client({ endpoint: `${server.url}/behind/proxy/` }));
    const { url, headers } = server.received[0]!;
    expect(url).toBe("/behind/proxy/v1/c1?clusterManagement");
    const signature = signRequest(
      { method: "GET", target: "/v1/c1?clusterManagement", date: headers.date! },
      "very-secret",
    );
    expect(headers.authorization).toBe(`IIJGIO AK:${signature}`);
  });

  it("that are wrong are not sent", async () => {
    server.behave(accepted);
    const error = await caught(server.client().submitSelect({ ...select, outputResourcePath: "results" }));
    expect(error).toMatchObject({
      code: "InvalidOutputResourcePath",
      operation: "submitSelect",
      field: "outputResourcePath",
    });
    expect(mayHaveBeenCarriedOut(error)).toBe(false);
    expect(server.received).toEqual([]);
  });

  it("of all operations go where the specification says", async () => {
    const client = server.client();
    const calls: { [Name in keyof typeof operations]: () => Promise<unknown> } = {
      submitSelect: () => client.submitSelect(select),
      submitSplit: () =>
        client.submitSplit({
          clusterName: "c1",
          inputObjectKeys: ["dag://data/a"],
          outputDatabase: "data",
          outputTable: "t",
        }),
      listQueries: () => client.listQueries(),
      getQuery: () => client.getQuery({ queryId: 7 }),
      cancelQuery: () => client.cancelQuery({ queryId: 7 }),
      getQueryLog: () => client.getQueryLog({ queryId: 7 }),
      restartCluster: () => client.restartCluster({ clusterName: "c1" }),
      listClusters: () => client.listClusters(),
      getCluster: () => client.getCluster({ clusterName: "c1" }),
      getClusterStatistics: () => client.getClusterStatistics({ clusterName: "c1" }),
      exportClusterLog: () => client.exportClusterLog({ clusterName: "c1", outputLogPath: "dag://logs/a/" }),
    };
    server.behave(refuse(403, "AccessDenied"));
    for (const [name, call] of Object.entries(calls))
      expect(await caught(call())).toMatchObject({ code: "AccessDenied", operation: name });
    expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "POST /v1/?select",
      "POST /v1/?split",
      "GET /v1/?query",
      "GET /v1/7?query",
      "DELETE /v1/7?query",
      "GET /v1/7/log?query",
      "PUT /v1/c1?clusterManagement",
      "GET /v1/?clusterManagement",
      "GET /v1/c1?clusterManagement",
      "GET /v1/c1/statistics?clusterManagement",
      "PUT /v1/c1/log?clusterManagement",
    ]);
  });
});

describe("retry", () => {
  it("GET: is repeated after dropped connections, 5xx, pages of a proxy, and 429", async () => {
    server.behave(
      drop,
      refuse(500, "InternalError"),
      refuse(503, "ServiceUnavailable"),
      answer(502, "<html>Bad Gateway</html>", { "content-type": "text/html" }),
      raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"name"'),
      refuse(429, "TooManyRequests"),
      okCluster,
    );
    expect(await getCluster(server.client({ clock: hasty }))).toEqual(cluster);
    expect(server.received).toHaveLength(7);
  });

  it("DELETE: is repeated after a lost answer, and then answers what the first try left behind", async () => {
    server.behave(drop, refuse(400, "InvalidQueryState"));
    const error = await caught(server.client().cancelQuery({ queryId: 7 }));
    expect(error).toMatchObject({ code: "InvalidQueryState", status: 400, requestId: "r-1" });
    expect(server.received).toHaveLength(2);
  });

  it.each([
    ["a dropped connection", drop, "ConnectionFailed"],
    ["an error inside the service", refuse(500, "InternalError"), "InternalError"],
    ["a proxy's 503", answer(503, "<html>busy</html>"), "UnexpectedAnswer"],
    ["a proxy's 429", answer(429, "slow down"), "UnexpectedAnswer"],
    ["half of an answer", raw("HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\n{"), "ConnectionFailed"],
    ["a malformed answer", answer(202, { id: 7 }), "MalformedAnswer"],
  ])("POST: is not repeated after %s, which says that it may have been carried out", async (_, behaviour, code) => {
    server.behave(behaviour, accepted);
    const error = await caught(server.client().submitSelect(select));
    expect(error).toMatchObject({ code, operation: "submitSelect" });
    expect(mayHaveBeenCarriedOut(error)).toBe(true);
    expect(server.received).toHaveLength(1);
  });

  it("POST and PUT: are repeated where the service itself says that it did not take them", async () => {
    server.behave(refuse(503, "ServiceUnavailable"), refuse(429, "TooManyRequests"), accepted);
    expect(await server.client({ clock: hasty }).submitSelect(select)).toEqual({ queryId: 7 });
    expect(server.received).toHaveLength(3);
    server.behave(refuse(503, "ServiceUnavailable"), answer(204));
    await server.client().restartCluster({ clusterName: "c1", force: true });
    expect(server.received).toHaveLength(2);
  });

  it("POST: is repeated where no connection could be made, until the service is there", async () => {
    const late = createTcpServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => late.once("listening", resolve));
    const { port } = late.address() as AddressInfo;
    await new Promise((resolve) => late.close(resolve));
    const client = new Client({ endpoint: `http://127.0.0.1:${port}`, accessKeyId: "AK", secretAccessKey: "SK" });
    const error = await caught(client.submitSelect(select, { maxRetries: 1 }));
    expect(error).toMatchObject({ code: "ConnectionFailed", sent: false, status: undefined });
    expect(error.message).toMatch(
      /^submitSelect at http:\/\/127\.0\.0\.1:\d+\/: no connection \(connect ECONNREFUSED .*check that the service runs/,
    );
    const submitting = client.submitSelect(select);
    setTimeout(() => late.listen(port, "127.0.0.1"), 100);
    late.on("connection", (socket) => {
      socket.once("data", () =>
        socket.end('HTTP/1.1 202 Accepted\r\ncontent-length: 13\r\nconnection: close\r\n\r\n{"queryId":7}'),
      );
    });
    expect(await submitting).toEqual({ queryId: 7 });
    await client.close();
    await new Promise((resolve) => late.close(resolve));
  });

  it("ends with the last error when the retries are used up", async () => {
    server.behave(refuse(503, "ServiceUnavailable"));
    const error = await caught(server.client({ maxRetries: 3 }).getCluster({ clusterName: "c1" }));
    expect(error).toMatchObject({ code: "ServiceUnavailable", status: 503, requestId: "r-1", operation: "getCluster" });
    expect(server.received).toHaveLength(4);
    server.behave(drop);
    await caught(server.client().getCluster({ clusterName: "c1" }, { maxRetries: 0 }));
    expect(server.received).toHaveLength(1);
  });

  it("waits for Retry-After", async () => {
    server.behave(refuse(503, "ServiceUnavailable", { "retry-after": "1" }), okCluster);
    await getCluster(server.client());
    const [first, second] = server.received;
    expect(second!.time - first!.time).toBeGreaterThanOrEqual(990);
  });

  it("does not wait for a try that would begin after the call's timeout", async () => {
    server.behave(refuse(503, "ServiceUnavailable", { "retry-after": "30" }));
    const error = await caught(server.client().getCluster({ clusterName: "c1" }, { timeout: 2_000 }));
    expect(error).toMatchObject({ code: "ServiceUnavailable", retryAfter: 30_000 });
  });

  it("spends no more than the quota on a service that fails all calls", async () => {
    server.behave(refuse(500, "InternalError"));
    const client = server.client({ maxRetries: 3, clock: hasty });
    for (let call = 0; call < 20; call += 1) await caught(getCluster(client));
    expect(server.received).toHaveLength(20 + 35);
  });

  it("is not made for what will not pass", async () => {
    server.behave(refuse(404, "ClusterNotFound"));
    expect(await caught(getCluster(server.client()))).toMatchObject({ code: "ClusterNotFound", status: 404 });
    expect(server.received).toHaveLength(1);
  });
});

describe("answers", () => {
  it("redirects are not followed", async () => {
    server.behave(answer(307, "", { location: `${server.url}/v1/c2?clusterManagement` }), okCluster);
    const error = await caught(getCluster(server.client()));
    expect(error).toMatchObject({ code: "UnexpectedAnswer", status: 307 });
    expect(server.received).toHaveLength(1);
  });

  it("that are longer than the limit are given up", async () => {
    server.behave((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const more = () => void (!response.destroyed && response.write("x".repeat(65_536), more));
      more();
    });
    const error = await caught(getCluster(server.client({ maxResponseBytes: 1_000_000 })));
    expect(error).toMatchObject({ code: "MalformedAnswer", sent: true, status: 200 });
    expect(error.message).toContain("maxResponseBytes 1000000");
    expect(server.received).toHaveLength(1);
  });

  it("that are no HTTP are a typed error", async () => {
    server.behave(raw("SSH-2.0-OpenSSH_9.6\r\n"));
    expect(await caught(getCluster(server.client()))).toMatchObject({ code: "MalformedAnswer", sent: true });
  });

  it("with endless headers are a typed error", async () => {
    server.behave(raw(`HTTP/1.1 200 OK\r\n${`x-filler: ${"x".repeat(1_000)}\r\n`.repeat(100)}\r\n`));
    expect(await caught(getCluster(server.client()))).toMatchObject({ code: "MalformedAnswer", sent: true });
  });

  it("that are malformed name the request", async () => {
    server.behave(answer(200, { ...cluster, status: "asleep" }));
    expect(await caught(getCluster(server.client()))).toMatchObject({
      code: "MalformedAnswer",
      requestId: "r-1",
      status: 200,
    });
    server.behave(answer(200, { ...cluster, status: "asleep" }, { "x-iij-request-id": "r-9" }));
    const other = server.client({ headerPrefix: "X-IIJ-" });
    expect(await caught(getCluster(other))).toMatchObject({ requestId: "r-9" });
  });
});

describe("time limits", () => {
  it("headers: a try without an answer is repeated for GET, and is an error for POST", async () => {
    const client = server.client({ timeouts: { headers: 200 } });
    server.behave(hang, okCluster);
    expect(await getCluster(client)).toEqual(cluster);
    server.behave(hang, accepted);
    const error = await caught(client.submitSelect(select));
    expect(error).toMatchObject({ code: "CallTimedOut", phase: "headers", sent: true });
    expect(server.received).toHaveLength(1);
  });

  it("body: an answer that stops coming", async () => {
    server.behave(raw("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{", "keep"));
    const client = server.client({ timeouts: { body: 200 }, maxRetries: 0 });
    expect(await caught(getCluster(client))).toMatchObject({
      code: "CallTimedOut",
      phase: "body",
      sent: true,
      status: 200,
    });
  });

  it("call: ends a call whatever it does", async () => {
    server.behave(hang);
    const error = await caught(server.client().getCluster({ clusterName: "c1" }, { timeout: 150 }));
    expect(error).toMatchObject({ code: "CallTimedOut", phase: "call", sent: true, operation: "getCluster" });
    const byDefault = server.client({ timeouts: { call: 150 } });
    expect(await caught(getCluster(byDefault))).toMatchObject({ code: "CallTimedOut", phase: "call" });
    await expect(byDefault.getCluster({ clusterName: "c1" }, { timeout: 0 })).rejects.toMatchObject({
      code: "InvalidClientOption",
    });
  });

  it("headers: does not hold for PUT, which answers when its work is done", async () => {
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

  it("signal: ends a call at once, before, while and between its tries", async () => {
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
    server.behave(refuse(503, "ServiceUnavailable", { "retry-after": "20" }));
    const between = new AbortController();
    setTimeout(() => between.abort(), 100);
    expect(await caught(client.submitSelect(select, { signal: between.signal }))).toMatchObject({
      code: "CallAborted",
      sent: false,
    });
  });

  it("close: ends calls and waits that run, and refuses later ones", async () => {
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

describe("clock skew", () => {
  /** Refuses what is more than 15 minutes off a clock that is 20 minutes off. */
  const skewed = (minutes: number) => {
    server.behave((response, received, socket) => {
      const now = Date.now() + minutes * 60_000;
      const off = Math.abs(Date.parse(received.headers.date!) - now) > 15 * 60_000;
      response.sendDate = false;
      const date = { date: new Date(now).toUTCString() };
      void (off ? refuse(403, "RequestTimeTooSkewed", date) : answer(200, cluster, date))(response, received, socket);
    });
  };

  it.each([20, -20])("%s minutes: signs again once, and keeps what it learnt", async (minutes) => {
    skewed(minutes);
    const client = server.client({ maxRetries: 0 });
    expect(await getCluster(client)).toEqual(cluster);
    expect(server.received).toHaveLength(2);
    await getCluster(client);
    await getCluster(client);
    expect(server.received).toHaveLength(4);
  });

  it("POST: is signed again too, since it was refused", async () => {
    const dates: string[] = [];
    server.behave((response, received, socket) => {
      dates.push(received.headers.date!);
      const late = { date: new Date(Date.now() + 1_200_000).toUTCString() };
      response.sendDate = false;
      void (dates.length === 1 ? refuse(403, "RequestTimeTooSkewed", late) : accepted)(response, received, socket);
    });
    expect(await server.client().submitSelect(select)).toEqual({ queryId: 7 });
    expect(Date.parse(dates[1]!) - Date.parse(dates[0]!)).toBeGreaterThan(1_190_000);
  });

  it("is an error where the service refuses whatever time it said itself", async () => {
    server.behave(refuse(403, "RequestTimeTooSkewed"));
    expect(await caught(getCluster(server.client()))).toMatchObject({ code: "RequestTimeTooSkewed", status: 403 });
    expect(server.received).toHaveLength(2);
  });
});

describe("lists and waits", () => {
  it("queries: goes through all pages, keeping the filters", async () => {
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

  it("clusters: goes through all pages", async () => {
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

  it("waitForQuery: asks for all who wait at once, through failures", async () => {
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
    const begin = Date.now();
    server.behave((response, received, socket) => {
      const lists = server.received.filter(({ url }) => url.startsWith("/v1/?")).length;
      const id = Number(/^\/v1\/(\d+)/.exec(received.url)?.[1]);
      const running = Date.now() - begin < 600;
      if (lists === 2) return drop(response, received, socket);
      if (lists === 3) return refuse(503, "ServiceUnavailable")(response, received, socket);
      if (id > 0) return answer(200, query(id, "finished"))(response, received, socket);
      const queries = running ? Array.from({ length: 20 }, (_, index) => query(index + 1, "running")) : [];
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

describe("secrets", () => {
  it("are in no error, however it is printed", async () => {
    const failures = [
      drop,
      refuse(403, "SignatureDoesNotMatch"),
      answer(502, "<html>"),
      answer(200, "nothing"),
      raw("junk\r\n\r\n"),
      answer(302, "", { location: "/elsewhere" }),
    ];
    for (const failure of failures) {
      server.behave(failure);
      const error = await caught(getCluster(server.client({ maxRetries: 0 })));
      const printed = inspect(error, { depth: 20, showHidden: true }) + JSON.stringify(error) + String(error.stack);
      expect(printed).not.toContain("very-secret");
      expect(printed).not.toContain(server.received[0]!.headers.authorization!.split(":")[1]);
    }
  });
});
