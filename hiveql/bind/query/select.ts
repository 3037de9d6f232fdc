/** One SELECT: FROM, WHERE, GROUP BY, HAVING, the select list, ORDER BY and LIMIT. */
import { type Expression, type Ordering, type OrderItem, type Select, semantic } from "../../syntax";
import { contains } from "../../tree/facts";
import type { Select as SelectTree, Typed } from "../../tree/nodes";
import { condition } from "../condition";
import { limitOf, sortKeys } from "../order";
import type { BoundFrom, BoundQuery, OutputColumn } from "../relations";
import { type EnclosingScope, type Grouping, type Scope, scopeOf } from "../scope";
import { type Item, outputColumns } from "./output-columns";
import { groupsOf, selectGroups } from "./select-groups";
import { selectList } from "./select-list";
import { selectOrder, sortedColumns, tieBreakers } from "./select-order";
import { selectedRows } from "./selected-rows";

/** Binds one SELECT with its sort keys; `limit` is its LIMIT clause. */
export function bindSelect(
  select: Select,
  ordering: readonly OrderItem[],
  enclosing: EnclosingScope,
  limit?: Ordering["limit"],
): BoundQuery {
  const rows = selectedRows(select, enclosing);
  return new SelectBinder(rows.select, rows.from, ordering, enclosing).bind(limit);
}

class SelectBinder {
  /** The scope of WHERE. */
  private readonly base: Scope;
  private readonly scope: Scope;
  private readonly grouping: Grouping | undefined;

  constructor(
    private readonly select: Select,
    private readonly from: BoundFrom,
    private readonly ordering: readonly OrderItem[],
    enclosing: EnclosingScope,
  ) {
    const windows = new Map(select.windows.map(({ name, window }) => [name, window]));
    const selectAliases = new Set(select.items.flatMap((item) => (item.kind === "expression" ? item.aliases : [])));
    const base = { ...scopeOf(from.sources, enclosing, "WHERE"), windows, selectAliases };
    this.base = base;
    // Only WHERE of a subquery can read the outer query.
    const { parent: _parent, ...inner } = base;
    this.grouping = selectGroups(select, ordering, { ...inner, clause: "GROUP BY" });
    this.scope = {
      ...inner,
      clause: "SELECT",
      allowsWindows: true,
      memo: new WeakMap(),
      ...(this.grouping ? { grouping: this.grouping } : {}),
    };
  }

  bind(limit: Ordering["limit"]): BoundQuery {
    const { select, from, grouping } = this;
    const where = select.where && condition(select.where, this.base);
    const items = selectList(select.items, this.scope);
    const having = select.having && condition(select.having, this.havingScope(items));
    const qualify =
      select.qualify && condition(select.qualify, { ...this.withAliases(items, false), clause: "QUALIFY" });
    if (qualify && ![qualify, ...items.map(({ value }) => value)].some((value) => contains(value, "window")))
      throw semantic(
        qualify.position ?? select.position,
        "QUALIFY",
        "needs a function with OVER: write WHERE or HAVING",
      );
    const keys = selectOrder(select, this.ordering, items, { ...this.withAliases(items, true), clause: "ORDER BY" });
    const isOrderVisible = keys.length > 0 || limit !== undefined;
    const all = [...keys, ...(isOrderVisible ? tieBreakers(select, items, this.scope) : [])];
    const columns = outputColumns(items);
    const shown = items.map(({ value }, index) => ({
      value,
      alias: (columns[index] as OutputColumn).alias,
    }));
    const query: SelectTree = {
      kind: "select",
      from: from.relation,
      ...(where ? { where } : {}),
      ...(grouping ? { groups: groupsOf(grouping, select) } : {}),
      ...(having ? { having } : {}),
      columns: shown,
      ...(qualify ? { qualify } : {}),
      isDistinct: select.distinct,
      orderBy: sortKeys(all),
      ...limitOf(limit),
    };
    return { query, columns, ...sortedColumns(keys, items) };
  }

  private havingScope(items: readonly Item[]): Scope {
    const { aliases, ...scope } = this.withAliases(items, false);
    return { ...scope, aliases: { ...aliases, onlyGroupColumns: true }, allowsWindows: false, clause: "HAVING" };
  }

  private withAliases(items: readonly Item[], precedeColumns: boolean) {
    const values = new Map<string, Typed>();
    for (const { name, value } of items) if (!values.has(name)) values.set(name, value);
    return { ...this.scope, aliases: { precedeColumns, values }, memo: new WeakMap<Expression, Typed>() };
  }
}
