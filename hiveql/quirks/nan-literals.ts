/** Comparisons with NaN. */
import { type Position, unsupported } from "../syntax";
import { containsLiteral, readsColumns } from "../tree/facts";
import type { Typed } from "../tree/nodes";
import { isApproximate } from "../tree/types";
import type { Quirk } from "./quirk";

export const quirk: Quirk = {
  id: "nan-literals",
  hive: "4.0.1",
  title: "Comparisons with NaN",
  why: "A filter of Hive 4.0.1 that compares a column with the literal NaN returns no row, while the same comparison in the select list is true.",
  example: "`SELECT count(*) FROM t WHERE x = cast('NaN' AS double)` answers 0 for an `x` that is NaN.",
  refuses: "The translation refuses comparisons of a column with such a literal.",
};

/** @throws HiveQLError for a comparison of a column with NaN. */
export function refuseNaNLiteral(operands: readonly Typed[], position: Position): void {
  if (operands.some(({ type }) => !isApproximate(type))) return;
  if (operands.some(isNaNLiteral) && operands.some(readsColumns))
    throw unsupported(
      position,
      "NaN",
      "is compared with a column, for which Hive's filters return no row: compute the condition without the literal",
    );
}

const isNaNLiteral = (side: Typed) =>
  !readsColumns(side) && containsLiteral(side, (literal) => String(literal.value).toLowerCase() === "nan");
