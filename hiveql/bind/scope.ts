/** The scopes in which names are resolved, and the state of a whole translation. */
import type { Views } from "../tree/views";
import type { Settings } from "../settings";
import type { Expression, Query, QueryBody, Values, WindowSpecification } from "../syntax";
import type { Output, Query as QueryTree, Typed, View } from "../tree/nodes";
import { inferredIn } from "../tree/facts";
import { keyOf, same } from "../tree/same";
import { columnOf, nullOf } from "../tree/typed";
import type { BoundQuery, Catalog, CteScope, Source } from "./relations";

/** The state of the translation of one statement. */
export interface TranslationContext {
  readonly binder: Binder;
  readonly catalog: Catalog;
  /** Returns the query of the view that a place names; undefined for a table. */
  readonly viewAt: Views;
  readonly settings: Settings;
  /** The user who runs the statement. */
  readonly user: string;
  /** The view whose query is bound; undefined in the statement itself. */
  readonly view?: View;
  /** The tables that are read so far, as `database.table`. */
  readonly tables: Set<string>;
  /** Returns a unique alias for a relation of the generated SQL. */
  uniqueName(prefix: string): string;
  /** The tables of WITH, in the order in which they must be defined. */
  readonly ctes: { readonly name: string; readonly query: QueryTree }[];
  /** What the user should know of clauses that have no effect. */
  readonly notes: Set<string>;
}

/** The surroundings of a FROM clause. */
export interface EnclosingScope {
  readonly context: TranslationContext;
  readonly cteScope: CteScope;
  readonly parent?: Scope;
  /** True inside of a subquery in an expression, also in a view that it reads. */
  readonly isSubquery?: true;
}

/**
 * The entry points of the binder for its own files: expressions contain queries, and queries contain expressions. They
 * are given with the context, so that imports have one direction.
 */
interface Binder {
  expression(node: Expression, scope: Scope): Typed;
  query(query: Query, enclosing: EnclosingScope): BoundQuery;
  body(body: QueryBody, enclosing: EnclosingScope): BoundQuery;
  values(values: Values, enclosing: EnclosingScope): BoundQuery;
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
  /** The names after AS in the select list of the same SELECT, for messages. */
  readonly selectAliases?: ReadonlySet<string>;
  readonly windows: ReadonlyMap<string, WindowSpecification>;
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
  private readonly columns = new Map<string, { readonly column: string; readonly value: Typed }>();

  /**
   * @param alias alias of the relation of the groups.
   * @param base scope of the keys and of the arguments of aggregates.
   * @param keys keys in the order of GROUP BY.
   * @param named identities of the keys that are written as names.
   * @param options `sets` is undefined for a plain GROUP BY; its `members` are the keys that are in some grouping set, and
   *   the others are always NULL. `number` is a key that is a number, which another engine takes for a position.
   */
  constructor(
    readonly alias: string,
    readonly base: Scope,
    readonly keys: readonly Typed[],
    private readonly named: ReadonlySet<string>,
    private readonly options: {
      readonly sets?: { readonly members: ReadonlySet<string> } | undefined;
      readonly number?: string | undefined;
    } = {},
  ) {}

  get sets(): { readonly members: ReadonlySet<string> } | undefined {
    return this.options.sets;
  }

  /** Says what to do about a column that is no group key. */
  get remedy(): string {
    const { number } = this.options;
    return number === undefined
      ? "add it to GROUP BY or aggregate it"
      : `GROUP BY ${number} groups by the number ${number}, not by the column at that position: write the column in GROUP BY`;
  }

  /** Returns the column of a group key; undefined when the expression is not a key. */
  key(value: Typed): Typed | undefined {
    if (!this.keys.some((key) => same(key, value))) return undefined;
    if (!this.isMember(value)) return nullOf(value.type);
    return this.column(value);
  }

  /** Returns the column of the group key with a name: `i` is none of `GROUP BY CAST(i AS int)`, even if it is an int. */
  namedKey(value: Typed): Typed | undefined {
    return this.named.has(keyOf(value)) ? this.key(value) : undefined;
  }

  /** Returns true when a key is in some grouping set, or when the GROUP BY is plain. */
  isMember(key: Typed): boolean {
    return this.sets === undefined || this.sets.members.has(keyOf(key));
  }

  /** Returns the column of a value that is computed for each group, such as an aggregate. */
  computed(value: Typed): Typed {
    return this.column(value);
  }

  /** Returns the columns that are used so far. */
  outputs(): readonly Output[] {
    return [...this.columns.values()].map(({ column, value }) => ({ value, alias: column }));
  }

  /** Returns the column of a value. */
  private column(value: Typed): Typed {
    const key = keyOf(value);
    let entry = this.columns.get(key);
    if (!entry) {
      entry = { column: `c${this.columns.size}`, value };
      this.columns.set(key, entry);
    }
    return columnOf(this.alias, entry.column, value.type, "groups", inferredIn([value]));
  }
}
