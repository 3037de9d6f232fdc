import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError, errorCodes, errors, errorTable } from "../../../../contract";
import { ClientError, MalformedAnswerError, UnexpectedAnswerError } from "../../../../provider/client";
import { decodeResponse } from "../../../../provider/client/response";
import { encodeRequest } from "../../../../provider/client/request";
import { resultOrError } from "../../contract/result-or-error";

const getQuery = encodeRequest("getQuery", { queryId: 7 });
const cancelQuery = encodeRequest("cancelQuery", { queryId: 7 });
const getQueryLog = encodeRequest("getQueryLog", { queryId: 7 });
const context = { headerPrefix: "x-svc-", now: 0 };

function answer(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, text, header: (name: string) => headers[name] };
}

const failure = (...parameters: Parameters<typeof answer>) =>
  resultOrError(() => decodeResponse(getQuery, answer(...parameters), context));

const query = {
  id: 7,
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
  outputFormat: "csv",
  outputResourcePath: "dag://results/a/",
};

describe("decodeResponse: success", () => {
  it("returns the record, with fields that a later service adds", () => {
    expect(decodeResponse(getQuery, answer(200, { ...query, later: 1 }), context)).toEqual({ ...query, later: 1 });
  });

  it("returns undefined for an operation without a result, whatever the body contains", () => {
    expect(decodeResponse(cancelQuery, answer(204, ""), context)).toBeUndefined();
    expect(decodeResponse(cancelQuery, answer(200, "ok"), context)).toBeUndefined();
  });

  it.each([
    ["an empty body", ""],
    ["a page", "<html>hello</html>"],
    ["half of a body", '{"id": 7, "type": "sel'],
    ["another record", { name: "c1" }],
    ["a wrong type", { ...query, id: "7" }],
    ["an unknown status", { ...query, status: "dreaming" }],
    ["null", null],
  ])("MalformedAnswer: %s", (_, body) => {
    const error = failure(200, body, { "x-svc-request-id": "r-1" });
    expect(error).toBeInstanceOf(MalformedAnswerError);
    expect(error).toMatchObject({
      code: "MalformedAnswer",
      status: 200,
      requestId: "r-1",
      operation: "getQuery",
      sent: true,
    });
    expect((error as Error).message).toMatch(
      /^getQuery: the response \(200, request r-1\) (is not JSON|does not match the API's schema)/,
    );
  });
});

describe("decodeResponse: errors", () => {
  const body = {
    code: "QueryNotFound",
    message: "query 7 does not exist",
    status: 404,
    requestId: "r-1",
    resource: "/v1/7?query",
  };

  it("throws the error class of the code with all details of the response", () => {
    const error = failure(404, body, { "x-svc-request-id": "r-1", "retry-after": "2" });
    expect(error).toBeInstanceOf(errors.QueryNotFound);
    expect(error).toMatchObject({ ...body, operation: "getQuery", retryAfter: 2_000 });
  });

  it.each(errorCodes)("%s", (code) => {
    const { status } = errorTable[code];
    expect(failure(status, { ...body, code, status })).toBeInstanceOf(errors[code]);
  });

  it("uses the actual HTTP status, and the request identifier of the body if the header is missing", () => {
    expect(failure(400, { ...body, status: 200 })).toMatchObject({
      code: "QueryNotFound",
      status: 400,
      requestId: "r-1",
    });
  });

  it("reads the request identifier from the header with the service's prefix", () => {
    const found = answer(404, body, { "x-iij-request-id": "r-2" });
    expect(() => decodeResponse(getQuery, found, { ...context, headerPrefix: "x-iij-" })).toThrow(
      expect.objectContaining({ requestId: "r-2" }),
    );
  });

  it.each([
    [502, "<html><h1>502 Bad Gateway</h1></html>", "502 Bad Gateway"],
    [500, "", "(empty)"],
    [404, { error: "no such page" }, "no such page"],
    [403, { code: "X" }, "X"],
    [400, { ...body, code: 5 }, "a proxy may have responded"],
  ])("UnexpectedAnswer: status %s with %j", (status, text, shown) => {
    const error = failure(status, text);
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(error).toMatchObject({ code: "UnexpectedAnswer", status, operation: "getQuery", sent: true });
    expect((error as Error).message).toContain(shown);
  });

  it("UnexpectedAnswer: a redirect, with its target", () => {
    const error = failure(307, body, { location: "https://elsewhere.example/v1/7?query" });
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect((error as Error).message).toContain("https://elsewhere.example/v1/7?query");
  });

  it("shortens a page", () => {
    expect((failure(502, "x".repeat(100_000)) as Error).message.length).toBeLessThan(400);
  });

  it("decodes any response or throws a typed error", () => {
    const text = fc.oneof(fc.string(), fc.json());
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), text, (status, value) => {
        const outcome = resultOrError(() => decodeResponse(getQueryLog, answer(status, value), context));
        const typed = outcome instanceof ApiError || outcome instanceof ClientError;
        expect(typed || typeof (outcome as { log: unknown }).log === "string").toBe(true);
      }),
    );
  });
});

