/** Checks inputs by their declarations. */
import * as z from "zod";
import { problems } from "../../../contract";
import type { CheckFailure } from "../lifecycle";
import type { InputProperties, InputsOf } from "./properties";

/**
 * Stands, at any depth, for a value that a preview cannot know yet: it depends on a resource that does not exist.
 * Front ends put it in place of the engine's own mark.
 */
export const unknown = Symbol("unknown");

/** What {@link checkProperties} found. `inputs` has the types it says only where there are no failures. */
export interface PropertyCheck<Inputs extends InputProperties> {
  readonly inputs: InputsOf<Inputs>;
  readonly failures: readonly CheckFailure[];
}

/**
 * Checks each input. What is not known yet passes; null is the same as left out.
 * @param secret whether an input is secret: reasons then quote none.
 */
export function checkProperties<Inputs extends InputProperties>(
  resource: string,
  properties: Inputs,
  given: object,
  secret: boolean,
): PropertyCheck<Inputs> {
  const present = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
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
        reason: `${name} is not an input of ${resource}; it has ${Object.keys(properties).join(", ")}`,
      })),
      ...found.map(({ field, message }) => ({
        property: field,
        reason: secret ? `${field} is not valid; why is not shown, since an input is secret` : message,
      })),
    ],
  };
}

/** Whether a value is, or holds, something that is not known yet. */
export function hasUnknown(value: unknown): boolean {
  if (value === unknown) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(hasUnknown);
}

/** Schemas by the names of what is not known: zod compiles each one that it is given, which takes longer than a check. */
const schemas = new WeakMap<InputProperties, Map<string, z.ZodObject>>();

function schemaOf(properties: InputProperties, without: ReadonlySet<string>): z.ZodObject {
  const made = schemas.get(properties) ?? new Map<string, z.ZodObject>();
  schemas.set(properties, made);
  const key = [...without].toSorted().join();
  const known = made.get(key);
  if (known) return known;
  const shape = Object.entries(properties)
    .filter(([name]) => !without.has(name))
    .map(([name, { schema, required }]) => [name, required ? schema : schema.optional()] as const);
  const schema = z.object(Object.fromEntries(shape));
  made.set(key, schema);
  return schema;
}
