/**
 * The text in which a front end stores the hidden inputs of a resource, under a key that the engine does not show:
 * `<generation>.<table>.<table>`. It is short, because the state stores it with every resource.
 */
import { noGeneration } from "./program-tables";

/** The hidden inputs, which the check adds. */
export interface HiddenInputs {
  /** Generation of the resource. */
  readonly generation?: string | undefined;
  /** Generations of the tables that it reads. */
  readonly tables?: readonly string[] | undefined;
}

const separator = ".";

/** Returns the hidden inputs as one text; an empty one without any. */
export function packHiddenInputs({ generation = "", tables = [] }: HiddenInputs): string {
  return generation === "" && tables.length === 0 ? "" : `${generation}${separator}${tables.join(separator)}`;
}

/** Returns the hidden inputs of a text that {@link packHiddenInputs}, or that of a release before it, returned. */
export function unpackHiddenInputs(packed: string): HiddenInputs {
  const [first = "", ...rest] = packed.includes(separator) ? packed.split(separator) : inThrees(packed);
  const tables = rest.filter((table) => table !== "");
  return {
    ...(first !== "" && first !== noGeneration && { generation: first }),
    ...(tables.length > 0 && { tables }),
  };
}

/** Returns the generations that earlier releases wrote: of three characters, and without a separator. */
function inThrees(packed: string): string[] {
  return packed.match(/.{3}/g) ?? [];
}