describe("decodeResponse: a hostile service", () => {
  it("bounds and escapes what an error shows of the response", () => {
    const text = `\u001b]0;x\u0007${"C".repeat(1_000_000)}`;
    const error = failure(400, { code: text, message: text, status: 400, requestId: text, resource: text }) as ApiError;
    expect(error.code).toMatch(/^\\u001b\]0;x\\u0007C+…$/);
    expect(error.requestId).toBe(error.code);
    for (const shown of [error.code, error.requestId!]) expect(shown.length).toBeLessThan(120);
    expect(error.resource!.length).toBeLessThan(2_100);
    expect(String(error).length + error.stack!.length).toBeLessThan(30_000);
  });

  const getCluster = encodeRequest("getCluster", { clusterName: "demo" });
  const getStatistics = encodeRequest("getClusterStatistics", { clusterName: "demo" });
  const cluster = { name: "demo", status: "norm", type: "duckdb", instances: [], debug: false };
  const disk = { dfsUsed: 0, nonDfsUsed: 0, capacity: 0 };
  const statistics = {
    name: "demo",
    type: "duckdb",
    disk: { used: 0, capacity: 0 },
    instances: [{ instanceId: 0, grade: "small", disk }],
  };
  const problem = (request: typeof getCluster, body: object) =>
    (resultOrError(() => decodeResponse(request, answer(200, body), context)) as Error).message;

  it("takes a cluster's record by its exact name", () => {
    expect(decodeResponse(getCluster, answer(200, cluster), context)).toEqual(cluster);
    expect(problem(getCluster, { ...cluster, name: "Demo" })).toContain("has the name Demo and not demo");
  });

  it.each([
    [
      "a field that is missing",
      getCluster,
      { ...cluster, debug: undefined },
      "debug is missing; it must be true or false",
    ],
    ["another type", getCluster, { ...cluster, name: 5 }, "name must be a text"],
    ["another value", getCluster, { ...cluster, status: "odd" }, "status must be one of init, reserved, stopped"],
    ["another kind of query", getQuery, { ...query, type: "other" }, "type must be one of the API's values"],
    ["no object", getQuery, [], "the response must be"],
    ["a text as a number", getQuery, { ...query, id: "7" }, "id must be a whole number"],
    [
      "used bytes below 0",
      getStatistics,
      { ...statistics, disk: { used: -1, capacity: 0 } },
      "disk.used must be a number of at least 0",
    ],
    [
      "a capacity below 0",
      getStatistics,
      { ...statistics, disk: { used: 0, capacity: -1 } },
      "disk.capacity must be a number of at least 0",
    ],
    [
      "an instance below 0",
      getStatistics,
      { ...statistics, instances: [{ instanceId: -5, grade: "g", disk }] },
      "instances[0].instanceId must be a number of at least 0",
    ],
  ])("names the field and what it must be: %s", (_, request, body, expected) => {
    const message = problem(request, body);
    expect(message).toContain(`does not match the API's schema: ${expected}`);
    expect(message).not.toMatch(/Invalid|✖|→|received/);
  });
});
