/** Predicate pushdown below LATERAL VIEW. The optimizer of Hive 4.0.1 drops a condition that reads both columns of the view and columns of its input, in the same query and in queries around it. */
import { childrenOf } from "../tree/children";
import { columnsOf, contains, identity, isVolatile, positionOf } from "../tree/facts";
import { isTyped } from "../tree/fragment";
import { rewriteSelects } from "../tree/rewrite";
import { operation } from "../tree/typed";
import { types } from "../tree/types";
import { conjunctsOf } from "./conditions";
import type { Groups, LateralView, Part, Query, Relation, Select, Typed } from "../tree/nodes";
import { unsupported } from "../syntax";
import { aliasesOf, type Statement } from "../tree/walk";
import type { Quirk } from "../quirks/quirk";

export const rule: Quirk = {
  id: "lateral-view-pushdown",
  hive: "4.0.1",
  title:
    "Predicate pushdown below LATERAL VIEW. The optimizer of Hive 4.0.1 drops a condition that reads both columns of the view and columns of its input, in the same query and in queries around it",
  why: "Hive keeps the condition above groups, window functions and set operators, next to `rand()`, as a part of OR that AND joins, and in a statement that it plans without its optimizer, such as one with LATERAL VIEW OUTER or DISTRIBUTE BY, or after `SET hive.cbo.enable=false`.",
  example: "`SELECT p.id FROM p LATERAL VIEW explode(p.a) v AS x WHERE v.x > p.id` answers all rows.",
  rewrites:
    "The translation tracks which lateral view each column comes from and leaves such conditions of WHERE out; the log of the query says so.",
  refuses: "It refuses such conditions where Hive may keep them, in HAVING and in ON.",
};

/** The lateral views that a column comes from: `1<` for the input of view 1 and `1>` for its generated columns. */
type Origins = ReadonlySet<string>;

const remedy = "SET hive.cbo.enable=false; before the statement, or LATERAL VIEW OUTER";

/** Of columns above a window function or a set operator, through which Hive may not push a condition. */
const uncertain = "uncertain";
const doubted = (known: Origins): Origins => (known.size === 0 ? known : new Set([...known, uncertain]));
const none: Origins = new Set();

/** The output columns of a query, by their names in the SQL, with their origins. */
type Outputs = readonly (readonly [alias: string, origins: Origins])[];

/** A table of WITH. */
interface CommonTable {
  readonly name: string;
  readonly query: Query;
}

/**
 * Returns a statement that Hive's optimizer plans without the conditions of WHERE that it drops, with a note on each.
 * @throws HiveQLError when Hive drops another condition or an operand of its AND, and where it may keep it.
 */
export function withoutDroppedFilters(statement: Statement): Statement & { readonly notes: readonly string[] } {
  const check = new PushdownCheck();
  for (const table of statement.tables) check.defineTable(table);
  check.inQuery(statement.query);
  const { dropped } = check;
  const notes = [...dropped.values()].map((condition) => {
    const { line, column } = positionOf(condition);
    return `${line}:${column} this condition of WHERE has no effect, as in Hive 4.0.1, which drops a condition that reads both columns of a LATERAL VIEW and columns of its input: write ${remedy} to keep it`;
  });
  if (notes.length === 0) return { ...statement, notes };
  return { ...rewriteSelects(statement, (select) => withoutConditions(select, dropped)), notes };
}

/** Returns a SELECT without some operands of the ANDs of its WHERE, which are given by their nodes. */
function withoutConditions({ where, ...select }: Select, dropped: ReadonlyMap<object, Typed>): Select {
  const kept = where ? conjunctsOf(where).filter(({ node }) => !dropped.has(node)) : [];
  const [first, ...others] = kept;
  if (!first) return select;
  const condition = { kind: "and", operands: [first, ...others], written: "and" } as const;
  return { ...select, where: others.length === 0 ? first : operation(condition, types.boolean) };
}

