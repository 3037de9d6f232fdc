/** Implicit conversions. */
import { cast, isImpossibleDate } from "./cast";
import { type Expression, semantic, unsupported } from "../syntax";
import type { Typed } from "./nodes";
import { type HiveType, typeName } from "./types";

/** Casts a value to another type; an error is reported at the position of `node`. */
export function implicitCast(
  value: Typed,
  type: HiveType,
  node: Pick<Expression, "position">,
  what = "conversion",
): Typed {
  const result = cast(value, type);
  if (result) return result;
  if (isImpossibleDate(value)) throw impossibleDate(value, node);
  throw semantic(node.position, what, `cannot convert ${typeName(value.type)} to ${typeName(type)}`);
}

export function impossibleDate({ constant }: Typed, node: Pick<Expression, "position">) {
  return unsupported(
    node.position,
    `'${String(constant)}'`,
    "is not a calendar date, and versions of Hive disagree on its value: write a valid date",
  );
}
