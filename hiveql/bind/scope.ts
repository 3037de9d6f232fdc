/** The scopes in which names are resolved, and the state of a whole translation. */
import { type CommonTable, type Expression, type Position, type WindowSpecification } from "../syntax";
import type { ColumnBound } from "../rules/unsatisfiable-conditions";
import type { SubqueryUse } from "../quirks/correlated-conditions";
import type { ViewOrigins } from "../rules/lateral-view-pushdown";
import type { Constant, Part, Typed } from "../tree/nodes";
import type { Grouping } from "./grouping";
import type { Plan } from "../rules/plan";
import type { Settings } from "../settings";
import type { HiveType } from "../tree/types";

/** A table of the catalog. */
export interface CatalogTable {
  /** The columns in the order of `SELECT *`; types are names of Hive types, such as `decimal(10,2)`. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** SQL for FROM that returns the columns by their names, in the DuckDB types that hold their Hive types. */
  readonly relation: string;
}

/** Returns a table; undefined when it does not exist. `database` is `default` when the statement names none. */
export type Catalog = (database: string, table: string) => CatalogTable | undefined;

/** The state of the translation of one statement. */
export interface TranslationContext {
  readonly catalog: Catalog;
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
  /** {@link Typed.hasPaddedScale} and {@link Typed.declaredType} of the value. */
  readonly hasPaddedScale?: true;
  readonly declaredType?: HiveType;
  /** {@link Typed.isUnpadded} of the value. */
  readonly isUnpadded?: true | "partly";
  /** {@link Typed.isComputedChar} of the value. */
  readonly isComputedChar?: true;
  /** {@link Typed.introducesNull} of the value, when Hive merges the query into the outer query. */
  readonly introducesNull?: true;
  /** The lateral views that the column comes from, to which Hive pushes conditions on it down. */
  readonly viewOrigins?: ViewOrigins;
  /** {@link Typed.textSourceType} of the value, when Hive merges the query into the outer query. */
  readonly textSourceType?: HiveType;
  /** The value, when it is a literal of the select list. */
  readonly constant?: Constant;
}

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
  readonly memo: WeakMap<Expression, Typed>;
}
