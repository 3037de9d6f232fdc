/** One SELECT: FROM, WHERE, GROUP BY, HAVING, the select list, ORDER BY and LIMIT. */
import type { ColumnBound, KnownConstants } from "../../tree/row-facts";
import { relationsOf } from "../../tree/facts";
import { keyOf, same } from "../../tree/same";
import { columnOf, inherit } from "../../tree/typed";
import { type Expression, type Ordering, type OrderItem, type Select, semantic, unsupported } from "../../syntax";
import { havingCondition, whereCondition } from "../where-having";
import { unsatisfiable } from "../../rules/unsatisfiable-conditions";
import { refuseDroppedGrandTotal, droppedGrandTotalGuard } from "../../rules/grand-total";
import {
  type EnclosingScope,
  expression,
  Grouping,
  type OutputColumn,
  type Scope,
  scopeOf,
  type TranslatedFrom,
  type TranslatedQuery,
} from "../scope";
import { condition } from "../condition";
import { isComputedCharColumn } from "../../quirks/char-padding";
import { viewOriginsOf } from "../../rules/lateral-view-pushdown";
import { join, raw, sql } from "../../tree/fragment";
import type { Part, SortKey, Typed } from "../../tree/nodes";
import { hasAggregate } from "../../functions/kinds-of-calls";
import { groupByList, setMembers } from "./grouping-sets";
import { orderKey, positionKey } from "../order";
import { limitText, orderBy } from "../order";
import {
  refuseUncertainConstantKeys,
  constantValue,
  computedOnce,
  constantKeys,
  knownConstants,
  addCondition,
} from "../../rules/constant-propagation";
import { type Item, outputColumns } from "./output-columns";
import { selectedRows } from "./selected-rows";
import { selectList } from "./select-list";
import { quoteIdentifier } from "../../tree/types";
import { keyWithoutNegativeZero } from "../../quirks/signed-zero";

/** Translates one SELECT with its sort keys; `limit` is its LIMIT clause. */
export function translateSelect(
  select: Select,
  ordering: readonly OrderItem[],
  enclosing: EnclosingScope,
  limit?: Ordering["limit"],
): TranslatedQuery {
  const rows = selectedRows(select, enclosing);
  return new SelectTranslation(rows.select, rows.from, ordering, enclosing).translate(limit);
}

class SelectTranslation {
  /** Values that are computed for each row before the window functions of the select list. */
  private readonly precomputed: Part[] = [];
  private readonly precomputedAlias: string;
  /** The scope of WHERE. */
  private readonly base: Scope;
  /** The scope of the other clauses: only WHERE of a subquery can read the outer query. */
  private readonly inner: Scope;
  private readonly scope: Scope;
  private readonly grouping: Grouping | undefined;

  constructor(
    private readonly select: Select,
    private readonly from: TranslatedFrom,
    private readonly ordering: readonly OrderItem[],
    private readonly enclosing: EnclosingScope,
  ) {
    const windows = new Map(select.windows.map(({ name, window }) => [name, window]));
    const base = { ...scopeOf(from.sources, enclosing, "WHERE"), windows, knownConstants: this.rowConstants };
    this.base = base;
    const { parent: _parent, ...inner } = base;
    this.inner = inner;
    this.precomputedAlias = enclosing.context.uniqueName("w");
    this.grouping = this.groups();
    this.scope = {
      ...inner,
      clause: "SELECT",
      allowsWindows: true,
      memo: new WeakMap(),
      knownConstants: this.outputConstants,
      precompute: (value) => {
        this.precomputed.push(value);
        return inherit(
          value,
          columnOf(this.precomputedAlias, `b${this.precomputed.length}`, value.type, "precomputed"),
        );
      },
      ...(this.grouping ? { grouping: this.grouping } : {}),
    };
  }

