import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, mayHaveBeenCarriedOut } from "../../../provider/client";
import { answer, drop, MisbehavingServer, raw, refuse } from "./misbehaving-server";
import { accepted, caught, cluster, getCluster, hasty, okCluster, select } from "./samples";

let server: MisbehavingServer;
beforeAll(async () => void (server = await MisbehavingServer.start()));
afterAll(() => server.close());

describe("retry", () => {
  it("GET: is retried after dropped connections, 5xx, proxy error pages and 429", async () => {
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

  it("DELETE: is retried after a lost response, and the retry reports the effect of the first attempt", async () => {
    server.behave(drop, refuse(400, "InvalidQueryState"));
    const error = await caught(server.client().cancelQuery({ queryId: 7 }));
    expect(error).toMatchObject({ code: "InvalidQueryState", status: 400, requestId: "r-1" });
    expect(server.received).toHaveLength(2);
  });

  it("DELETE: whose retry is refused a connection may have been carried out by the first attempt", async () => {
    const once = createTcpServer((socket) => {
      once.close();
      socket.once("data", () => socket.destroy());
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => once.once("listening", resolve));
    const { port } = once.address() as AddressInfo;
    await using client = new Client({ endpoint: `http://127.0.0.1:${port}`, accessKeyId: "AK", secretAccessKey: "SK" });
    const error = await caught(client.cancelQuery({ queryId: 7 }, { maxRetries: 1 }));
    expect(error).toMatchObject({ code: "ConnectionFailed", cause: { code: "ECONNREFUSED" }, sent: true });
    expect(mayHaveBeenCarriedOut(error)).toBe(true);
  });

  it.each([
    ["a dropped connection", drop, "ConnectionFailed"],
    ["an error inside the service", refuse(500, "InternalError"), "InternalError"],
    ["503 of the service", refuse(503, "ServiceUnavailable"), "ServiceUnavailable"],
    ["429 of the service", refuse(429, "TooManyRequests"), "TooManyRequests"],
    ["408 of the service", refuse(408, "RequestTimeout"), "RequestTimeout"],
    ["a proxy's 503", answer(503, "<html>busy</html>"), "UnexpectedAnswer"],
    ["a proxy's 429", answer(429, "slow down"), "UnexpectedAnswer"],
    ["half of an answer", raw("HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\n{"), "ConnectionFailed"],
    ["a malformed answer", answer(202, { id: 7 }), "MalformedAnswer"],
  ])(
    "POST: is not retried after a failure that may have come after the work, and the error says so: %s",
    async (_, behaviour, code) => {
      server.behave(behaviour, accepted);
      const error = await caught(server.client().submitSelect(select));
      expect(error).toMatchObject({ code, operation: "submitSelect" });
      expect(mayHaveBeenCarriedOut(error)).toBe(true);
      expect(server.received).toHaveLength(1);
    },
  );

  it("PUT: is not retried after 503 and 429 of the service, which may have come after the work", async () => {
    for (const [status, code] of [
      [503, "ServiceUnavailable"],
      [429, "TooManyRequests"],
    ] as const) {
      server.behave(refuse(status, code), answer(204));
      const error = await caught(server.client().restartCluster({ clusterName: "c1", force: true }));
      expect(error).toMatchObject({ code, status });
      expect(server.received).toHaveLength(1);
    }
  });

  it("POST: is retried when the connection fails, until the service is available", async () => {
    const late = createTcpServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => late.once("listening", resolve));
    const { port } = late.address() as AddressInfo;
    await new Promise((resolve) => late.close(resolve));
    const client = new Client({ endpoint: `http://127.0.0.1:${port}`, accessKeyId: "AK", secretAccessKey: "SK" });
    const error = await caught(client.submitSelect(select, { maxRetries: 1 }));
    expect(error).toMatchObject({ code: "ConnectionFailed", sent: false, status: undefined });
    expect(error.message).toMatch(
      /^submitSelect at http:\/\/127\.0\.0\.1:\d+\/: cannot connect \(connect ECONNREFUSED .*check that the service is running/,
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

  it("does not wait for an attempt that would start after the call's timeout", async () => {
    server.behave(refuse(503, "ServiceUnavailable", { "retry-after": "30" }));
    const error = await caught(server.client().getCluster({ clusterName: "c1" }, { timeout: 2_000 }));
    expect(error).toMatchObject({ code: "ServiceUnavailable", retryAfter: 30_000 });
  });

  it("sends no more retries than the quota allows to a service that fails all calls", async () => {
    server.behave(refuse(500, "InternalError"));
    const client = server.client({ maxRetries: 3, clock: hasty });
    for (let call = 0; call < 20; call += 1) await caught(getCluster(client));
    expect(server.received).toHaveLength(20 + 35);
  });

  it("does not retry permanent errors", async () => {
    server.behave(refuse(404, "ClusterNotFound"));
    expect(await caught(getCluster(server.client()))).toMatchObject({ code: "ClusterNotFound", status: 404 });
    expect(server.received).toHaveLength(1);
  });
});

describe("clock skew", () => {
  /** Rejects requests that differ by more than 15 minutes from a clock that is 20 minutes off. */
  const skewed = (minutes: number) => {
    server.behave((response, received, socket) => {
      const now = Date.now() + minutes * 60_000;
      const off = Math.abs(Date.parse(received.headers.date!) - now) > 15 * 60_000;
      response.sendDate = false;
      const date = { date: new Date(now).toUTCString() };
      void (off ? refuse(403, "RequestTimeTooSkewed", date) : answer(200, cluster, date))(response, received, socket);
    });
  };

  it.each([20, -20])("signs again once, and keeps what it learnt: %s minutes", async (minutes) => {
    skewed(minutes);
    const client = server.client({ maxRetries: 0 });
    expect(await getCluster(client)).toEqual(cluster);
    expect(server.received).toHaveLength(2);
    await getCluster(client);
    await getCluster(client);
    expect(server.received).toHaveLength(4);
  });

  it("POST: is signed again too, because the service rejected it", async () => {
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

  it.each([25, -25, 640_000])("signs nothing for a time more than 24 hours away: %i hours", async (hours) => {
    const date = new Date(Date.now() + hours * 3_600_000).toUTCString();
    server.behave((response, received, socket) => {
      response.sendDate = false;
      void refuse(403, "RequestTimeTooSkewed", { date })(response, received, socket);
    });
    // A name of this machine that is not one of the loopback interface.
    const client = server.client({ endpoint: server.url.replace("127.0.0.1", "0.0.0.0") });
    const error = await caught(client.submitSelect(select));
    expect(error).toMatchObject({ code: "RequestTimeTooSkewed", status: 403, operation: "submitSelect" });
    expect(error.message).toContain(`${date}, is more than 24 hours from that of this machine`);
    expect(server.received).toHaveLength(1);
    await caught(getCluster(client));
    expect(Math.abs(Date.parse(server.received[1]!.headers.date!) - Date.now())).toBeLessThan(60_000);
  });

  it("follows a service on this machine, whose clock a test has advanced by days", async () => {
    server.behave((response, received, socket) => {
      const isFirst = server.received.length === 1;
      response.sendDate = false;
      const date = new Date(Date.now() + 3 * 86_400_000).toUTCString();
      void (isFirst ? refuse(403, "RequestTimeTooSkewed", { date }) : accepted)(response, received, socket);
    });
    expect(await server.client().submitSelect(select)).toEqual({ queryId: 7 });
  });

  it("is an error when the service rejects even its own time", async () => {
    server.behave(refuse(403, "RequestTimeTooSkewed"));
    expect(await caught(getCluster(server.client()))).toMatchObject({ code: "RequestTimeTooSkewed", status: 403 });
    expect(server.received).toHaveLength(2);
  });
});
