/** Reads GROUP BY. */
import * as grammar from "./grammar";
import { positionOf } from "./positions";
import { readColumnPath, readExpression, readExpressions } from "./read-expression";
import type { Expression, GroupBy } from "./ast";

/** Reads GROUP BY with its grouping sets; `GROUP BY ()` has no effect. */
export function readGroupBy(context: grammar.GroupByClauseContext): GroupBy | undefined {
  const position = positionOf(context);
  const standard = context.rollupStandard();
  if (standard) {
    return {
      position,
      keys: standard.expression().map(readExpression),
      sets: standard.KW_CUBE() ? "cube" : "rollup",
    };
  }
  const old = context.rollupOldSyntax();
  if (old) {
    const keys = readExpressions(old.expressionsNotInParenthesis());
    if (old.KW_ROLLUP()) return { position, keys, sets: "rollup" };
    if (old.KW_CUBE()) return { position, keys, sets: "cube" };
    if (old.KW_SETS()) {
      return {
        position,
        keys,
        sets: old.groupingSetExpression().map((set) => set.expression().flatMap(readSetMember)),
      };
    }
    return { position, keys };
  }
  const column = context.columnName();
  if (column) return { position, keys: [readColumnPath(column)] };
  return undefined;
}

/** Returns the members of a grouping set. The grammar may parse the set `(a, b)` as one row expression. */
function readSetMember(context: grammar.ExpressionContext): readonly Expression[] {
  const expression = readExpression(context);
  return expression.kind === "row" ? expression.items : [expression];
}
