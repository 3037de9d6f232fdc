/** The scopes in which names are resolved, and the state of a whole translation. */
import { keyWithoutNegativeZero } from "../quirks/signed-zero";
import type { Plan, Views } from "../rules/plan";
import { stageBoundary } from "../quirks/stage-boundary";
import type { Settings } from "../settings";
import type { CommonTable, Expression, Query, QueryBody, Relation, Values, WindowSpecification } from "../syntax";
import { raw, sql } from "../tree/fragment";
import type { ColumnFacts, Constant, Part, Typed } from "../tree/nodes";
import type { ColumnBound, KnownConstants, RowFacts, SubqueryUse, ViewOrigins } from "../tree/row-facts";
import { keyOf, same } from "../tree/same";
import { columnOf, typed } from "../tree/typed";
import { duckType, type HiveType, quoteIdentifier } from "../tree/types";

/** A table of the catalog. */
export interface CatalogTable {
  /** The columns in the order of `SELECT *`; types are names of Hive types, such as `decimal(10,2)`. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** SQL for FROM that returns the columns by their names, in the DuckDB types that hold their Hive types. */
  readonly relation: string;
}

/**
 * Returns a table; undefined when it does not exist. `database` is `default` when the statement names none. `node` is
 * the place in the statement that names the table.
 */
export type Catalog = (
  database: string,
  table: string,
  node: Extract<Relation, { kind: "table" }>,
) => CatalogTable | undefined;

/** The state of the translation of one statement. */
export interface TranslationContext {
  readonly binder: Binder;
  readonly catalog: Catalog;
  /** Returns the query of the view that a place names; undefined for a table. */
  readonly viewAt: Views;
  readonly settings: Settings;
  /** The tables that are read so far, as `database.table`. */
  readonly tables: Set<string>;
  /** Returns a unique alias for a relation of the generated SQL. */
  uniqueName(prefix: string): string;
  /** The lateral views that columns come from, by the SQL of the column. */
  readonly viewOrigins: Map<string, ViewOrigins>;
  readonly plan: Plan;
  /** The SQL of the tables of WITH, in the order in which they must be defined. */
  readonly ctes: { readonly name: string; readonly sql: Part }[];
}

/** A relation in FROM. */
export interface Source {
  readonly alias?: string;
  readonly columns: readonly SourceColumn[];
}

export interface SourceColumn {
  readonly name: string;
  readonly value: Typed;
  /** True when `*` omits the column, because USING shows the column of the other side. */
  readonly hidden?: true;
  /** Position of a USING column of the last join, which `*` lists before all other columns. */
  readonly usingPosition?: number;
}

/** The tables of WITH that a query can use. */
export interface CteScope {
  readonly tables: ReadonlyMap<string, CteEntry>;
}

export interface CteEntry {
  readonly definition: CommonTable;
  readonly scope: CteScope;
  translated?: { readonly name: string; readonly columns: readonly OutputColumn[] };
  /** True while its own query is translated, so that a reference to it is recursive. */
  isTranslating?: boolean;
}

/** An output column of a query. */
export interface OutputColumn {
  /** Name in Hive. */
  readonly name: string;
  /** Name in the SQL, which is unique, unlike in Hive. */
  readonly alias: string;
  readonly type: HiveType;
  /** Computes the constant value of the column in all rows; undefined when Hive knows none. */
  readonly knownConstant?: () => Typed | undefined;
  /** Computes the bounds that the conditions of the query set for the column. */
  readonly bounds?: () => readonly ColumnBound[];
  /** What the outer query knows of its values. */
  readonly facts?: ColumnFacts;
  /** The lateral views that the column comes from, to which Hive pushes conditions on it down. */
  readonly viewOrigins?: ViewOrigins;
  /** The value, when it is a literal of the select list. */
  readonly constant?: Constant;
}

/** A translated query, whose SQL can be put in parentheses. */
export interface TranslatedQuery {
  readonly sql: Part;
  readonly columns: readonly OutputColumn[];
  /** Positions of the sort columns from 0; undefined when the rows are not sorted or a sort key is not a column. */
  readonly sortedBy?: readonly number[];
}

/** A translated FROM clause: its SQL, and the relations whose columns can be named, in the order of `SELECT *`. */
export interface TranslatedFrom {
  readonly from: Part;
  /** The alias of the relation in the SQL, if it is one. */
  readonly name?: string;
  readonly sources: readonly Source[];
  readonly facts: RowFacts;
}

/** The surroundings of a FROM clause. */
export interface EnclosingScope {
  readonly context: TranslationContext;
  readonly cteScope: CteScope;
  readonly parent?: Scope;
}

/**
 * The entry points of the binder for its own files: expressions contain queries, and queries contain expressions. They
 * are given with the context, so that imports have one direction.
 */
interface Binder {
  expression(node: Expression, scope: Scope): Typed;
  query(query: Query, enclosing: EnclosingScope): TranslatedQuery;
  body(body: QueryBody, enclosing: EnclosingScope): TranslatedQuery;
  values(values: Values, enclosing: EnclosingScope): TranslatedQuery;
}

/**
 * Binds an expression in a scope.
 * @throws HiveQLError when Hive refuses the expression or the engine does not support it.
 */
export const expression = (node: Expression, scope: Scope): Typed => scope.context.binder.expression(node, scope);

