/** One SELECT: FROM, WHERE, groups, the select list, then order and limit. */
import {
  type Call,
  type Expression,
  type OrderItem,
  type Select,
  type SelectItem,
  semantic,
  unsupported,
} from "../syntax";
import { havingCondition, whereCondition } from "../rules/conditions";
import { type Bound, nothing } from "../rules/contradictions";
import { refuseLostGrandTotal, someRow } from "../rules/grand-total";
import type { Environment, OutputColumn, Source } from "../bind/scope";
import { condition, expression } from "../bind/expression";
import { isMadeChar } from "../quirks/bare-chars";
import { refuseFilled } from "../quirks/filled-chars";
import { namesPattern } from "../bind/column-name-pattern";
import { marksOf } from "../rules/lateral-view-pushdown";
import { type Fragment, join, raw, sql, typed, type SqlExpression } from "./fragment";
import { Grouping, hasAggregate } from "../bind/grouping";
import { groupByList, setMembers } from "../bind/grouping-sets";
import { lateralSource, tableFunctionNamed } from "./lateral-view";
import { columnValue, shown, sourceNamed } from "../bind/names";
import { orderKey, type OrderKey, orderList } from "./order";
import { checkConstants, constantOf, noFacts, onlyOnce, constantKeys, type KnownConstants, knownConstants, withCondition } from "../rules/constant-propagation";
import { type Item, outputColumns } from "../bind/output-columns";
import { positionKey, type TranslatedQuery } from "./query";
import { environmentOf, type From, type FromScope, translateRelation } from "./from-clause";
import { quoteName } from "../bind/types";
import { folded, mayHoldZeros, oneZeroEach } from "../quirks/zeros";

/** Translates one SELECT with its sort keys; `limit` is SQL of its own. */
export function translateSelect(
  select: Select,
  ordering: readonly OrderItem[],
  scope: FromScope,
  limit = "",
): TranslatedQuery {
  const rows = makesRows(select) ? withRows(select, scope) : { select, from: translateFrom(select, scope) };
  return new SelectTranslation(rows.select, rows.from, ordering, scope).translate(limit);
}

function translateFrom(select: Select, scope: FromScope): From {
  return select.from
    ? translateRelation(select.from, scope)
    : { from: raw("(SELECT 1 AS one)"), sources: [], facts: noFacts };
}

/** The call of a table-generating function that is the whole select list. */
function makesRows(select: Select): (Call & { readonly aliases: readonly string[] }) | undefined {
  for (const item of select.items) {
    if (item.kind === "expression" && item.expression.kind === "call" && tableFunctionNamed(item.expression.name)) {
      if (select.items.length > 1)
        throw semantic(
          item.position,
          `function ${item.expression.name}`,
          "makes rows, so no other column stands beside it",
        );
      return { ...item.expression, aliases: item.aliases };
    }
  }
  return undefined;
}

/** `SELECT explode(x) AS y FROM t` is a lateral view of which only the new columns are selected. */
function withRows(select: Select, scope: FromScope): { select: Select; from: From } {
  const call = makesRows(select) as Call & { readonly aliases: readonly string[] };
  if (select.groupBy) throw unsupported(call.position, `function ${call.name} with GROUP BY`);
  const input = translateFrom(select, scope);
  const view = lateralSource(call, call.aliases, environmentOf(input.sources, scope, "SELECT"));
  const alias = "_table_function";
  const from = {
    from: sql`${input.from} CROSS JOIN LATERAL ${view.from}`,
    sources: [...input.sources, { alias, columns: view.columns }],
    facts: noFacts,
  };
  return { select: { ...select, items: [{ kind: "all", position: call.position, table: alias }] }, from };
}

class SelectTranslation {
  /** What is computed for each row before the windows of the select list are. */
  private readonly before: Fragment[] = [];
  private readonly beforeAlias: string;
  private readonly base: Environment;
  private readonly environment: Environment;
  private readonly grouping: Grouping | undefined;

  constructor(
    private readonly select: Select,
    private readonly from: From,
    private readonly ordering: readonly OrderItem[],
    private readonly scope: FromScope,
  ) {
    const windows = new Map(select.windows.map(({ name, window }) => [name, window]));
    const base = { ...environmentOf(from.sources, scope, "WHERE"), windows, pins: this.pins };
    this.base = base;
    this.beforeAlias = scope.shared.unique("w");
    this.grouping = this.groups();
    this.environment = {
      ...base,
      place: "SELECT",
      allowsWindows: true,
      memo: new WeakMap(),
      pins: this.itemPins,
      before: (value) => {
        this.before.push(value);
        return { ...value, ...raw(`(${this.beforeAlias}."b${this.before.length}")`) };
      },
      ...(this.grouping ? { grouping: this.grouping } : {}),
    };
  }

