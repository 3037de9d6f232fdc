/** Constant propagation. */
import { unsupported } from "../syntax";
import { cast } from "../tree/cast";
import { comparisonType } from "../tree/coercion";
import { columnsOf, identity, isVolatile, positionOf, readsColumns } from "../tree/facts";
import { sql } from "../tree/fragment";
import type { Groups, Query, Relation, Select, Typed } from "../tree/nodes";
import type { Plan } from "../tree/plan";
import { replaceColumns } from "../tree/replace";
import { keyOf, same } from "../tree/same";
import { plain, typed } from "../tree/typed";
import { duckType, sameType } from "../tree/types";
import { queriesOf, type Statement } from "../tree/walk";
import type { Quirk } from "../quirks/quirk";
import { conjunctsOf, type Equality, equalitiesOf } from "./conditions";

export const rule: Quirk = {
  id: "constant-propagation",
  hive: "4.0.1",
  title: "Constant propagation",
  why: "The optimizer of Hive 4.0.1 replaces a value that conditions fix to one constant by that constant, even in rows of GROUPING SETS, CUBE or ROLLUP in which the key is aggregated away and would be NULL.",
  example: "`SELECT k, count(*) FROM t WHERE k = 'a' GROUP BY k WITH ROLLUP` answers `a` in the grand total row too.",
  rewrites:
    "The translation derives the same constants from FROM and WHERE and shows them in place of the keys. It refuses such keys when Hive plans the statement without its optimizer.",
};

/** Constants by the key of the value that they replace. */
export type Constants = ReadonlyMap<string, Typed>;

/** Returns every value that the conditions of a statement fix to a constant in the query that reads it. */
export function constantsOf(statement: Statement, plan: Plan): Constants {
  return new Propagation(statement, plan).run();
}

/** Returns the constant that a value is in all rows; undefined when it can differ. */
export function constantValue(value: Typed, constants: Constants): Typed | undefined {
  const known = constants.get(keyOf(value));
  if (known || value.constant === null) return known;
  if (value.constant !== undefined) return value;
  if (isVolatile(value) || [...columnsOf(value).keys()].some((column) => !constants.has(column))) return undefined;
  return typed(replaceColumns(value, constants), value.type);
}

/**
 * Returns a SELECT whose grouping sets show constant keys in all rows.
 * @throws HiveQLError when Hive plans it without its optimizer, and then finds constants by other rules.
 */
export function withConstantKeys(select: Select, constants: Constants, { isOptimized }: Plan): Select {
  const { groups, where } = select;
  if (!groups?.by || groups.by.kind === "keys") return select;
  const keys = keysOf(groups).filter((key) => key.constant === undefined);
  const compared = isOptimized || !where ? [] : equalitiesOf(conjunctsOf(where), false).flat();
  const isConstant = (key: Typed) =>
    constantValue(key, constants) !== undefined || compared.some((side) => same(side, key));
  if (!isOptimized && keys.some(isConstant))
    throw unsupported(
      positionOf(where ?? (keys[0] as Typed)),
      "WHERE",
      "fixes a key of grouping sets to a constant in a statement that Hive plans without its optimizer, for example because of an alias in HAVING: replace the alias by its expression",
    );
  const columns = groups.columns.map((column) => {
    const value = shownKey(column.value, keys) ? constantValue(plain(column.value), constants) : undefined;
    return value ? { ...column, value } : column;
  });
  return { ...select, groups: { ...groups, columns } };
}

const shownKey = (value: Typed, keys: readonly Typed[]) => keys.some((key) => same(plain(key), plain(value)));

/** Returns the keys of groups. */
function keysOf({ by }: Groups): readonly Typed[] {
  const keys = by?.kind === "sets" ? by.sets.flat() : (by?.keys ?? []);
  return keys.map(plain);
}

/** What holds for all rows of a relation. */
interface Facts {
  readonly constants: Constants;
  readonly equalities: readonly Equality[];
  /** Columns of relations below a LATERAL VIEW: Hive derives no constants from conditions on them. */
  readonly ignored: ReadonlySet<string>;
}

/** The columns of a query by their names in the SQL, each with its constant. */
type Outputs = readonly (readonly [alias: string, constant: Typed | undefined])[];

const nothing: Facts = { constants: new Map(), equalities: [], ignored: new Set() };

class Propagation {
  private readonly all = new Map<string, Typed>();
  private readonly outputs = new Map<Query, Outputs>();

  constructor(
    private readonly statement: Statement,
    private readonly plan: Plan,
  ) {}

  run(): Constants {
    for (const query of queriesOf(this.statement)) this.outputs.set(query, this.inQuery(query));
    return this.all;
  }

