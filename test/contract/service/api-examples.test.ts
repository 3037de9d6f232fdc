/** The examples of docs/api.md are calls that the service takes, and its answers. */
import { expect, test } from "vitest";
import { operationNames, operations, type OperationName } from "../../../contract";
import { type ApiExample, apiExamples } from "../../../tools/generate/api-examples.mts";
import { ended } from "./caller";
import { slow, useService } from "./fixture";

const events = "2026-11-20 10:00:00,click,120\n2026-11-20 10:00:01,view,80\n2026-11-20 10:00:02,click,40\n";
const numbers = Array.from({ length: 20_000 }, (_, n) => `${n}\n`).join("");

const f = useService({
  clusters: [{ name: "demo", instances: [{ grade: "small", quantity: 3 }] }],
  buckets: ["analytics", "reports"],
  objects: { "dag://raw/2026/events.csv": events, "dag://data/numbers/n.csv": numbers },
  tables: [{ database: "data", table: "numbers", format: "csv", schema: "bigint n" }],
});

/** Values that differ from run to run: their type is compared instead. */
const volatile = new Set(["accessKeyId", "startTime", "log", "used", "dfsUsed", "nonDfsUsed", "capacity", "stage"]);

/** A value with its volatile parts replaced by their types, and of each list only the first entry. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(comparable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, volatile.has(name) ? typeof inner : comparable(inner)]),
  );
}

test("api examples: every operation has one", () => {
  expect(Object.keys(apiExamples).toSorted()).toEqual(operationNames.toSorted());
});

test("api examples: the service answers each call as docs/api.md shows it", async () => {
  for (const [name, example] of Object.entries(apiExamples) as [OperationName, ApiExample][]) {
    // Query 3, which the example cancels.
    if (name === "cancelQuery")
      await f.select({ clusterName: "demo", query: slow, outputResourcePath: "dag://reports/slow/" });
    const { target, body, answer } = example;
    const { status, json } = await f.call(operations[name].method, target, { body });
    expect(status, `${name}: ${JSON.stringify(json)}`).toBe(operations[name].success);
    expect(comparable(json), name).toEqual(comparable(answer));
    if (name === "submitSplit" || name === "submitSelect") await ended(f.service, json.queryId);
  }
});
