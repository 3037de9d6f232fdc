/** What the engine is told of inputs that are not as they must be. */
import type { CheckFailure } from "../lifecycles";

/** Characters of a value that may stand before the reason. */
const longestValue = 500;

/**
 * The same failures, without the property's name where the engine is to print the reason alone: of a failure that names
 * a property it prints the property's value too, a secret one in plain and a long one whole.
 */
export function printableFailures(
  failures: readonly CheckFailure[],
  inputs: object,
  secret: boolean,
): readonly CheckFailure[] {
  return failures.map(({ property, reason }) => {
    const value = (inputs as Readonly<Record<string, unknown>>)[property];
    const long = (JSON.stringify(value) ?? "").length > longestValue;
    return { property: secret || long ? "" : property, reason };
  });
}
