/** The client before a service that answers anything: each attempt ends, in bounded memory, with an error that says why. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answer, type Behaviour, MisbehavingServer, raw, refuse } from "./misbehaving-server";
import { caught, cluster, getCluster, okCluster, select } from "./samples";

let server: MisbehavingServer;
beforeAll(async () => void (server = await MisbehavingServer.start()));
afterAll(() => server.close());

const record = {
  id: 1,
  type: "select",
  processEngine: "mapreduce",
  dsl: "hive",
  status: "running",
  clusterName: "c1",
  clusterRebooted: false,
  accessKeyId: "AK",
  startTime: "2026-11-20 13:46:11",
  progress: "5%",
  label: "l",
  stage: 1,
  query: "SELECT 1",
};
const fullRecord = { ...record, outputFormat: "csv", outputResourcePath: "dag://results/a/" };
const endpointRemedy = "check that the endpoint is the service's own URL";

/** Answers each request for a page with what a function makes of its number, from 0. */
function pages(page: (index: number) => object): Behaviour {
  let index = -1;
  return (...parameters) => answer(200, page((index += 1)))(...parameters);
}

async function idsOf(options: { readonly timeouts?: { readonly call?: number } } = {}): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of server.client(options).queries()) ids.push(id);
  return ids;
}

describe("records of something else", () => {
  test("getQuery: the record of another query is refused", async () => {
    server.behave(answer(200, { ...fullRecord, id: 2 }));
    const error = await caught(server.client().getQuery({ queryId: 1 }));
    expect(error).toMatchObject({ code: "MalformedAnswer", operation: "getQuery", requestId: "r-1", sent: true });
    expect(error.message).toContain("has the id 2 and not 1, which was asked for");
    expect(error.message).toContain(endpointRemedy);
  });

  test("getCluster, getClusterStatistics: the record of another cluster is refused", async () => {
    server.behave(answer(200, { ...cluster, name: "c2" }));
    expect((await caught(getCluster(server.client()))).message).toContain("has the name c2 and not c1");
    server.behave(answer(200, { name: "c2", type: "duckdb", disk: { used: 1, capacity: 2 }, instances: [] }));
    const error = await caught(server.client().getClusterStatistics({ clusterName: "c1" }));
    expect(error).toMatchObject({ code: "MalformedAnswer", operation: "getClusterStatistics" });
  });

  test("waitForQuery: ends when the service answers with another query", async () => {
    const empty = answer(200, { isTruncated: false, queries: [] });
    server.behave(empty, answer(200, { ...fullRecord, id: 2, status: "finished" }));
    const error = await caught(server.client().waitForQuery({ queryId: 1, clusterName: "c1" }));
    expect(error.code).toBe("MalformedAnswer");
  });

  test("waitForQuery: a query on another cluster than was named is refused", async () => {
    const other = { ...fullRecord, clusterName: "other" };
    server.behave(answer(200, { isTruncated: false, queries: [{ ...record, clusterName: "other" }] }));
    const listed = await caught(server.client().waitForQuery({ queryId: 1, clusterName: "c1" }));
    server.behave(answer(200, { isTruncated: false, queries: [] }), answer(200, { ...other, status: "finished" }));
    const read = await caught(server.client().waitForQuery({ queryId: 1, clusterName: "c1" }));
    expect([listed.code, read.code]).toEqual(["MalformedAnswer", "MalformedAnswer"]);
    expect(read.message).toContain('query 1 is on cluster "other" and not on "c1"');
  });

  test.each([0, -1, 1.5, "7", null])("submitSelect: %j is no id of a query", async (queryId) => {
    server.behave(answer(202, { queryId }));
    const error = await caught(server.client().submitSelect(select));
    expect(error).toMatchObject({ code: "MalformedAnswer", sent: true });
    expect(server.received).toHaveLength(1);
  });
});

