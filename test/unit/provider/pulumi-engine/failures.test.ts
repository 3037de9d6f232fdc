import { expect, test } from "vitest";
import { printableFailures } from "../../../../provider/pulumi-engine/failures";

const failures = [
  { property: "query", reason: "query cannot run: line 1" },
  { property: "label", reason: "label is too long" },
];

test("printableFailures: name the property", () => {
  expect(printableFailures(failures, { query: "SELEC", label: "l" }, false)).toEqual(failures);
});

test("printableFailures: do not name one whose value is long, for the engine prints it whole", () => {
  const [query, label] = failures;
  const found = printableFailures(failures, { query: "SELEC ".repeat(100), label: "l" }, false);
  expect(found).toEqual([{ ...query, property: "" }, label]);
});

test("printableFailures: name none where an input is secret, for the engine prints it in plain", () => {
  const found = printableFailures(failures, { query: "SELEC", label: "l" }, true);
  expect(found).toEqual(failures.map(({ reason }) => ({ property: "", reason })));
});