  translate(limit: Ordering["limit"]): TranslatedQuery {
    const { select } = this;
    const where = select.where && whereCondition(select.where, this.base);
    const items = selectList(select.items, this.scope, this.outputConstants);
    const having = this.having(items);
    const qualify = select.qualify
      ? condition(select.qualify, { ...this.withAliases(items, false), clause: "QUALIFY" })
      : undefined;
    const keys = this.orderKeys(items);
    const all = [...keys, ...this.tieBreakers(keys, items, limit !== undefined)];
    const isMergeable = !this.grouping && !select.distinct && limit === undefined;
    const keepsTextSource = !select.distinct && limit === undefined;
    const columns = outputColumns(items, isMergeable, keepsTextSource).map((column, index) => ({
      ...column,
      ...(limit === undefined && isComputedCharColumn((items[index] as Item).value, this.grouping?.keyColumns())
        ? { facts: { ...column.facts, isComputedChar: true as const } }
        : {}),
      ...(limit === undefined
        ? { viewOrigins: viewOriginsOf((items[index] as Item).value, this.enclosing.context, this.grouping) }
        : {}),
      knownConstant: () => constantValue((items[index] as Item).value, this.outputConstants()),
      bounds: () => (Number(limit?.count) === 0 ? [unsatisfiable] : this.boundsOf((items[index] as Item).value)),
    }));
    const list = items.map(({ value }, index) => {
      const shown = select.distinct ? keyWithoutNegativeZero(value) : value;
      return sql`${shown} AS ${quoteIdentifier((columns[index] as OutputColumn).alias)}`;
    });
    const rows = this.grouping
      ? sql`${this.groupedSource(where)}${having ? sql` WHERE ${having}` : raw("")}`
      : sql`${this.from.from}${where ? sql` WHERE ${where}` : raw("")}`;
    const source = this.precomputed.length === 0 ? rows : this.precomputedSource(rows);
    const kept = qualify ? sql` QUALIFY ${qualify}` : raw("");
    const order = all.length > 0 ? sql` ORDER BY ${orderBy(all)}` : raw("");
    const sorted = sortedColumns(keys, items);
    const text = sql`SELECT ${select.distinct ? "DISTINCT " : ""}${join(list)} FROM ${source}${kept}${order}`;
    return { sql: sql`${text}${limitText(limit)}`, columns, ...sorted };
  }

  /**
   * Returns the rows with the precomputed values. Each relation is a struct column of it, so that `t1.id` stays valid.
   */
  private precomputedSource(rows: Part): Part {
    const columns = this.from.sources.flatMap((source) => source.columns);
    const aliases = this.grouping
      ? new Set([this.grouping.alias])
      : new Set(columns.flatMap(({ value }) => relationsOf(value)));
    const mistaken = columns.find(({ name }) => aliases.has(name));
    if (mistaken)
      throw unsupported(
        this.select.position,
        `column ${mistaken.name}`,
        "has the name of a relation alias of the generated SQL, which lag and lead inside of a window function need: give the column an alias in a subquery",
      );
    const list = [
      ...[...aliases].map(raw),
      ...this.precomputed.map((value, index) => sql`${value} AS "b${index + 1}"`),
    ];
    return sql`(SELECT ${join(list)} FROM ${rows}) AS ${this.precomputedAlias}`;
  }

  /**
   * Returns extra sort keys for rows that are equal in ORDER BY. Groups and DISTINCT rows leave Hive's shuffle sorted
   * by their keys, which is visible when the statement sorts or limits them.
   */
  private tieBreakers(keys: readonly SortKey[], items: readonly Item[], isCut: boolean): SortKey[] {
    if (keys.length === 0 && !isCut) return [];
    const { settings } = this.enclosing.context;
    const direction = { isDescending: false, nulls: settings.nullsLast ? "last" : "first" } as const;
    const sortable = (value: Typed) => value.type.kind !== "map";
    if (this.select.distinct) {
      return items
        .map((item, position) => ({ value: item.value, position, ...direction }))
        .filter(({ value }) => sortable(value));
    }
    const grouping = this.grouping;
    return (grouping?.keys ?? [])
      .filter((key) => key.constant === undefined && sortable(key))
      .map((key) => ({ value: grouping?.key(key) ?? key, ...direction }));
  }

  /** Returns the groups of the select list; undefined when rows are not grouped. */
  private groups(): Grouping | undefined {
    const { select } = this;
    const aggregates = select.items.some((item) => item.kind === "expression" && hasAggregate(item.expression));
    const later = [...(select.having ? [select.having] : []), ...this.ordering.map((item) => item.expression)].some(
      hasAggregate,
    );
    if (!select.groupBy && !aggregates && !later) {
      if (select.having) throw semantic(select.having.position, "HAVING", "needs GROUP BY or an aggregate");
      return undefined;
    }
    if (!select.groupBy && select.having && !hasAggregate(select.having))
      throw semantic(select.having.position, "HAVING", "needs GROUP BY or an aggregate in HAVING");
    const base: Scope = { ...this.inner, clause: "GROUP BY" };
    const keys = (select.groupBy?.keys ?? []).map((key) => expression(this.keyNode(key), base));
    const members = select.groupBy && setMembers(select.groupBy, base);
    const sets = members && { ...members, constants: constantKeys(keys, this.rowConstants()) };
    if (sets) refuseUncertainConstantKeys(keys, sets.constants, select, base);
    return new Grouping(this.enclosing.context.uniqueName("g"), base, keys, sets);
  }