  private inQuery(query: Query): Outputs {
    switch (query.kind) {
      case "select":
        return this.inSelect(query);
      case "sorted":
        return this.outputsOf(query.query);
      case "values":
        return [];
      case "set operation": {
        if (!query.operator.startsWith("union")) return [];
        const [left, right] = query.sides.map((side) => this.outputsOf(side.query)) as [Outputs, Outputs];
        const isKept = (index: number) =>
          query.sides.every(({ converted }) => !converted || converted[index]?.value.node.kind === "column");
        return left.map(([alias, constant], index) => {
          const other = right[index]?.[1];
          return [alias, constant && other && same(constant, other) && isKept(index) ? constant : undefined];
        });
      }
    }
  }

  private outputsOf(query: Query): Outputs {
    return this.outputs.get(query) ?? [];
  }

  private inSelect(select: Select): Outputs {
    const { where, groups, columns } = select;
    const facts = withConditions(this.inRelation(select.from), where, this.plan);
    const constants = propagated(facts, this.plan);
    for (const [key, constant] of constants) this.all.set(key, constant);
    const keys = groups ? keysOf(groups) : [];
    for (const { value, alias } of groups?.columns ?? []) {
      const constant = shownKey(value, keys) ? constantValue(plain(value), constants) : undefined;
      if (constant) this.all.set(identity({ relation: groups?.alias ?? "", name: alias }), constant);
    }
    return columns.map(({ value, alias }) => [alias, constantValue(plain(value), this.all)]);
  }

  private inRelation(relation: Relation): Facts {
    switch (relation.kind) {
      case "table":
      case "one row":
        return nothing;
      case "query":
        return this.ofColumns(relation.query, relation.alias);
      case "common table": {
        const table = this.statement.tables.find(({ name }) => name === relation.name);
        return table ? this.ofColumns(table.query, relation.alias) : nothing;
      }
      case "rows":
        return this.inRelation(relation.input);
      case "lateral view": {
        const { alias, kept } = relation;
        return {
          ...nothing,
          ignored: new Set(kept.map((column) => identity({ relation: alias, name: column.alias }))),
        };
      }
      case "join": {
        const [left, right] = [this.inRelation(relation.left), this.inRelation(relation.right)];
        switch (relation.join) {
          case "left":
            return left;
          case "right":
            return right;
          case "full":
            return nothing;
          case "left semi":
            return withConditions(left, relation.on, this.plan);
          case "inner":
          case "cross":
          case "comma":
            return withConditions(merged(left, right), relation.on, this.plan);
        }
      }
    }
  }

  private ofColumns(query: Query, alias: string): Facts {
    const known = this.outputsOf(query).flatMap(([name, constant]) =>
      constant ? [[identity({ relation: alias, name }), constant] as const] : [],
    );
    return known.length === 0 ? nothing : { ...nothing, constants: new Map(known) };
  }
}

const merged = (left: Facts, right: Facts): Facts => ({
  constants: new Map([...left.constants, ...right.constants]),
  equalities: [...left.equalities, ...right.equalities],
  ignored: new Set([...left.ignored, ...right.ignored]),
});

/** Adds a condition that all rows fulfil. */
const withConditions = (facts: Facts, condition: Typed | undefined, { isOptimized }: Plan): Facts =>
  condition
    ? { ...facts, equalities: [...facts.equalities, ...equalitiesOf(conjunctsOf(condition), isOptimized)] }
    : facts;

function propagated({ constants: given, equalities, ignored }: Facts, { isOptimized }: Plan): Constants {
  const usable = equalities.filter(
    ([left, right]) =>
      (left.type.kind !== "boolean" || !isOptimized) &&
      [left, right].every((side) => ![...columnsOf(side).keys()].some((column) => ignored.has(column))),
  );
  const constants = new Map(given);
  for (let size = -1; size < constants.size;) {
    size = constants.size;
    for (const [left, right] of usable) {
      recordConstant(left, constantValue(right, constants), constants);
      recordConstant(right, constantValue(left, constants), constants);
    }
  }
  return constants;
}

/** Records the constant of a value, if the value is compared in its own type. */
function recordConstant(value: Typed, constant: Typed | undefined, constants: Map<string, Typed>) {
  if (!constant || value.constant !== undefined || !readsColumns(value) || constants.has(keyOf(value))) return;
  const type = comparisonType(value.type, constant.type);
  if (!type || !(sameType(type, value.type) || (type.kind === "decimal" && value.type.kind === "decimal"))) return;
  const converted = cast(constant, value.type);
  if (!converted) return;
  const node = { kind: "pinned", literal: constant, sql: sql`CAST(${converted} AS ${duckType(value.type)})` } as const;
  constants.set(keyOf(value), { node, type: value.type });
}
