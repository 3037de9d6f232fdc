/** Comparisons with NaN. */
import { unsupported } from "../syntax";
import { containsLiteral, positionOf, readsColumns } from "../tree/facts";
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
  pass: {
    before: (value) => {
      const { node } = value;
      if (node.kind !== "comparison" || !isApproximate(node.operands[0].type)) return value;
      if (node.operands.some(isNaNLiteral) && node.operands.some(readsColumns))
        throw unsupported(
          positionOf(value),
          "NaN",
          "is compared with a column, for which Hive's filters return no row: compute the condition without the literal",
        );
      return value;
    },
  },
};

const isNaNLiteral = (side: Typed) =>
  !readsColumns(side) && containsLiteral(side, (literal) => String(literal.value).toLowerCase() === "nan");
