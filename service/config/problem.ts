/** What is wrong with a value of the config, in our words: those of the library name its own types, and no remedy. */
import type * as z from "zod";
import { shortened } from "../../contract";

/** A problem, and the path of its field in the config file. */
export interface ConfigProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/** Returns the problem of an issue, without the value. */
export function problemOf(issue: z.core.$ZodIssue): ConfigProblem {
  const path = issue.path.map(String);
  if (issue.code !== "invalid_union") return { path, message: issue.message };
  // Of several forms, the one that the value comes closest to: its first problem lies deepest.
  const problems = issue.errors.flatMap(([first]) => (first ? [problemOf(first)] : []));
  const [closest] = problems.toSorted((a, b) => b.path.length - a.path.length);
  return closest ? { path: [...path, ...closest.path], message: closest.message } : { path, message: issue.message };
}

/** Fields whose values are secrets, or may have one. */
const secretField = /^(?:state|credentials|auth)$|key|secret|password|token/i;

/** Characters of a value that a message shows. */
const longestValue = 60;

/**
 * Returns the text about a wrong value that ends its message; empty for one that is missing, a list, fields, a secret, or
 * named in the message already. An address that may have a password is no better than a secret.
 */
export function shownValue(values: unknown, { path, message }: ConfigProblem): string {
  if (path.some((step) => secretField.test(step))) return "";
  let value = values;
  for (const step of path) value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[step];
  if (value === null) return " (it is empty)";
  if (typeof value === "number" || typeof value === "boolean") return ` (it is ${value})`;
  if (typeof value !== "string" || /@|:\/\/.*\?/s.test(value)) return "";
  return message.includes(`"${value}"`) ? "" : ` (it is ${JSON.stringify(shortened(value, longestValue))})`;
}

/** What a value must be, by the name of its type. */
const nouns: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "fields, such as {name: value}",
  record: "fields, such as {name: value}",
  string: "a text, in quotes if it looks like a number",
};

/** Returns the message of an issue for which the schema has none; undefined for those that cannot be said better. */
export function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type": {
      const noun = nouns[issue.expected];
      if (noun === undefined) return undefined;
      return `${issue.input === undefined ? "it is missing: " : ""}it must be ${noun}`;
    }
    case "invalid_value":
      return `it must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.join(", ")}`;
    case "unrecognized_keys":
      return `it has no field "${issue.keys[0]}": correct the name, or remove it`;
    case "too_small":
      return issue.origin === "array" || issue.origin === "string"
        ? "it must not be empty"
        : `it must be ${issue.inclusive === false ? "above" : "at least"} ${issue.minimum}`;
    case "too_big":
      return `it must be at most ${issue.maximum}`;
    default:
      return undefined;
  }
}
