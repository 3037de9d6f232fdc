import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations, signRequest } from "../../../contract";
import { mayHaveBeenCarriedOut } from "../../../provider/client";
import { answer, drop, MisbehavingServer, raw, refuse, type Behaviour } from "./misbehaving-server";
import { accepted, caught, cluster, getCluster, okCluster, select } from "./samples";

let server: MisbehavingServer;
beforeAll(async () => void (server = await MisbehavingServer.start()));
afterAll(() => server.close());

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

  it("ownDateHeader: the time is in the service's own header, and is signed as such", async () => {
    server.behave(okCluster);
    await getCluster(server.client({ ownDateHeader: true, headerPrefix: "X-Iij-" }));
    const { method, url, headers } = server.received[0]!;
    const date = headers["x-iij-date"] as string;
    expect(headers.date).toBeUndefined();
    const signature = signRequest({ method, target: url, date, dateHeader: "x-iij-date" }, "very-secret");
    expect(headers.authorization).toBe(`IIJGIO AK:${signature}`);
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

  it("each attempt is signed again", async () => {
    server.behave(refuse(503, "ServiceUnavailable", { "retry-after": "2" }), okCluster);
    await getCluster(server.client());
    const [first, second] = server.received.map(({ headers }) => headers);
    expect(Date.parse(second!.date!)).toBeGreaterThan(Date.parse(first!.date!));
    expect(second!.authorization).not.toBe(first!.authorization);
  });

  it("are sent below the endpoint's path, which is not signed", async () => {
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

  it("invalid requests are not sent", async () => {
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

  it("requests of all operations use the specified method and path", async () => {
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

describe("responses", () => {
  it("redirects are not followed", async () => {
    server.behave(answer(307, "", { location: `${server.url}/v1/c2?clusterManagement` }), okCluster);
    const error = await caught(getCluster(server.client()));
    expect(error).toMatchObject({ code: "UnexpectedAnswer", status: 307 });
    expect(server.received).toHaveLength(1);
  });

  it("responses larger than the limit are a typed error", async () => {
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

  it("invalid HTTP is a typed error", async () => {
    server.behave(raw("SSH-2.0-OpenSSH_9.6\r\n"));
    expect(await caught(getCluster(server.client()))).toMatchObject({ code: "MalformedAnswer", sent: true });
  });

  it("an endpoint without TLS is a typed error", async () => {
    server.behave(okCluster);
    const error = await caught(getCluster(server.client({ endpoint: server.url.replace("http:", "https:") })));
    expect(error).toMatchObject({ code: "TlsFailed", sent: false });
    expect(error.message).toMatch(
      /the TLS handshake failed \(wrong version number\); check that the endpoint supports https/,
    );
  });

  it("endless headers are a typed error", async () => {
    server.behave(raw(`HTTP/1.1 200 OK\r\n${`x-filler: ${"x".repeat(1_000)}\r\n`.repeat(100)}\r\n`));
    expect(await caught(getCluster(server.client()))).toMatchObject({ code: "MalformedAnswer", sent: true });
  });

  it("a malformed response is an error that names the request", async () => {
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

describe("secrets", () => {
  it("secrets are not in any error, however it is printed", async () => {
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

  it("the signature of the request is in no error, however a service or a proxy repeats it", async () => {
    const said = (message: string) => ({ code: "SignatureDoesNotMatch", message, requestId: "r", resource: "/" });
    const html = (text: string) =>
      text.replaceAll(/[+/=]/g, (character) => `&#x${character.codePointAt(0)!.toString(16)};`);
    const repeating: readonly ((sent: string) => Behaviour)[] = [
      (sent) => answer(403, said(`you sent ${sent}, not mine`)),
      (sent) => answer(403, said(`you sent ${encodeURIComponent(sent)}, not mine`)),
      (sent) => answer(502, `<pre>${html(sent)}, not mine</pre>`),
      (sent) => answer(502, JSON.stringify({ sent: `${sent}, not mine` }).replaceAll("/", String.raw`\/`)),
      (sent) => answer(200, `${sent}, not mine`),
      (sent) => answer(302, "", { location: `http://127.0.0.1/?${encodeURIComponent(sent)}, not mine` }),
    ];
    for (const repeat of repeating) {
      server.behave((response, received, socket) =>
        repeat(received.headers.authorization!)(response, received, socket),
      );
      const { message } = (await caught(getCluster(server.client({ maxRetries: 0 })))) as Error;
      expect(message).toMatch(/IIJGIO(?: |%20)AK(?::|%3A)…, not mine/);
    }
  });
});
