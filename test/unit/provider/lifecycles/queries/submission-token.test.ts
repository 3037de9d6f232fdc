import fc from "fast-check";
import { expect, test } from "vitest";
import { limits } from "../../../../../contract";
import {
  labelProblem,
  maxLabelLength,
  userLabel,
  submittedLabel,
  tokenLength,
} from "../../../../../provider/lifecycles/queries/submission-token";

const urn = "urn:pulumi:dev::shop::dag:index:SelectQuery::daily";

test("submittedLabel: the label, a hash sign and 12 characters", () => {
  expect(submittedLabel("nightly", { urn, inputs: { query: "SELECT 1" } })).toMatch(/^nightly#[0-9a-f]{12}$/);
  expect(submittedLabel(undefined, { urn, inputs: {} })).toMatch(/^#[0-9a-f]{12}$/);
});

test("submittedLabel: is the same for the same submission, in any order of its fields", () => {
  const one = submittedLabel("a", { urn, inputs: { query: "q", triggers: { x: 1, y: [2] } } });
  expect(submittedLabel("a", { urn, inputs: { triggers: { y: [2], x: 1 }, query: "q" } })).toBe(one);
});

test("submittedLabel: differs for another resource, stack, project or input", () => {
  const labels = [
    submittedLabel("a", { urn, inputs: { query: "q" } }),
    submittedLabel("a", { urn: urn.replace("daily", "weekly"), inputs: { query: "q" } }),
    submittedLabel("a", { urn: urn.replace("dev", "prod"), inputs: { query: "q" } }),
    submittedLabel("a", { urn: urn.replace("shop", "bank"), inputs: { query: "q" } }),
    submittedLabel("a", { urn, inputs: { query: "q", triggers: [1] } }),
  ];
  expect(new Set(labels).size).toBe(labels.length);
});

test("userLabel: returns the user's part", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: maxLabelLength }), fc.string(), (label, query) => {
      const submitted = submittedLabel(label === "" ? undefined : label, { urn, inputs: { query } });
      expect(submitted.length).toBeLessThanOrEqual(limits.label);
      expect(userLabel(submitted) ?? "").toBe(label);
    }),
  );
  expect(userLabel(null)).toBeUndefined();
  expect(userLabel("plain")).toBe("plain");
});

test("labelProblem: states the limit that counts, also of a label that is too long without a token", () => {
  expect(labelProblem("x".repeat(300), true)).toBe(
    'label is 300 characters long: it must be at most 242, because "#" and a token of 12 characters are added',
  );
  expect(labelProblem("x".repeat(255), false)).toBeUndefined();
  expect(labelProblem("x".repeat(256), false)).toBe("label is 256 characters long: it must be at most 255");
});

test("maxLabelLength: leaves room for the token, and the message states the limit", () => {
  expect(maxLabelLength + 1 + tokenLength).toBe(limits.label);
  expect(labelProblem("x".repeat(242), true)).toBeUndefined();
  expect(labelProblem("x".repeat(250), true)).toBe(
    'label is 250 characters long: it must be at most 242, because "#" and a token of 12 characters are added (set dag:submissionToken to false to turn that off)',
  );
});
