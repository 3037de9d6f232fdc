/** Checks inputs against their declarations. */
import * as z from "zod";
import { problems } from "../../../contract";
import type { CheckFailure } from "../lifecycle";
import type { InputProperties, InputsOf } from "./properties";

/**
 * Represents, at any depth, a value that is unknown during preview, because it depends on a resource that does not
 * exist yet. Front ends convert the engine's own marker to it.
 */
export const unknown = Symbol("unknown");

/** Result of {@link checkProperties}. `inputs` is valid only when there are no failures. */
export interface PropertyCheck<Inputs extends InputProperties> {
  readonly inputs: InputsOf<Inputs>;
  readonly failures: readonly CheckFailure[];
}

/**
 * Checks each input. Unknown values pass; null means that the input is not set.
 * @param secret true when an input is secret. Reasons then quote no value.
 */
export function checkProperties<Inputs extends InputProperties>(
  resource: string,
  properties: Inputs,
  given: object,
  secret: boolean,
): PropertyCheck<Inputs> {
  // The engine checks an import twice; the second time with the hidden values that the first check added.
  const present = Object.entries(given).filter(
    ([name, value]) => value !== undefined && value !== null && !properties[name]?.hidden,
  );
  const settable = Object.keys(properties).filter((name) => !properties[name]!.hidden);
  const unknownInputs = present.filter(([name]) => !Object.hasOwn(properties, name));
  const values = present.filter(([name]) => Object.hasOwn(properties, name));
  const known = Object.fromEntries(values.filter(([, value]) => !hasUnknown(value)));
  const inputs = Object.fromEntries(values);
  const unknownNames = new Set(values.map(([name]) => name).filter((name) => !Object.hasOwn(known, name)));
  const found = problems(schemaOf(properties, unknownNames), known);
  return {
    inputs: inputs as InputsOf<Inputs>,
    failures: [
      ...unknownInputs.map(([name]) => ({
        property: name,
        reason: `${name} is not an input of ${resource}; the inputs are ${settable.join(", ")}`,
      })),
      ...found.map(({ field, message }) => ({
        property: field,
        reason: secret ? `${field} is not valid; the reason is not shown, because an input is secret` : message,
      })),
    ],
  };
}

/** Returns true when a value is or contains an unknown value. */
export function hasUnknown(value: unknown): boolean {
  if (value === unknown) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(hasUnknown);
}

/**
 * Cached schemas by the names of the unknown inputs, because zod compiles each new schema, which is slower than a
 * check.
 */
const schemas = new WeakMap<InputProperties, Map<string, z.ZodObject>>();

function schemaOf(properties: InputProperties, without: ReadonlySet<string>): z.ZodObject {
  const cache = schemas.get(properties) ?? new Map<string, z.ZodObject>();
  schemas.set(properties, cache);
  const key = [...without].toSorted().join();
  const cached = cache.get(key);
  if (cached) return cached;
  const shape = Object.entries(properties)
    .filter(([name]) => !without.has(name))
    .map(([name, { schema, required }]) => [name, required ? schema : schema.optional()] as const);
  const schema = z.object(Object.fromEntries(shape));
  cache.set(key, schema);
  return schema;
}
