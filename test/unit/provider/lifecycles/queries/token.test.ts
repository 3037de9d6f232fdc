import fc from "fast-check";
import { expect, test } from "vitest";
import { limits } from "../../../../../contract";
import {
  labelProblem,
  longestLabel,
  ownLabel,
  submittedLabel,
  tokenLength,
} from "../../../../../provider/lifecycles/queries/token";

const urn = "urn:pulumi:dev::shop::dag:index:SelectQuery::daily";

test("submittedLabel: the label, a hash sign and 12 characters", () => {
  expect(submittedLabel("nightly", { urn, inputs: { query: "SELECT 1" } })).toMatch(/^nightly#[0-9a-f]{12}$/);
  expect(submittedLabel(undefined, { urn, inputs: {} })).toMatch(/^#[0-9a-f]{12}$/);
});

test("submittedLabel: the same for the same submission, whatever the order of its fields", () => {
  const one = submittedLabel("a", { urn, inputs: { query: "q", triggers: { x: 1, y: [2] } } });
  expect(submittedLabel("a", { urn, inputs: { triggers: { y: [2], x: 1 }, query: "q" } })).toBe(one);
});

test("submittedLabel: another for another resource, stack, project or input", () => {
  const labels = [
    submittedLabel("a", { urn, inputs: { query: "q" } }),
    submittedLabel("a", { urn: urn.replace("daily", "weekly"), inputs: { query: "q" } }),
    submittedLabel("a", { urn: urn.replace("dev", "prod"), inputs: { query: "q" } }),
    submittedLabel("a", { urn: urn.replace("shop", "bank"), inputs: { query: "q" } }),
    submittedLabel("a", { urn, inputs: { query: "q", triggers: [1] } }),
  ];
  expect(new Set(labels).size).toBe(labels.length);
});

test("ownLabel: gives back what the user wrote", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: longestLabel }), fc.string(), (label, query) => {
      const submitted = submittedLabel(label === "" ? undefined : label, { urn, inputs: { query } });
      expect(submitted.length).toBeLessThanOrEqual(limits.label);
      expect(ownLabel(submitted) ?? "").toBe(label);
    }),
  );
  expect(ownLabel(null)).toBeUndefined();
  expect(ownLabel("plain")).toBe("plain");
});

test("longestLabel: leaves room for the token, and the message says how much", () => {
  expect(longestLabel + 1 + tokenLength).toBe(limits.label);
  expect(labelProblem("x".repeat(250))).toContain("250 characters long: it must be at most 242");
});
