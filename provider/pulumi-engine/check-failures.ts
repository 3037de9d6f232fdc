/** Prepares check failures for the engine. */
import { printableText } from "../../contract";
import type { CheckFailure } from "../lifecycles";

/** Maximum length of a value that the engine may print before the reason. */
const maxValueLength = 500;

/**
 * Shows control characters in the reasons, and removes the property name of failures with a secret or long value. For a
 * failure with a property name, the engine prints the property's value: a secret in plain text, and a long value in full.
 */
export function printableFailures(
  failures: readonly CheckFailure[],
  inputs: object,
  secret: boolean,
): readonly CheckFailure[] {
  return failures.map(({ property, reason }) => {
    const value = (inputs as Readonly<Record<string, unknown>>)[property];
    const isLong = (JSON.stringify(value) ?? "").length > maxValueLength;
    return { property: secret || isLong ? "" : property, reason: printableText(reason) };
  });
}