describe("lists that do not end", () => {
  test("empty pages with ever new markers end with an error", async () => {
    server.behave(pages((index) => ({ isTruncated: true, nextMarker: index + 1, queries: [] })));
    const error = await caught(idsOf());
    expect(error).toMatchObject({ code: "MalformedAnswer", operation: "listQueries" });
    expect(error.message).toContain("100 pages without a new record, and does not end");
    expect(server.received).toHaveLength(100);
  });

  test("the same records with ever new markers end with an error, and are yielded once", async () => {
    server.behave(pages((index) => ({ isTruncated: true, nextMarker: index + 1, queries: [record, record] })));
    const ids: number[] = [];
    const collect = async () => {
      for await (const { id } of server.client().queries()) ids.push(id);
    };
    expect((await caught(collect())).code).toBe("MalformedAnswer");
    expect(ids).toEqual([1]);
  });

  test("a record on two pages is yielded once", async () => {
    server.behave(
      answer(200, {
        isTruncated: true,
        nextMarker: 2,
        queries: [
          { ...record, id: 3 },
          { ...record, id: 2 },
        ],
      }),
      answer(200, { isTruncated: false, queries: [{ ...record, id: 2 }, record] }),
    );
    expect(await idsOf()).toEqual([3, 2, 1]);
  });

  test("a marker that goes back ends with an error", async () => {
    const markers = [9, 5, 7, 9];
    server.behave(
      pages((index) => ({ isTruncated: true, nextMarker: markers[index]!, queries: [{ ...record, id: index + 1 }] })),
    );
    expect((await caught(idsOf())).message).toContain("nextMarker 9 is missing or was returned before");
  });

  test("a truncated page without a marker is an error", async () => {
    server.behave(answer(200, { isTruncated: true, queries: [record] }));
    expect((await caught(idsOf())).message).toContain("nextMarker undefined is missing");
  });

  test("clusters: empty pages end with an error, too", async () => {
    server.behave(pages((index) => ({ isTruncated: true, nextMarker: `c${index}`, clusters: [] })));
    const collect = async () => {
      for await (const found of server.client().clusters()) expect.fail(found.name);
    };
    expect((await caught(collect())).code).toBe("MalformedAnswer");
  });
});

describe("bodies", () => {
  const megabytes = (text: string, count: number) => text.repeat(Math.ceil((count * 1_048_576) / text.length));

  test.each([
    ["deep arrays", megabytes("[", 10), "has more than 64 levels"],
    ["deep objects", megabytes('{"a":', 10), "has more than 64 levels"],
    ["many objects", `[${megabytes("{},", 10)}{}]`, "has more than 250000 values"],
    ["many numbers", `{"queries":[${megabytes("1,", 10)}1]}`, "has more than 250000 values"],
    ["a quote that does not end", `{"a":"${megabytes('\\"', 10)}`, "is not JSON"],
  ])("%s are refused before they take memory", async (_name, body, reason) => {
    server.behave(answer(200, body));
    const before = process.memoryUsage().rss;
    const error = await caught(server.client().listQueries());
    expect(error.message).toContain(reason);
    expect(error).toMatchObject({ code: "MalformedAnswer", status: 200 });
    // The body itself, as bytes and as text, and what the garbage collector leaves.
    expect((process.memoryUsage().rss - before) / 1_048_576).toBeLessThan(150);
  });

  test("an error's body is bounded like any other", async () => {
    server.behave(answer(400, megabytes("[", 10)));
    expect((await caught(getCluster(server.client()))).code).toBe("MalformedAnswer");
    server.behave(refuse(404, "ClusterNotFound"));
    expect((await caught(getCluster(server.client()))).code).toBe("ClusterNotFound");
  });

  test("a long message of the service is cut", async () => {
    const message = megabytes("no ", 2);
    server.behave(answer(404, { code: "ClusterNotFound", message, status: 404, requestId: "r", resource: "/" }));
    const error = await caught(getCluster(server.client()));
    expect(error.code).toBe("ClusterNotFound");
    expect(error.message.length).toBeLessThan(10_000);
  });

  test("thousands of invalid records are told by the first problems", async () => {
    server.behave(answer(200, { isTruncated: false, queries: Array.from({ length: 50_000 }, () => 1) }));
    const error = await caught(server.client().listQueries());
    expect(error.code).toBe("MalformedAnswer");
    expect(error.message.length).toBeLessThan(2_000);
  });

  test("strings with brackets and quotes are no levels", async () => {
    const log = `${"[{".repeat(1_000)}\\"\\\\${",".repeat(300_000)}`;
    server.behave(answer(200, { log }));
    expect(await server.client().getQueryLog({ queryId: 1 })).toEqual({ log });
  });

  test("an endless chunked body ends at the limit", async () => {
    server.behave((response, _received, socket) => {
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = Buffer.alloc(65_536, 32);
      const write = () => {
        while (!socket.destroyed && response.write(chunk));
        if (!socket.destroyed) response.once("drain", write);
      };
      write();
    });
    const error = await caught(getCluster(server.client({ maxResponseBytes: 1_000_000, maxRetries: 0 })));
    expect(error.code).toBe("MalformedAnswer");
    expect(error.message).toContain("larger than maxResponseBytes 1000000");
  });

  test("a body of single bytes ends with the call's time", async () => {
    server.behave((response, _received, socket) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(" "), 20);
      socket.once("close", () => clearInterval(timer));
    });
    const client = server.client({ timeouts: { body: 200, call: 500 }, maxRetries: 0 });
    expect(await caught(getCluster(client))).toMatchObject({ code: "CallTimedOut", phase: "call" });
  });

  test.each([
    ["text/html", "<html>welcome</html>", "is not JSON: <html>welcome</html>"],
    ["application/json", `${JSON.stringify(cluster)}garbage`, "is not JSON"],
    ["application/json", "", "is not JSON: (empty)"],
    ["application/json", "null", "does not match the API's schema"],
  ])("%s %j is refused", async (type, body, reason) => {
    server.behave(answer(200, body, { "content-type": type }));
    const error = await caught(getCluster(server.client()));
    expect(error.code).toBe("MalformedAnswer");
    expect(error.message).toContain(reason);
    expect(error.message).toContain(endpointRemedy);
  });

  test("a record under another content type is taken: the API's own are not specified", async () => {
    server.behave(answer(200, cluster, { "content-type": "text/plain" }));
    expect(await getCluster(server.client())).toEqual(cluster);
  });
});