  translate(limit: string): TranslatedQuery {
    const { select } = this;
    const where = select.where && whereCondition(select.where, this.base);
    const items = this.items();
    const having = this.having(items);
    const qualify = select.qualify
      ? condition(select.qualify, { ...this.withAliases(items, false), place: "QUALIFY" })
      : undefined;
    const keys = this.orderKeys(items);
    const all = [...keys, ...this.tieBreakers(keys, items, limit !== "")];
    if (this.grouping || select.distinct || this.ordering.length > 0) this.scope.shared.job.isRun = true;
    const merges = !this.grouping && !select.distinct && limit === "";
    const keeps = !select.distinct && limit === "";
    const columns = outputColumns(items, merges, keeps).map((column, index) => ({
      ...column,
      ...(limit === "" && isMadeChar((items[index] as Item).value, this.grouping?.keyColumns())
        ? { isMade: true as const }
        : {}),
      ...(limit === "" ? { marks: marksOf((items[index] as Item).value, this.scope.shared, this.grouping) } : {}),
      pinned: () => constantOf((items[index] as Item).value, this.itemPins()),
      bounds: () => (/^ LIMIT 0\b/.test(limit) ? [nothing] : this.boundsOf((items[index] as Item).value)),
    }));
    const list = items.map((item, index) => sql`${item.value} AS ${quoteName((columns[index] as OutputColumn).alias)}`);
    const rows = this.grouping
      ? sql`${this.groupedSource(where)}${having ? sql` WHERE ${having}` : raw("")}`
      : sql`${this.from.from}${where ? sql` WHERE ${where}` : raw("")}`;
    const source = this.before.length === 0 ? rows : this.computedBefore(rows);
    const kept = qualify ? sql` QUALIFY ${qualify}` : raw("");
    const order = all.length > 0 ? sql` ORDER BY ${orderList(all)}` : raw("");
    const sorted = sortedColumns(keys, items);
    if (select.distinct && items.some(({ value }) => mayHoldZeros(value.type))) {
      const text = this.distinct(sql`SELECT ${join(list)} FROM ${source}${kept}`, columns, all);
      return { sql: text.sql + limit, columns, ...sorted };
    }
    const text = sql`SELECT ${select.distinct ? "DISTINCT " : ""}${join(list)} FROM ${source}${kept}${order}`;
    return { sql: text.sql + limit, columns, ...sorted };
  }

  /** Each row once, as groups of all columns: keys of the order are positions among these. */
  private distinct(rows: Fragment, columns: readonly OutputColumn[], keys: readonly OrderKey[]): Fragment {
    const alias = this.scope.shared.unique("d");
    const values = columns.map((column) => typed(raw(`${alias}.${quoteName(column.alias)}`), column.type));
    const named = keys.map((key) => ({ ...key, value: values[Number(key.value.sql) - 1] as SqlExpression }));
    const order = named.length > 0 ? sql` ORDER BY ${orderList(named)}` : raw("");
    const zeros = sql`HAVING ${oneZeroEach(values) ?? "TRUE"}`;
    return sql`SELECT ${join(values)} FROM (${rows}) AS ${alias} GROUP BY ${join(values)} ${zeros}${order}`;
  }

  /** Rows with what is computed first; relations are columns of it, so that their columns keep their names. */
  private computedBefore(rows: Fragment): Fragment {
    const columns = this.from.sources.flatMap((source) => source.columns);
    const aliases = this.grouping
      ? new Set([this.grouping.alias])
      : new Set(columns.map(({ value }) => value.sql.slice(0, value.sql.indexOf("."))));
    const mistaken = columns.find(({ name }) => aliases.has(name));
    if (mistaken)
      throw unsupported(this.select.position, `column ${mistaken.name}`, "beside lag or lead in a window function");
    const list = [...[...aliases].map(raw), ...this.before.map((value, index) => sql`${value} AS "b${index + 1}"`)];
    return sql`(SELECT ${join(list)} FROM ${rows}) AS ${this.beforeAlias}`;
  }

