import { expect, test } from "vitest";
import { errors } from "../../../../../../contract";
import { EngineError } from "../../../../../../service/engines/duckdb/engine-errors";
import {
  decodeFailure,
  encodeFailure,
  fromEngine,
  toEngine,
} from "../../../../../../service/engines/duckdb/process/protocol";

const asItIs = (message: string) => message;

test("failure: an API error keeps its class, code and field", () => {
  const error = new errors.InvalidDMLStatement("query 1:2 is wrong", { field: "query" });
  const decoded = decodeFailure(encodeFailure(error, false, asItIs));
  expect(decoded).toBeInstanceOf(errors.InvalidDMLStatement);
  expect(decoded).toMatchObject({ code: "InvalidDMLStatement", field: "query", message: "query 1:2 is wrong" });
});

test("failure: any other error becomes an EngineError without its stack", () => {
  const decoded = decodeFailure(encodeFailure(new TypeError("x is not y"), false, asItIs));
  expect(decoded).toBeInstanceOf(EngineError);
  expect(decoded.message).toBe("x is not y");
  expect(encodeFailure("text", true, asItIs)).toEqual({ kind: "cancelled", message: "text" });
});

test("failure: redacts the message", () => {
  expect(encodeFailure(new Error("in /data/x"), false, (text) => text.replace("/data", "dag:/")).message).toBe(
    "in dag://x",
  );
});

test.each([
  { type: "request", id: 1, operation: "tablesRead", input: { statement: 7 } },
  { type: "request", id: 1, operation: "drop", input: {} },
  { type: "request", operation: "tablesRead", input: { statement: "SELECT 1" } },
  { type: "cancel", id: "1" },
  { type: "memory", bytes: "1" },
  { type: "stop" },
  "cancel",
  null,
])("toEngine: refuses %j", (message) => expect(toEngine.safeParse(message).success).toBe(false));

test.each([
  { type: "progress", id: 1, percent: "50", stage: 1 },
  { type: "failure", id: 1, failure: { kind: "other", message: "x" } },
  { type: "result" },
  undefined,
])("fromEngine: refuses %j", (message) => expect(fromEngine.safeParse(message).success).toBe(false));

test("toEngine: accepts the parent's messages", () => {
  const partitions = [{ name: "dt", type: "string" }];
  const table = {
    database: "d",
    table: "t",
    format: "parquet",
    partitions,
    checked: false,
    location: { bucket: "d", key: "t/" },
  };
  const view = { database: "d", view: "v", query: "SELECT 1" };
  const select = {
    queryId: 1,
    statement: "SELECT 1",
    tables: [table],
    views: [view],
    outputFormat: "csv",
    output: "/data/out",
  };
  const message = { type: "request", id: 1, operation: "select", input: select };
  expect(toEngine.parse(message)).toEqual(message);
});
