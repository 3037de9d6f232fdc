/** What names mean at one place of a statement, and what the whole translation shares. */
import {
  type CommonTable,
  type Expression,
  type Position,
  unsupported,
  type WindowSpecification,
} from "../syntax";
import type { Bound } from "../rules/contradictions";
import type { Use } from "../quirks/correlation";
import type { ViewMarks } from "../rules/lateral-view-pushdown";
import type { Constant, Fragment, SqlExpression } from "../emit/fragment";
import { heaviest } from "../emit/fragment";
import type { Grouping } from "./grouping";
import type { Plan } from "../rules/plan";
import type { Settings } from "./settings";
import type { HiveType } from "./types";

/** A table as the catalog knows it. */
export interface CatalogTable {
  /** In the order of `SELECT *`; types as Hive writes them. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** SQL that stands in FROM and yields the columns by their names, in the DuckDB types that hold theirs. */
  readonly relation: string;
}

/** Finds a table; undefined where there is none. `database` is `default` where the statement names none. */
export type Catalog = (database: string, table: string) => CatalogTable | undefined;

/** What all parts of one statement's translation share. */
export interface Shared {
  readonly catalog: Catalog;
  readonly settings: Settings;
  /** Tables read so far, by `database.table`. */
  readonly tables: Set<string>;
  /** A name that no other relation of the statement has. */
  unique(prefix: string): string;
  /** Columns of lateral views by their SQL. */
  readonly marks: Map<string, ViewMarks>;
  readonly job: {
    /** Whether Hive runs a job for the statement, and does not only read a table. */
    isRun: boolean;
    /** Whether the statement ends with LIMIT. */
    isCut: boolean;
    /** Whether Hive may run a job for a LIMIT within. */
    isOpen: boolean;
  };
  readonly plan: Plan;
  /** SQL of what WITH names, in the order in which it must be defined. */
  readonly ctes: { readonly name: string; readonly sql: string }[];
}

/** A relation in FROM. */
export interface Source {
  readonly alias?: string;
  readonly columns: readonly SourceColumn[];
}

export interface SourceColumn {
  readonly name: string;
  readonly value: SqlExpression;
  /** Whether `*` leaves it out, since USING shows the column of the other side. */
  readonly hidden?: true;
  /** Its place before all others in `*`, where the last join has it in USING. */
  readonly first?: number;
}

/** What WITH names where a query stands. */
export interface CteScope {
  readonly tables: ReadonlyMap<string, CteEntry>;
}

export interface CteEntry {
  readonly definition: CommonTable;
  readonly scope: CteScope;
  translated?: { readonly name: string; readonly columns: readonly OutputColumn[] };
  /** While its own query is translated: a reference then is recursive. */
  open?: boolean;
}

/** A column that a query yields. */
export interface OutputColumn {
  /** As Hive names it. */
  readonly name: string;
  /** As the SQL names it; unlike Hive's it is the only one of its name. */
  readonly alias: string;
  readonly type: HiveType;
  /** The constant that it is in all rows, as far as Hive knows; computed when it is asked for. */
  readonly pinned?: () => SqlExpression | undefined;
  /** What the conditions of its query say of it; computed when it is asked for. */
  readonly bounds?: () => readonly Bound[];
  /** {@link SqlExpression.isLongConstant} and {@link SqlExpression.declared} of the value. */
  readonly isLongConstant?: true;
  readonly declared?: HiveType;
  /** {@link SqlExpression.isBare} of the value. */
  readonly isBare?: true | "partly";
  /** {@link SqlExpression.isMade} of the value. */
  readonly isMade?: true;
  /** Whether its query has no rows of its own, so that Hive merges it with the query around it: {@link SqlExpression.vanishes}. */
  readonly vanishes?: true;
  /** The lateral views that it comes from, where conditions on it are moved to them. */
  readonly marks?: ViewMarks;
  /** As {@link SqlExpression.textOf}, where Hive merges the query with the query around it. */
  readonly textOf?: HiveType;
  /** The value where it is a literal of the select list. */
  readonly constant?: Constant;
}

/** Names at one place. */
export interface Environment {
  readonly shared: Shared;
  readonly common: CteScope;
  readonly sources: readonly Source[];
  /** Names around a subquery, for correlated columns. */
  readonly parent?: Environment;
  /** How a subquery whose names these are around is used. */
  readonly use?: Use;
  /** Set where rows are groups. */
  readonly grouping?: Grouping;
  /** Aliases of the select list, seen before columns in ORDER BY and after them in HAVING. */
  readonly aliases?: {
    readonly first: boolean;
    readonly values: ReadonlyMap<string, SqlExpression>;
    /** Whether only keys of groups and aggregates may be named. */
    readonly ofGroups?: true;
  };
  readonly windows: ReadonlyMap<string, WindowSpecification>;
  /** Values that conditions pin to constants in all rows; absent where nothing is known of the rows. */
  readonly pins?: () => ReadonlyMap<string, SqlExpression>;
  /** The window of the function whose argument stands here. */
  readonly around?: WindowSpecification;
  /** Computes a value for each row before the windows of the select list are, and names it. */
  readonly before?: (value: SqlExpression) => SqlExpression;
  /** The clause, for messages. */
  readonly place: string;
  /** Whether functions with OVER may stand here. */
  readonly allowsWindows: boolean;
  readonly memo: WeakMap<Expression, SqlExpression>;
}

/** Refuses an expression that DuckDB would take long to bind. */
export function checkWeight<Kind extends Fragment>(fragment: Kind, position: Position): Kind {
  if (fragment.weight > heaviest) throw unsupported(position, "expression", "is too large");
  return fragment;
}
