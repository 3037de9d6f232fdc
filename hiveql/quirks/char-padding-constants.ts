/** Padding of char columns that WHERE fixes to a literal. */
import { type Position, unsupported } from "../syntax";
import { columnsOf } from "../tree/facts";
import type { Typed } from "../tree/nodes";
import type { KnownConstants } from "../tree/row-facts";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "char-padding-constants",
  hive: "4.0.1",
  title: "Padding of char columns that WHERE fixes to a literal",
  why: "Hive 4.0.1 replaces the column by the literal padded with spaces, and an expression around it keeps the spaces.",
  example: "`SELECT cast(c AS string) FROM t WHERE c = 'Bob'` with a char(4) answers `Bob ` and not `Bob`.",
  refuses:
    "The translation refuses expressions over such a column, except for conditions; the column itself may be selected.",
};

/** Refuses an expression that reads a char with a known constant value. */
export function refusePaddedConstants(value: Typed, position: Position, constants: KnownConstants) {
  if (value.node.kind === "column" || value.type.kind === "boolean") return;
  if ([...columnsOf(value).keys()].some((column) => constants.get(column)?.type.kind === "char"))
    throw unsupported(
      position,
      "char column with a constant value",
      "is part of an expression, where Hive keeps the spaces that pad it: write the literal in its place",
    );
}
