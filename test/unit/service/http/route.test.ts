import { expect, test } from "vitest";
import { errors, operationNames, operations } from "../../../../contract";
import { resourceOf, route } from "../../../../service/http/route";

test.each(operationNames)("route: finds %s by method, path and key", (name) => {
  const { method, path, key } = operations[name];
  const target = `${path.replace("{queryId}", "7").replace("{clusterName}", "c1")}?${key}`;
  const parameter = path.includes("{queryId}") ? "7" : path.includes("{clusterName}") ? "c1" : undefined;
  expect(route(method, target)).toEqual({ operation: name, parameter, query: new Map() });
});

test("route: accepts the operation key at any position, bare or with an empty value", () => {
  for (const target of ["/v1/?query&max=1", "/v1/?max=1&query", "/v1/?query=&max=1", "/v1/?&query&&max=1"]) {
    expect(route("GET", target)).toMatchObject({ operation: "listQueries", query: new Map([["max", "1"]]) });
  }
});

test("route: parameters and path are percent-decoded, once", () => {
  const { query } = route("GET", "/v1/?query&labelPrefix=a%26b%3Dc+d%2525&clusterName=");
  expect([...query]).toEqual([
    ["labelPrefix", "a&b=c d%25"],
    ["clusterName", ""],
  ]);
  expect(route("GET", "/v1/c%31?clusterManagement").parameter).toBe("c1");
  expect(route("GET", "/v1/..%2f..%2fetc?clusterManagement").parameter).toBe("../../etc");
});

test.each([
  ["GET", "/"],
  ["GET", "/v1/"],
  ["GET", "/v1?query"],
  ["GET", "/v2/?query"],
  ["GET", "/v1/?querys"],
  ["GET", "/v1/?query&split"],
  ["GET", "/v1/?query&query"],
  ["GET", "/v1//log?query"],
  ["GET", "/v1/1/log/?query"],
  ["GET", "/v1/../v1/?query"],
  ["GET", "//v1/?query"],
  ["GET", "http://elsewhere/v1/?query"],
  ["GET", "*"],
  ["GET", ""],
])("route: %s %s is ResourceNotFound", (method, target) => {
  expect(() => route(method, target)).toThrow(errors.ResourceNotFound);
});

test("route: a path of no operation with a key is answered with the paths of that key", () => {
  expect(() => route("GET", "/v1/1/?query")).toThrow(
    "no operation has this path and operation key: with query the path must be /v1/ or /v1/{queryId} or /v1/{queryId}/log",
  );
});

test.each([
  ["GET", "/v1/?select", "POST"],
  ["POST", "/v1/?query", "GET"],
  ["POST", "/v1/7?query", "GET, DELETE"],
  ["DELETE", "/v1/c1/log?clusterManagement", "PUT"],
  ["HEAD", "/v1/c1?clusterManagement", "PUT, GET"],
  ["get", "/v1/?query", "GET"],
])("route: %s %s is MethodNotAllowed, and the message lists %s", (method, target, allowed) => {
  expect(() => route(method, target)).toThrow(errors.MethodNotAllowed);
  expect(() => route(method, target)).toThrow(`use ${allowed}`);
});

test("route: invalid percent-encodings and repeated parameters are InvalidParameter", () => {
  for (const target of [
    "/v1/?query&labelPrefix=%zz",
    "/v1/%ff?query",
    "/v1/?query&%e0%a4%a=1",
    "/v1/?query&max=1&max=2",
  ]) {
    expect(() => route("GET", target)).toThrow(errors.InvalidParameter);
  }
});

test("resourceOf: path and operation key only, of bounded length", () => {
  expect(resourceOf("/v1/?query&labelPrefix=secret")).toBe("/v1/?query");
  expect(resourceOf("/v1/?a=query")).toBe("/v1/");
  expect(resourceOf(`/${"x".repeat(10_000)}`).length).toBe(512);
});
