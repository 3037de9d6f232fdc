import { describe, expect, it } from "vitest";
import { operationNames, type OperationName } from "../../../../contract";
import { encodeRequest } from "../../../../provider/client/request";

const select = { clusterName: "c1", query: "SELECT 'ä'", outputResourcePath: "dag://results/a/" };
const split = { clusterName: "c1", inputObjectKeys: ["dag://data/in.csv"], outputDatabase: "data", outputTable: "t" };

describe("encodeRequest", () => {
  const cases: [OperationName, object, string, unknown][] = [
    ["submitSelect", { ...select, label: null }, "POST /v1/?select", select],
    ["submitSplit", { ...split, inputFormat: "tsv" }, "POST /v1/?split", { ...split, inputFormat: "tsv" }],
    ["listQueries", {}, "GET /v1/?query", undefined],
    [
      "listQueries",
      { max: 5, status: ["running", "error"], labelPrefix: "a b&c#%/ä", clusterRebooted: false, marker: 12 },
      "GET /v1/?query&max=5&marker=12&status=running%2Cerror&labelPrefix=a%20b%26c%23%25%2F%C3%A4&clusterRebooted=false",
      undefined,
    ],
    ["getQuery", { queryId: 7 }, "GET /v1/7?query", undefined],
    ["cancelQuery", { queryId: 7 }, "DELETE /v1/7?query", undefined],
    ["getQueryLog", { queryId: 7 }, "GET /v1/7/log?query", undefined],
    ["restartCluster", { clusterName: "c1" }, "PUT /v1/c1?clusterManagement", {}],
    ["restartCluster", { clusterName: "c1", force: true, type: null }, "PUT /v1/c1?clusterManagement", { force: true }],
    [
      "listClusters",
      { clusterNamePrefix: "c", max: undefined },
      "GET /v1/?clusterManagement&clusterNamePrefix=c",
      undefined,
    ],
    ["getCluster", { clusterName: "c1" }, "GET /v1/c1?clusterManagement", undefined],
    ["getClusterStatistics", { clusterName: "c1" }, "GET /v1/c1/statistics?clusterManagement", undefined],
    [
      "exportClusterLog",
      { clusterName: "c1", outputLogPath: "dag://logs/a/", compress: true },
      "PUT /v1/c1/log?clusterManagement",
      { outputLogPath: "dag://logs/a/", compress: true },
    ],
  ];

  it.each(cases)("%s %o", (name, request, line, body) => {
    const encoded = encodeRequest(name, request);
    expect(`${encoded.method} ${encoded.target}`).toBe(line);
    expect(encoded.resource).toBe(encoded.target.split("&", 1)[0]);
    expect(encoded.body === undefined ? undefined : JSON.parse(encoded.body)).toEqual(body);
  });

  it("is tried with every operation", () => {
    expect(new Set(cases.map(([name]) => name))).toEqual(new Set(operationNames));
  });

  it.each<[OperationName, object, string, string]>([
    [
      "submitSelect",
      { ...select, outputResourcePath: "dag://results" },
      "InvalidOutputResourcePath",
      "outputResourcePath",
    ],
    ["submitSelect", { ...select, queryId: 7 }, "InvalidParameter", "queryId"],
    ["getQuery", { queryId: 0 }, "InvalidQueryId", "queryId"],
    ["getQuery", { queryId: "7" }, "InvalidQueryId", "queryId"],
    ["getQuery", {}, "InvalidQueryId", "queryId"],
    ["getQuery", { queryId: 7, extra: true }, "InvalidParameter", "extra"],
    ["getCluster", { clusterName: ".." }, "InvalidClusterName", "clusterName"],
    ["getCluster", { clusterName: "a?b" }, "InvalidClusterName", "clusterName"],
    ["exportClusterLog", { outputLogPath: "dag://logs/a" }, "InvalidClusterName", "clusterName"],
    ["listQueries", { max: 101 }, "InvalidParameter", "max"],
    ["listQueries", { status: ["done"] }, "InvalidParameter", "status"],
  ])("%s %o is refused with %s", (name, request, code, field) => {
    expect(() => encodeRequest(name, request)).toThrow(expect.objectContaining({ code, field, operation: name }));
  });

  it.each([undefined, null, 7, "x"])("getQuery: refuses %j as a request", (request) => {
    expect(() => encodeRequest("getQuery", request as never)).toThrow(expect.objectContaining({ status: 400 }));
  });
});

describe("encodeRequest: the size of a body", () => {
  const ofBytes = (bytes: number) => {
    const empty = JSON.stringify({ ...select, query: "" }).length;
    return { ...select, query: "x".repeat(bytes - empty) };
  };

  it("takes 1 MiB", () => {
    expect(encodeRequest("submitSelect", ofBytes(1_048_576)).body).toHaveLength(1_048_576);
  });

  it("refuses more as the service does, and names the largest field", () => {
    expect(() => encodeRequest("submitSelect", ofBytes(1_048_577))).toThrow(
      expect.objectContaining({
        code: "EntityTooLarge",
        field: "query",
        operation: "submitSelect",
        message:
          "query is too long: the request body has 1048577 bytes, and the service accepts at most 1048576; shorten it",
      }),
    );
  });

  it("says of a split what to do with its objects", () => {
    const inputObjectKeys = Array.from({ length: 10_000 }, (_, index) => `dag://raw/${"x".repeat(100)}${index}`);
    const table = { clusterName: "demo", inputObjectKeys, outputDatabase: "mart", outputTable: "birds" };
    expect(() => encodeRequest("submitSplit", table)).toThrow(
      /^inputObjectKeys is too long: .*; name fewer objects, put them into fewer larger ones, or split them into several tables$/,
    );
  });
});
