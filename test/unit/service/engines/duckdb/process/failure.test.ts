import { expect, test } from "vitest";
import { errors } from "../../../../../../contract";
import { EngineError } from "../../../../../../service/engines/duckdb/engine-errors";
import { decodeFailure, encodeFailure } from "../../../../../../service/engines/duckdb/process/failure";

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