/** Returns true when Hive's optimizer cannot take a part of a condition out of it, which it then keeps. */
function isWhole(value: Typed): boolean {
  const { node } = value;
  if (node.kind === "and" && node.written === "between") return node.operands.every(isWhole);
  return !contains(value, "query") && !contains(value, "and") && !(contains(value, "not") && contains(value, "or"));
}

interface CheckOptions {
  /** Checks only conditions on these relations: the side of a join that Hive pushes conditions to. */
  readonly only?: ReadonlySet<string>;
  /** True when the conditions that Hive drops can be left out. */
  readonly canDrop?: boolean;
}

class PushdownCheck {
  /** The origins of the columns of relations, by their identity. */
  private readonly origins = new Map<string, Origins>();
  private readonly tables = new Map<string, Outputs>();
  /** The views and the tables of WITH over groups, below which Hive keeps conditions. */
  private readonly grouped = new Set<string>();
  /** The conditions of WHERE that Hive drops, by their nodes. */
  readonly dropped = new Map<object, Typed>();

  defineTable({ name, query }: CommonTable) {
    if (this.computesGroups(query)) this.grouped.add(name);
    this.tables.set(name, this.inQuery(query));
  }

  inQuery(query: Query): Outputs {
    switch (query.kind) {
      case "select":
        return this.inSelect(query);
      case "values":
        this.inSubqueries(query.rows.flat());
        return [];
      case "sorted": {
        const outputs = this.inQuery(query.query);
        this.inSubqueries(query.orderBy.map(({ value }) => value));
        return outputs;
      }
      case "set operation": {
        const [left, right] = query.sides.map((side) => this.inQuery(side.query)) as [Outputs, Outputs];
        if (!query.operator.startsWith("union")) return [];
        return left.map(([alias, known], index) => [
          alias,
          doubted(new Set([...known, ...(right[index]?.[1] ?? none)])),
        ]);
      }
    }
  }

  private inSelect(select: Select): Outputs {
    const { from, where, groups, having, qualify, columns, orderBy, precomputed, limit } = select;
    this.inRelation(from);
    const values = [...columns, ...orderBy, ...(groups?.columns ?? [])].map(({ value }) => value);
    const others = [where, having, qualify].filter((value) => value !== undefined);
    this.inSubqueries([...values, ...others, ...(precomputed?.values ?? [])]);
    if (where) this.checkCondition(where, "WHERE", { canDrop: !isVolatile(where) });
    if (groups) this.inGroups(groups);
    if (having) this.checkCondition(having, "HAVING");
    const isWindowed = columns.some(({ value }) => contains(value, "window"));
    const outputs: Outputs = limit ? [] : columns.map(({ alias, value }) => [alias, this.originsOf(value)]);
    return isWindowed ? outputs.map(([alias, known]) => [alias, doubted(known)]) : outputs;
  }

  /** Records the origins of the keys; aggregates have none. */
  private inGroups({ alias, columns }: Groups) {
    for (const { value, alias: name } of columns)
      if (!contains(value, "aggregate") && !contains(value, "grouping"))
        this.origins.set(identity({ relation: alias, name }), this.originsOf(value));
  }

  private inRelation(relation: Relation): void {
    switch (relation.kind) {
      case "table":
      case "one row":
        return;
      case "common table":
        return this.define(relation.alias, this.tables.get(relation.name) ?? []);
      case "query":
        return this.define(relation.alias, this.inQuery(relation.query));
      case "rows":
        return this.inRelation(relation.input);
      case "lateral view":
        return this.inView(relation);
      case "join": {
        const { left, right, on, join } = relation;
        this.inRelation(left);
        this.inRelation(right);
        if (!on) return;
        this.inSubqueries([on]);
        const target = join === "left" ? right : join === "right" ? left : undefined;
        if (join !== "full") this.checkCondition(on, "ON", target && { only: new Set(aliasesOf(target)) });
      }
    }
  }

