/** Checks the options of a test service, which a test in JavaScript, or with a value of a wider type, may misspell. */
import type * as z from "zod";
import { nearestName } from "../../hiveql/syntax/nearest-name";
import { messageOf, problemOf } from "../config/problem";
import { configSchema } from "../config/schema";
import { StartError } from "../config/start-error";

/** @throws {StartError} that names an option that does not exist. */
export function requireOptions(given: object, names: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const near = nearestName(name, names);
    const remedy = near === undefined ? "use one of" : `did you mean "${near}"? There are`;
    throw new StartError(`startService: there is no option "${name}": ${remedy} ${names.join(", ")}`);
  }
}

/** @throws {StartError} that names an option that has no such value. */
export function configOf(values: object): z.output<typeof configSchema> {
  const parsed = configSchema.safeParse(values, { error: messageOf });
  if (parsed.success) return parsed.data;
  const { path, message } = problemOf(parsed.error.issues[0]!);
  throw new StartError(`startService: ${path.join(".")}: ${message}`);
}
