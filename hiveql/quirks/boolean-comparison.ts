/** Comparisons of booleans with other types. */
import { type Position, unsupported } from "../syntax";
import type { Typed } from "../tree/nodes";
import { isText, isVoid } from "../tree/types";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "boolean-comparison",
  hive: "4.0.1",
  title: "Comparisons of booleans with other types",
  why: "Hive 4.0.1 has a rule of its own for each pair of types and for literals: with a text it answers NULL, and with a number it converts one side or the other.",
  example: "`flag = 'true'` answers NULL for every row.",
  refuses:
    "The translation refuses to compare a boolean with a text or a decimal, and TRUE or FALSE with any other type.",
};

/** @throws HiveQLError for TRUE or FALSE with a number or text, and for a boolean with a text literal or a decimal. */
export function refuseMixedBooleans(left: Typed, right: Typed, position: Position, written: string): void {
  if (left.type.kind === right.type.kind || isVoid(left.type) || isVoid(right.type)) return;
  const [flag, other] = left.type.kind === "boolean" ? [left, right] : [right, left];
  if (flag.type.kind !== "boolean") return;
  if (typeof other.constant === "string" && isText(other.type))
    throw unsupported(
      position,
      written,
      `compares a boolean with the text '${other.constant}', which is NULL in Hive 4 for every row: write the boolean alone, NOT before it, or = true`,
    );
  if (flag.constant !== undefined || other.type.kind === "decimal")
    throw unsupported(
      position,
      written,
      "compares a boolean with another type, for which Hive has its own rules: cast both sides to one type",
    );
}
