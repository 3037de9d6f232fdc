/**
 * The text in which a front end stores the hidden inputs of a resource, under a key that the engine does not show. It is
 * short, because the state stores it with every resource.
 */
import { generationLength } from "./program-tables";

/** The hidden inputs, which the check adds. */
export interface HiddenInputs {
  /** Generation of the resource. */
  readonly _?: string | undefined;
  /** Generations of the tables that it reads. */
  readonly tables?: string | undefined;
}

/** Returns the hidden inputs as one text; an empty one without any. */
export function packHiddenInputs({ _: generation, tables = "" }: HiddenInputs): string {
  return `${generation ?? (tables === "" ? "" : noGeneration)}${tables}`;
}

/** Returns the hidden inputs of a text that {@link packHiddenInputs} returned. */
export function unpackHiddenInputs(packed: string): HiddenInputs {
  const generation = packed.slice(0, generationLength);
  const tables = packed.slice(generationLength);
  return {
    ...(generation !== "" && generation !== noGeneration && { _: generation }),
    ...(tables !== "" && { tables }),
  };
}

/** Stands for the generation of a resource that has none. */
const noGeneration = "-".repeat(generationLength);
