/** The rows of a SELECT: those of FROM, or those that a table-generating function makes of them. */
import { type Call, type Select, semantic, unsupported } from "../../syntax";
import type { BoundFrom } from "../relations";
import type { EnclosingScope } from "../scope";
import { bindRelation } from "./from-clause";
import { generatedRows, tableFunctionNamed } from "./lateral-view";

/** Without FROM, there is one row without columns. */
function bindFrom({ from }: Select, enclosing: EnclosingScope): BoundFrom {
  if (from) return bindRelation(from, enclosing);
  return { relation: { kind: "one row" }, sources: [] };
}

/** Returns the call of a table-generating function when it is the whole select list. */
function tableFunctionCall(select: Select): (Call & { readonly aliases: readonly string[] }) | undefined {
  for (const item of select.items) {
    if (item.kind === "expression" && item.expression.kind === "call" && tableFunctionNamed(item.expression.name)) {
      if (select.items.length > 1)
        throw semantic(
          item.position,
          `function ${item.expression.name}`,
          "returns rows and cannot be combined with other columns: use LATERAL VIEW",
        );
      return { ...item.expression, aliases: item.aliases };
    }
  }
  return undefined;
}

/**
 * Binds the FROM clause. `SELECT explode(x) AS y FROM t` becomes a lateral view, and a select list of the view's
 * columns.
 */
export function selectedRows(select: Select, enclosing: EnclosingScope): { select: Select; from: BoundFrom } {
  const call = tableFunctionCall(select);
  if (!call) return { select, from: bindFrom(select, enclosing) };
  if (select.groupBy)
    throw unsupported(
      call.position,
      `function ${call.name} with GROUP BY`,
      "stands in the select list: use LATERAL VIEW, and group in the same query",
    );
  const input = bindFrom(select, enclosing);
  const view = generatedRows(call, call.aliases, input, enclosing, { clause: "SELECT", isOuter: false });
  const alias = "_table_function";
  const from = {
    relation: view.relation,
    sources: [...view.sources, { alias, columns: view.columns }],
  };
  return { select: { ...select, items: [{ kind: "all", position: call.position, table: alias }] }, from };
}
