import { expect, test } from "vitest";
import { fromEngine } from "../../../../../../service/engines/duckdb/process/protocol";

test.each([
  { type: "progress", id: 1, percent: "50", stage: 1 },
  { type: "failure", id: 1, failure: { kind: "other", message: "x" } },
  { type: "result" },
  undefined,
])("fromEngine: refuses %j", (message) => expect(fromEngine.safeParse(message).success).toBe(false));
