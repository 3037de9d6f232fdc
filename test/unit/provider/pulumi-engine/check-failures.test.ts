import { expect, test } from "vitest";
import { printableFailures } from "../../../../provider/pulumi-engine/check-failures";

const failures = [
  { property: "query", reason: "query cannot run: line 1" },
  { property: "label", reason: "label is too long" },
];

test("printableFailures: name the property", () => {
  expect(printableFailures(failures, { query: "SELEC", label: "l" }, false)).toEqual(failures);
});

test("printableFailures: do not name a property with a long value, which the engine would print in full", () => {
  const [query, label] = failures;
  const found = printableFailures(failures, { query: "SELEC ".repeat(100), label: "l" }, false);
  expect(found).toEqual([{ ...query, property: "" }, label]);
});

test("printableFailures: name no property when an input is secret, which the engine would print in plain text", () => {
  const found = printableFailures(failures, { query: "SELEC", label: "l" }, true);
  expect(found).toEqual(failures.map(({ reason }) => ({ property: "", reason })));
});