  /**
   * Hive's groups leave its shuffle sorted by their keys, and so do the rows of DISTINCT: where ORDER BY says nothing
   * more and the order shows, they stand so here too.
   */
  private tieBreakers(keys: readonly OrderKey[], items: readonly Item[], isCut: boolean): OrderKey[] {
    if (keys.length === 0 && !isCut) return [];
    const { settings } = this.scope.shared;
    const direction = `ASC NULLS ${settings.nullsLast ? "LAST" : "FIRST"}`;
    const sortable = (value: SqlExpression) => value.type.kind !== "map";
    if (this.select.distinct) {
      return items
        .map((item, index) => ({ value: { ...item.value, sql: String(index + 1) }, direction }))
        .filter(({ value }) => sortable(value));
    }
    const grouping = this.grouping;
    return (grouping?.keys ?? [])
      .filter((key) => key.constant === undefined && sortable(key))
      .map((key) => ({ value: grouping?.key(key) ?? key, direction }));
  }

  /** The groups that the select list is over; undefined where rows are not grouped. */
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
      throw semantic(select.having.position, "HAVING", "needs GROUP BY or an aggregate of its own");
    const base: Environment = { ...this.base, place: "GROUP BY" };
    const keys = (select.groupBy?.keys ?? []).map((key) => expression(this.keyNode(key), base));
    const members = select.groupBy && setMembers(select.groupBy, base);
    const sets = members && { ...members, pinned: constantKeys(keys, this.pins()) };
    if (sets) checkConstants(keys, sets.pinned, select, base);
    return new Grouping(this.scope.shared.unique("g"), base, keys, sets);
  }

  private readonly pins = onlyOnce(() =>
    knownConstants(withCondition(this.from.facts, this.select.where, this.base), this.scope.shared.plan),
  );

  /** Pins of the rows that the select list is over. */
  private readonly itemPins = onlyOnce((): KnownConstants => {
    const pins = this.pins();
    const columns = this.grouping && !this.grouping.sets ? this.grouping.keyColumns() : [];
    const keys = columns.flatMap(([column, key]) => {
      const constant = constantOf(key, pins);
      return constant ? [[column, constant] as const] : [];
    });
    return keys.length === 0 ? pins : new Map([...pins, ...keys]);
  });

  /** What conditions say of a column or key that is selected. */
  private boundsOf(value: SqlExpression): readonly Bound[] {
    const keys = this.grouping && !this.grouping.sets ? this.grouping.keyColumns() : [];
    const source = keys.find(([column]) => column === value.sql)?.[1] ?? value;
    const { bounds } = withCondition(this.from.facts, this.select.where, this.base);
    return bounds().filter(({ column }) => column === source.sql);
  }

  /** A key that is a position in the select list, where the settings ask for that. */
  private keyNode(key: Expression): Expression {
    if (key.kind !== "number" || !this.scope.shared.settings.groupByPosition) return key;
    const item = this.select.items[Number(key.text) - 1];
    if (item?.kind !== "expression")
      throw semantic(key.position, `GROUP BY ${key.text}`, "names no expression of the select list");
    return item.expression;
  }

  private groupedSource(where: SqlExpression | undefined): Fragment {
    const grouping = this.grouping as Grouping;
    const written = this.select.where;
    if (grouping.sets && written) refuseLostGrandTotal(written, this.base);
    const keys = groupByList(this.select.groupBy, grouping.keys, grouping.base);
    const filter = where ? sql` WHERE ${where}` : raw("");
    const by = keys ? sql` GROUP BY ${keys}` : raw("");
    const zeros = keys && oneZeroEach(grouping.keys.filter((key) => grouping.isMember(key)));
    const total = grouping.sets && someRow(this.from.facts, written, this.base);
    const asked = [zeros, total].flatMap((each) => each ?? []);
    const having = asked.length > 0 ? sql` HAVING ${join(asked, " AND ")}` : raw("");
    return sql`(SELECT ${join(grouping.selectList())} FROM ${this.from.from}${filter}${by}${having}) AS ${grouping.alias}`;
  }

  private items(): Item[] {
    const items: Item[] = [];
    for (const item of this.select.items) {
      if (item.kind === "all") items.push(...this.star(item));
      else if (item.aliases.length > 1) throw semantic(item.position, "AS (…)", "names several columns of one");
      else items.push(...(this.regexColumns(item) ?? [this.named(item, items.length)]));
    }
    return items;
  }

  private named(item: Extract<SelectItem, { kind: "expression" }>, index: number): Item {
    const value = this.filled(folded(expression(item.expression, this.environment)), item.expression);
    return { name: item.aliases[0] ?? ownName(item.expression) ?? `_c${index}`, value };
  }

  /** A char that a function made of what conditions pin to literals, which Hive computes beforehand, has its spaces. */
  private filled({ isBare, ...value }: SqlExpression, node: Expression): SqlExpression {
    if (!this.grouping) refuseFilled(node, this.environment, this.itemPins());
    return isBare && !constantOf(value, this.itemPins()) ? { ...value, isBare } : value;
  }

  /** The columns that a regular expression in backticks names; undefined where the item is none. */
  private regexColumns(item: Extract<SelectItem, { kind: "expression" }>): Item[] | undefined {
    const node = item.expression;
    if (this.scope.shared.settings.quotedIdentifiers !== "none") return undefined;
    if ((node.kind !== "name" && node.kind !== "field") || !node.quoted || /^\w+$/.test(node.name)) return undefined;
    if (node.kind === "field" && node.base.kind !== "name") return undefined;
    const source =
      node.kind === "field" && node.base.kind === "name" ? sourceNamed(this.environment, node.base.name) : undefined;
    if (node.kind === "field" && !source)
      throw semantic(item.position, `\`${node.name}\``, "is taken of no relation of FROM");
    const pattern = namesPattern(node.name);
    if (!pattern) throw unsupported(item.position, `columns \`${node.name}\``);
    if (item.aliases.length > 0) throw semantic(item.position, `columns \`${node.name}\``, "cannot have an alias");
    const columns = shown(source ? [source] : this.environment.sources);
    const found = columns.filter(({ name }) => name.search(pattern.expression) === 0);
    if (found.length === 0) throw semantic(item.position, `columns \`${node.name}\``, "match no column");
    return found.map(({ name, value }) => ({ name, value: columnValue(value, name, item, this.environment) }));
  }

  private star(item: Extract<SelectItem, { kind: "all" }>): Item[] {
    const { sources } = this.environment;
    const named = item.table === undefined ? undefined : sourceNamed(this.environment, item.table);
    if (item.table !== undefined && !named)
      throw semantic(item.position, `${item.table}.*`, "names no relation of FROM");
    const chosen: readonly Source[] = named ? [named] : sources;
    const columns = shown(chosen);
    if (columns.length === 0) throw semantic(item.position, "*", "needs FROM");
    return columns.map(({ name, value }) => ({ name, value: columnValue(value, name, item, this.environment) }));
  }

  private having(items: readonly Item[]): SqlExpression | undefined {
    const { having } = this.select;
    if (!having) return undefined;
    const named = this.withAliases(items, false);
    const aliases = { first: false, values: new Map<string, SqlExpression>(), ...named.aliases, ofGroups: true as const };
    const environment = { ...named, aliases, allowsWindows: false, place: "HAVING" };
    return havingCondition(having, environment);
  }

  private withAliases(items: readonly Item[], first: boolean): Environment {
    const values = new Map<string, SqlExpression>();
    for (const { name, value } of items) if (!values.has(name)) values.set(name, value);
    return { ...this.environment, aliases: { first, values }, memo: new WeakMap() };
  }

  private orderKeys(items: readonly Item[]): OrderKey[] {
    const [first] = this.ordering;
    if (!first) return [];
    if (this.select.distinct && this.select.groupBy) {
      const reason = "beside DISTINCT and GROUP BY makes Hive 4 forget the DISTINCT: sort in a query around it";
      throw unsupported(first.expression.position, "ORDER BY", reason);
    }
    const environment: Environment = { ...this.withAliases(items, true), place: "ORDER BY" };
    const values = items.map((item) => item.value);
    return this.ordering.map((item) => {
      const key =
        positionKey(item, values, this.scope.shared) ??
        orderKey(item, expression(item.expression, environment), this.scope.shared);
      if (!this.select.distinct) return key;
      const position = values.findIndex((value) => value.sql === key.value.sql);
      if (position < 0)
        throw semantic(item.expression.position, "ORDER BY", "of SELECT DISTINCT takes selected columns only");
      return { ...key, value: { ...key.value, sql: String(position + 1) } };
    });
  }
}

/** Which columns the rows are sorted by, where every sort key is a column. */
function sortedColumns(keys: readonly OrderKey[], items: readonly Item[]): Pick<TranslatedQuery, "sortedBy"> {
  const columns = keys.map((key) =>
    items.findIndex((item, index) => [item.value.sql, String(index + 1)].includes(key.value.sql)),
  );
  return keys.length > 0 && columns.every((column) => column >= 0) ? { sortedBy: columns } : {};
}

/** The name that a column keeps where no alias is written. */
function ownName(node: Expression): string | undefined {
  return node.kind === "name" || node.kind === "field" ? node.name : undefined;
}
