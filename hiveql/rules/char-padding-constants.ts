/** Padding of char columns that WHERE fixes to a literal. */
import { unsupported } from "../syntax";
import { columnsOf, positionOf } from "../tree/facts";
import type { Select } from "../tree/nodes";
import type { Quirk } from "../quirks/quirk";
import type { Constants } from "./constant-propagation";

export const rule: Quirk = {
  id: "char-padding-constants",
  hive: "4.0.1",
  title: "Padding of char columns that WHERE fixes to a literal",
  why: "Hive 4.0.1 replaces the column by the literal padded with spaces, and an expression around it keeps the spaces.",
  example: "`SELECT cast(c AS string) FROM t WHERE c = 'Bob'` with a char(4) answers `Bob ` and not `Bob`.",
  refuses:
    "The translation refuses expressions over such a column, except for conditions; the column itself may be selected.",
};

/** @throws HiveQLError when a SELECT computes a value from a char with a known constant value. */
export function refusePaddedConstants({ groups, columns }: Select, constants: () => Constants): void {
  if (groups) return;
  for (const { value } of columns) {
    if (value.node.kind === "column" || value.type.kind === "boolean") continue;
    if ([...columnsOf(value).keys()].some((column) => constants().get(column)?.type.kind === "char"))
      throw unsupported(
        positionOf(value),
        "char column with a constant value",
        "is part of an expression, where Hive keeps the spaces that pad it: write the literal in its place",
      );
  }
}
