/** The helpers of a call: its errors, and the conversions of its arguments. */
import { semantic, unsupported } from "../syntax";
import { commonTypeOf } from "../tree/coercion";
import { implicitCast } from "../tree/implicit-cast";
import type { Site } from "../tree/nodes";
import { typeName } from "../tree/types";
import type { CallSite } from "./define";

/** Returns a place with the helpers that a function's declaration may need. */
export function callSite(site: Site): CallSite {
  const construct = `function ${site.name}`;
  const invalid = (reason: string) => semantic(site.position, construct, reason);
  return {
    ...site,
    invalid,
    refused: (reason) => unsupported(site.position, construct, reason),
    convert: (value, type) => implicitCast(value, type, site, construct),
    common: (values) =>
      commonTypeOf(
        values.map(({ type }) => type),
        (left, right) => invalid(`has no common type for ${typeName(left)} and ${typeName(right)}: cast one of them`),
      ),
  };
}
