/** Describes a response that does not match its schema, in the client's own words. */
import type * as z from "zod";

/** Problems that a message names. */
const maxProblems = 3;

/**
 * Returns a sentence that names the first fields which do not match, and what they must be.
 * @param body the response, to tell a field that is missing from one with another value.
 */
export function schemaProblems(issues: readonly z.core.$ZodIssue[], body: unknown): string {
  const named = issues.slice(0, maxProblems).map((issue) => describe(issue, body));
  return `${named.join("; ")}${issues.length > maxProblems ? "; and others" : ""}`;
}

function describe(issue: z.core.$ZodIssue, body: unknown): string {
  const { path } = issue;
  const name = path.reduce<string>(
    (before, step) => (typeof step === "number" ? `${before}[${step}]` : `${before && `${before}.`}${String(step)}`),
    "",
  );
  const value = path.reduce<unknown>((outer, step) => (outer as Readonly<Record<PropertyKey, unknown>>)[step], body);
  return `${name || "the response"} ${value === undefined ? "is missing; it " : ""}must be ${expectation(issue)}`;
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return typeNames[issue.expected] ?? issue.expected;
    case "invalid_value":
      return `one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `a number of at least ${issue.inclusive ? issue.minimum : Number(issue.minimum) + 1}`;
    case "too_big":
      return `a number of at most ${issue.maximum}`;
    case "invalid_union":
      return "one of the API's values";
    default:
      return "a value of the API";
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a text",
  int: "a whole number",
  // Every number of the API is whole.
  number: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
};