describe("statuses and headers", () => {
  test.each([201, 203, 205, 206, 207, 226, 299])("%s is no success of the API", async (status) => {
    server.behave(answer(status, status === 205 ? undefined : cluster));
    const error = await caught(getCluster(server.client()));
    expect(error).toMatchObject({ code: "UnexpectedAnswer", status, sent: true });
    expect(error.message).toContain(`status ${status}`);
  });

  test("a 204 where a record belongs is refused", async () => {
    server.behave(answer(204));
    expect((await caught(getCluster(server.client()))).code).toBe("MalformedAnswer");
  });

  test("a partial answer to a submission is never taken for one, and is not sent again", async () => {
    server.behave(answer(206, { queryId: 7 }));
    expect(await caught(server.client().submitSelect(select))).toMatchObject({ code: "UnexpectedAnswer", sent: true });
    expect(server.received).toHaveLength(1);
  });

  test.each([301, 302, 307, 308])("%s is not followed", async (status) => {
    server.behave(answer(status, "", { location: `${server.url}/elsewhere` }));
    const error = await caught(getCluster(server.client()));
    expect(error).toMatchObject({ code: "UnexpectedAnswer", status });
    expect(error.message).toContain("does not follow redirects");
    expect(server.received).toHaveLength(1);
  });

  test.each([
    ["many headers", Array.from({ length: 20_000 }, (_unused, index) => `x-${index}: y\r\n`).join("")],
    ["a long header", `x-long: ${"y".repeat(1_000_000)}\r\n`],
  ])("%s are refused", async (_name, headers) => {
    server.behave(raw(`HTTP/1.1 200 OK\r\n${headers}\r\n`));
    const error = await caught(getCluster(server.client({ maxRetries: 0 })));
    expect(["MalformedAnswer", "ConnectionFailed"]).toContain(error.code);
  });

  test("responses before the response end with the call's time", async () => {
    server.behave((_response, _received, socket) => {
      const timer = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"), 5);
      socket.once("close", () => clearInterval(timer));
    });
    const client = server.client({ timeouts: { headers: 300, call: 600 }, maxRetries: 0 });
    expect((await caught(getCluster(client))).code).toBe("CallTimedOut");
  });

  test.each([
    ["an unasked 100", "HTTP/1.1 100 Continue\r\n\r\n"],
    ["a 101", "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"],
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n{}"],
    ["a negative length", "HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n{}"],
    ["a length too long", "HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{}"],
    ["an invalid chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n"],
  ])("%s is an error of the client", async (_name, text) => {
    server.behave(raw(text));
    const error = await caught(getCluster(server.client({ maxRetries: 0 })));
    expect(["MalformedAnswer", "ConnectionFailed"]).toContain(error.code);
    expect(error.message).toContain("getCluster at http://127.0.0.1");
  });

  test("bytes after a response do not become the next response", async () => {
    const body = JSON.stringify(cluster);
    const forged = JSON.stringify({ ...cluster, type: "forged" });
    const response = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
    server.behave(raw(response(body) + response(forged), "keep"), okCluster);
    const client = server.client({ connections: 1 });
    expect(await getCluster(client)).toEqual(cluster);
    expect(await getCluster(client)).toEqual(cluster);
  });
});
