import { expect, test } from "vitest";
import { Faults, faultRule } from "../../../../service/http/faults";

const rules = (...given: unknown[]) => given.map((rule) => faultRule.parse(rule));

test("pick: applies a rule to its share of the operation's requests", () => {
  const numbers = [0.1, 0.25, 0.9];
  const faults = new Faults(rules({ operation: "getQuery", probability: 0.25, code: "ServiceUnavailable" }), () =>
    numbers.shift()!,
  );
  expect(faults.pick("listQueries")).toBeUndefined();
  expect(faults.pick("getQuery")?.error).toMatchObject({ code: "ServiceUnavailable", status: 503 });
  expect(faults.pick("getQuery")).toBeUndefined();
  expect(faults.pick("getQuery")).toBeUndefined();
});

test("pick: combines rules: the longest latency, the last code and the last drop win", () => {
  const faults = new Faults(
    rules(
      { operation: "*", probability: 1, latencyMs: 50, dropConnection: true },
      { operation: "getQuery", probability: 1, latencyMs: 20, code: "TooManyRequests", dropConnection: "after" },
      { operation: "getQuery", probability: 0, code: "InternalError" },
    ),
    () => 0.5,
  );
  expect(faults.pick("getQuery")).toMatchObject({ latencyMs: 50, drop: "after", error: { code: "TooManyRequests" } });
  expect(faults.pick("getCluster")).toEqual({ latencyMs: 50, drop: "before", error: undefined });
});

test("reset: restores the configured rules", () => {
  const configured = rules({ operation: "*", probability: 1, latencyMs: 1 });
  const faults = new Faults(configured);
  faults.set([]);
  expect(faults.pick("getQuery")).toBeUndefined();
  faults.reset();
  expect(faults.rules).toEqual(configured);
});

test.each([
  { operation: "getQuery", probability: 1 },
  { operation: "getQuery", probability: 1, dropConnection: false },
  { operation: "getQuery", probability: 2, latencyMs: 1 },
  { operation: "get", probability: 1, latencyMs: 1 },
  { operation: "*", probability: 1, code: "Nope" },
  { operation: "*", probability: 1, latencyMs: -1 },
])("faultRule: refuses %o", (rule) => {
  expect(faultRule.safeParse(rule).success).toBe(false);
});
