/** The select list: expressions, `*`, and regular expressions over column names. */
import { type Expression, type SelectItem, semantic, unsupported } from "../../syntax";
import { columnValue, sourceNamed, starColumns } from "../names";
import type { Source } from "../relations";
import { expression, type Scope } from "../scope";
import { columnNamePattern } from "./column-name-pattern";
import type { Item } from "./output-columns";

/** Binds the items of a select list. */
export function selectList(written: readonly SelectItem[], scope: Scope): Item[] {
  const items: Item[] = [];
  for (const item of written) {
    if (item.kind === "all") items.push(...star(item, scope));
    else if (item.aliases.length > 1)
      throw semantic(item.position, "AS (…)", "has several aliases for one column: write one alias");
    else items.push(...(regexColumns(item, scope) ?? [outputItem(item, items.length, scope)]));
  }
  return items;
}

type ExpressionItem = Extract<SelectItem, { kind: "expression" }>;

function outputItem(item: ExpressionItem, index: number, scope: Scope): Item {
  const value = expression(item.expression, scope);
  return { name: item.aliases[0] ?? defaultColumnName(item.expression) ?? `_c${index}`, value };
}

/** Returns the columns that match a regular expression in backticks; undefined for other items. */
function regexColumns(item: ExpressionItem, scope: Scope): Item[] | undefined {
  const node = item.expression;
  if (scope.context.settings.quotedIdentifiers !== "none") return undefined;
  if ((node.kind !== "name" && node.kind !== "field") || !node.quoted || /^\w+$/.test(node.name)) return undefined;
  if (node.kind === "field" && node.base.kind !== "name") return undefined;
  const source = node.kind === "field" && node.base.kind === "name" ? sourceNamed(scope, node.base.name) : undefined;
  if (node.kind === "field" && !source)
    throw semantic(item.position, `\`${node.name}\``, "belongs to no relation of FROM");
  const pattern = columnNamePattern(node.name);
  if (!pattern) throw unsupported(item.position, `columns \`${node.name}\``);
  if (item.aliases.length > 0)
    throw semantic(
      item.position,
      `columns \`${node.name}\``,
      "cannot have an alias, since the pattern may match several columns",
    );
  const columns = starColumns(source ? [source] : scope.sources);
  const found = columns.filter(({ name }) => name.search(pattern.expression) === 0);
  if (found.length === 0) throw semantic(item.position, `columns \`${node.name}\``, "match no column of FROM");
  return found.map(({ name, value }) => ({ name, value: columnValue(value, name, item, scope) }));
}

function star(item: Extract<SelectItem, { kind: "all" }>, scope: Scope): Item[] {
  const { sources } = scope;
  const named = item.table === undefined ? undefined : sourceNamed(scope, item.table);
  if (item.table !== undefined && !named)
    throw semantic(item.position, `${item.table}.*`, "is not the name or alias of a relation in FROM");
  const chosen: readonly Source[] = named ? [named] : sources;
  const columns = starColumns(chosen);
  if (columns.length === 0) throw semantic(item.position, "*", "needs a FROM clause");
  return columns.map(({ name, value }) => ({ name, value: columnValue(value, name, item, scope) }));
}

/** Returns the name of a column or field without an alias. */
function defaultColumnName(node: Expression): string | undefined {
  return node.kind === "name" || node.kind === "field" ? node.name : undefined;
}