/** The names and settings for the expressions of one clause. */
export interface Scope {
  readonly context: TranslationContext;
  readonly cteScope: CteScope;
  readonly sources: readonly Source[];
  /** The scope of the outer query, for correlated columns. */
  readonly parent?: Scope;
  /** The use of the translated subquery in the outer query; set in the scope that is the subquery's `parent`. */
  readonly subqueryUse?: SubqueryUse;
  /** The groups; undefined when rows are not grouped. */
  readonly grouping?: Grouping;
  /** Aliases of the select list, for ORDER BY, HAVING and QUALIFY. */
  readonly aliases?: {
    /** True when an alias hides a column of the same name, as in ORDER BY; in HAVING the column hides the alias. */
    readonly precedeColumns: boolean;
    readonly values: ReadonlyMap<string, Typed>;
    /** True when only aliases of group keys and aggregates are allowed, as in HAVING. */
    readonly onlyGroupColumns?: true;
  };
  readonly windows: ReadonlyMap<string, WindowSpecification>;
  /** Computes the values that conditions set to a constant in all rows, by their SQL. */
  readonly knownConstants?: () => ReadonlyMap<string, Typed>;
  /** The window of the function whose argument is translated. */
  readonly enclosingWindow?: WindowSpecification;
  /** Computes a value for each row before the window functions of the select list, and returns its column. */
  readonly precompute?: (value: Typed) => Typed;
  /** The clause or operator around the expression, such as `WHERE` or `NOT`, for messages. */
  readonly clause: string;
  /** True when functions with OVER are allowed. */
  readonly allowsWindows: boolean;
  /** The equalities of ON that may be keys of the join. */
  readonly joinKeys?: JoinKeys;
  readonly memo: WeakMap<Expression, Typed>;
}

/** The equalities of ON that stand alone or between ANDs, and the relations of both sides of the join. */
export interface JoinKeys {
  readonly equalities: ReadonlySet<Expression>;
  readonly left: ReadonlySet<string>;
  readonly right: ReadonlySet<string>;
}

/** Returns the scope of the expressions over the relations of a FROM clause. */
export function scopeOf(sources: readonly Source[], enclosing: EnclosingScope, clause: string): Scope {
  return {
    context: enclosing.context,
    cteScope: enclosing.cteScope,
    sources,
    ...(enclosing.parent ? { parent: enclosing.parent } : {}),
    windows: new Map(),
    clause,
    allowsWindows: false,
    memo: new WeakMap(),
  };
}

/** Collects the columns of grouped rows while the expressions over them are translated. */
export class Grouping {
  private readonly columns = new Map<string, { readonly column: string; readonly value: Part }>();

  /**
   * @param alias alias of the relation of the groups.
   * @param base scope of the keys and of the arguments of aggregates.
   * @param keys keys in the order of GROUP BY.
   * @param sets undefined for a plain GROUP BY. `members` are the keys that are in some grouping set; the others are
   *   always NULL. `isSingleFullSet` is true when the only set contains all keys. `constants` are the values of
   *   constant keys, which Hive shows even in sets that aggregate the key away.
   */
  constructor(
    readonly alias: string,
    readonly base: Scope,
    readonly keys: readonly Typed[],
    readonly sets?: {
      readonly members: ReadonlySet<string>;
      readonly isSingleFullSet: boolean;
      readonly constants: KnownConstants;
    },
  ) {}

  /** Returns the column of a group key; undefined when the expression is not a key. */
  key(value: Typed): Typed | undefined {
    if (!this.keys.some((key) => same(key, value))) return undefined;
    if (!this.isMember(value)) return typed(sql`CAST(NULL AS ${duckType(value.type)})`, value.type);
    return (
      this.sets?.constants.get(keyOf(value)) ??
      this.column(value, stageBoundary(keyWithoutNegativeZero(value), value.type))
    );
  }

  /** Returns the keys that are used so far, with their columns. */
  keyColumns(): readonly (readonly [column: string, key: Typed])[] {
    return this.keys.flatMap((key) => {
      const entry = this.columns.get(keyOf(key));
      return entry ? [[`${this.alias}.${entry.column}`, key] as const] : [];
    });
  }

  /** Returns true when a key is in some grouping set, or when the GROUP BY is plain. */
  isMember(key: Typed): boolean {
    return this.sets === undefined || this.sets.members.has(keyOf(key));
  }

  /** Returns true when there are grouping sets over a key that is known to be constant. */
  hasConstantKey(): boolean {
    const { sets, keys } = this;
    return sets !== undefined && (sets.constants.size > 0 || keys.some((key) => key.constant !== undefined));
  }

  /** Returns the column of a value that is computed for each group, such as an aggregate. */
  computed(value: Typed): Typed {
    return this.column(value);
  }

  /** Returns the select list of the grouped query. */
  selectList(): Part[] {
    const columns = [...this.columns.values()].map(({ column, value }) => sql`${value} AS ${quoteIdentifier(column)}`);
    return columns.length > 0 ? columns : [raw("1 AS one")];
  }

  /** Returns the column of a value. @param shown expression that is selected for it. */
  private column(value: Typed, shown: Part = value): Typed {
    const key = keyOf(value);
    let entry = this.columns.get(key);
    if (!entry) {
      entry = { column: `c${this.columns.size}`, value: shown };
      this.columns.set(key, entry);
    }
    return columnOf(this.alias, entry.column, value.type, "groups");
  }
}
