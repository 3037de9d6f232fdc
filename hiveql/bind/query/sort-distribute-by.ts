/** SORT BY, DISTRIBUTE BY and CLUSTER BY: unlike ORDER BY, they can use columns of the select list only. */
import { type Expression, type QueryBody, type Select, semantic, subexpressions } from "../../syntax";
import { hasAggregate } from "../../functions/kinds-of-calls";
import { tableFunctionNamed } from "./lateral-view";

/** Checks the keys of these clauses. @throws HiveQLError for a column that is not selected under its own name. */
export function checkSortDistributeBy(body: QueryBody): void {
  if (body.rest.length > 0 || body.first.kind !== "select") return;
  const clauses = [
    ["SORT BY", (body.sortBy ?? []).map((item) => item.expression)],
    ["DISTRIBUTE BY", body.distributeBy ?? []],
    ["CLUSTER BY", body.clusterBy ?? []],
  ] as const;
  const generating = body.first.items.find(
    (item) => item.kind === "expression" && item.expression.kind === "call" && tableFunctionNamed(item.expression.name),
  );
  for (const [clause, keys] of clauses) {
    if (generating && keys.length > 0)
      throw semantic(
        generating.position,
        clause,
        "is not supported with a function that returns rows in the select list: use LATERAL VIEW",
      );
    for (const key of keys) {
      if (hasAggregate(key))
        throw semantic(key.position, clause, "cannot contain an aggregate: select it with an alias and use the alias");
      checkKey(key, body.first, clause);
    }
  }
}

function checkKey(node: Expression, select: Select, clause: string): void {
  if (node.kind !== "name" && node.kind !== "field") {
    for (const child of subexpressions(node)) checkKey(child, select, clause);
    return;
  }
  const isSelected = select.items.some((item) => {
    if (item.kind === "all") return true;
    if (node.kind === "name" && item.aliases.includes(node.name)) return true;
    const { expression, aliases } = item;
    // A field of a struct, or a column with its table.
    if (node.kind === "field" && (node.base.kind !== "name" || aliases.includes(node.base.name))) return true;
    const own = expression.kind === "name" || expression.kind === "field" ? expression.name : undefined;
    return own === node.name && (aliases[0] ?? own) === own;
  });
  if (!isSelected)
    throw semantic(
      node.position,
      clause,
      `can use selected columns only, and ${node.name} is not selected: select it, or write ORDER BY`,
    );
}