  /** Records the origins of a view's columns. */
  private inView({ input, alias, kept, cells, rows, clause }: LateralView) {
    this.inRelation(input);
    this.inSubqueries([rows]);
    if (this.readsGroups(input)) this.grouped.add(alias);
    const before = kept.map(({ value }) => (value.node.kind === "column" ? this.originsOf(value) : none));
    const isView = clause === "LATERAL VIEW";
    const after = (known: Origins) => new Set([...known, `${alias}<`]);
    this.define(
      alias,
      kept.map((column, index) => [column.alias, isView ? after(before[index] ?? none) : (before[index] ?? none)]),
    );
    if (isView)
      this.define(
        alias,
        cells.map((cell) => [cell.alias, new Set([`${alias}>`])]),
      );
  }

  private computesGroups(query: Query): boolean {
    switch (query.kind) {
      case "select":
        return query.groups !== undefined || this.readsGroups(query.from);
      case "values":
        return false;
      case "sorted":
        return this.computesGroups(query.query);
      case "set operation":
        return query.sides.some((side) => this.computesGroups(side.query));
    }
  }

  private readsGroups(relation: Relation): boolean {
    switch (relation.kind) {
      case "table":
      case "one row":
        return false;
      case "common table":
        return this.grouped.has(relation.name);
      case "query":
        return this.computesGroups(relation.query);
      case "rows":
      case "lateral view":
        return this.readsGroups(relation.input);
      case "join":
        return this.readsGroups(relation.left) || this.readsGroups(relation.right);
    }
  }

  private define(relation: string, outputs: Outputs) {
    for (const [name, known] of outputs) if (known.size > 0) this.origins.set(identity({ relation, name }), known);
  }

  private inSubqueries(values: readonly Part[]): void {
    for (const value of values) {
      if (!contains(value, "query")) continue;
      const subquery = isTyped(value) && value.node.kind === "query" ? value.node.subquery : undefined;
      if (subquery) this.inQuery(subquery.query);
      this.inSubqueries(subquery ? ("operand" in subquery ? [subquery.operand] : []) : childrenOf(value));
    }
  }

  /** Returns the origins of all columns that a value reads; none for window functions. */
  private originsOf(value: Part): Origins {
    if (this.origins.size === 0 || contains(value, "window")) return none;
    return new Set([...columnsOf(value).keys()].flatMap((column) => [...(this.origins.get(column) ?? none)]));
  }

  private checkCondition(value: Typed, clause: string, options: CheckOptions = {}): void {
    const { only, canDrop = false } = options;
    if (this.origins.size === 0) return;
    const { node } = value;
    if (node.kind === "and" && node.written === "and") {
      for (const operand of node.operands) this.checkCondition(operand, clause, options);
      return;
    }
    const columns = columnsOf(value);
    if (only && [...columns.values()].some(({ relation }) => !only.has(relation))) return;
    const each = [...columns.keys()].map((column) => this.origins.get(column) ?? none);
    const marks = each.flatMap((known) => [...known].filter((mark) => mark !== uncertain));
    for (const view of new Set(marks.map((mark) => mark.slice(0, -1)))) {
      const [input, generated] = [`${view}<`, `${view}>`];
      const readsBoth = each.some((known) => known.has(input)) && each.some((known) => known.has(generated));
      if (!readsBoth || !each.every((known) => known.has(input) || known.has(generated))) continue;
      const isCertain = !this.grouped.has(view) && !each.some((known) => known.has(uncertain));
      if (canDrop && isCertain && isWhole(value)) this.dropped.set(node, value);
      else
        throw unsupported(
          positionOf(value),
          `${clause} on LATERAL VIEW`,
          `reads both columns of the view and columns of its input, and Hive 4 drops such a condition in some plans: write ${remedy}`,
        );
    }
  }
}