  private readonly rowConstants = computedOnce(() =>
    knownConstants(addCondition(this.from.facts, this.select.where, this.base), this.enclosing.context.plan),
  );

  /** The known constants of the rows or groups of the select list. */
  private readonly outputConstants = computedOnce((): KnownConstants => {
    const constants = this.rowConstants();
    const columns = this.grouping && !this.grouping.sets ? this.grouping.keyColumns() : [];
    const keys = columns.flatMap(([column, key]) => {
      const constant = constantValue(key, constants);
      return constant ? [[column, constant] as const] : [];
    });
    return keys.length === 0 ? constants : new Map([...constants, ...keys]);
  });

  /** Returns the bounds that conditions set for a selected column or key. */
  private boundsOf(value: Typed): readonly ColumnBound[] {
    const keys = this.grouping && !this.grouping.sets ? this.grouping.keyColumns() : [];
    const source = keys.find(([column]) => column === keyOf(value))?.[1] ?? value;
    const { bounds } = addCondition(this.from.facts, this.select.where, this.base);
    return bounds().filter(({ column }) => column === keyOf(source));
  }

  /** Resolves a GROUP BY key that is a position in the select list, if the settings allow positions. */
  private keyNode(key: Expression): Expression {
    if (key.kind !== "number" || !this.enclosing.context.settings.groupByPosition) return key;
    const item = this.select.items[Number(key.text) - 1];
    if (item?.kind !== "expression")
      throw semantic(key.position, `GROUP BY ${key.text}`, "is not the position of an expression in the select list");
    return item.expression;
  }

  private groupedSource(where: Typed | undefined): Part {
    const grouping = this.grouping as Grouping;
    const written = this.select.where;
    if (grouping.sets && written) refuseDroppedGrandTotal(written, this.base);
    const keys = groupByList(this.select.groupBy, grouping.keys, grouping.base);
    const filter = where ? sql` WHERE ${where}` : raw("");
    const by = keys ? sql` GROUP BY ${keys}` : raw("");
    const total = grouping.sets && droppedGrandTotalGuard(this.from.facts, written, this.base);
    const having = total ? sql` HAVING ${total}` : raw("");
    return sql`(SELECT ${join(grouping.selectList())} FROM ${this.from.from}${filter}${by}${having}) AS ${grouping.alias}`;
  }

  private having(items: readonly Item[]): Typed | undefined {
    const { having } = this.select;
    if (!having) return undefined;
    const named = this.withAliases(items, false);
    const aliases = {
      precedeColumns: false,
      values: new Map<string, Typed>(),
      ...named.aliases,
      onlyGroupColumns: true as const,
    };
    const scope = { ...named, aliases, allowsWindows: false, clause: "HAVING" };
    return havingCondition(having, scope);
  }

  private withAliases(items: readonly Item[], precedeColumns: boolean): Scope {
    const values = new Map<string, Typed>();
    for (const { name, value } of items) if (!values.has(name)) values.set(name, value);
    return { ...this.scope, aliases: { precedeColumns, values }, memo: new WeakMap() };
  }

  private orderKeys(items: readonly Item[]): SortKey[] {
    const [first] = this.ordering;
    if (!first) return [];
    if (this.select.distinct && this.select.groupBy) {
      const reason =
        "together with DISTINCT and GROUP BY makes Hive 4 ignore DISTINCT: write the query as a subquery and sort outside of it";
      throw unsupported(first.expression.position, "ORDER BY", reason);
    }
    const scope: Scope = { ...this.withAliases(items, true), clause: "ORDER BY" };
    const values = items.map((item) => item.value);
    return this.ordering.map((item) => {
      const key =
        positionKey(item, values, this.enclosing.context) ??
        orderKey(item, expression(item.expression, scope), this.enclosing.context);
      if (!this.select.distinct) return key;
      const position = values.findIndex((value) => same(value, key.value));
      if (position < 0)
        throw semantic(item.expression.position, "ORDER BY", "with SELECT DISTINCT can use selected columns only");
      return { ...key, position };
    });
  }
}

/** Returns the positions of the sort columns, if every sort key is a column. */
function sortedColumns(keys: readonly SortKey[], items: readonly Item[]): Pick<TranslatedQuery, "sortedBy"> {
  const columns = keys.map((key) =>
    items.findIndex((item, index) =>
      key.position === undefined ? same(item.value, key.value) : index === key.position,
    ),
  );
  return keys.length > 0 && columns.every((column) => column >= 0) ? { sortedBy: columns } : {};
}
