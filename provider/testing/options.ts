/** Refuses misspelt options of the mocks, which a test in JavaScript, or with a value of a wider type, may have. */
import { nearestName } from "../../hiveql/syntax/nearest-name";

/**
 * @param lacks the beginning of the message, such as `there is no option`.
 * @throws an error that says what is misspelt, and which names there are.
 */
export function requireNames(given: object, names: readonly string[], lacks: string): void {
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const near = nearestName(name, names);
    const remedy = near === undefined ? "use one of" : `did you mean "${near}"? There are`;
    throw new Error(`dagMocks: ${lacks} "${name}": ${remedy} ${names.join(", ")}`);
  }
}
