/** How a function is declared: what it takes, what it returns, the SQL that computes it. */
import type { Position } from "../syntax";
import type { Fragment, SqlExpression } from "../emit/fragment";
import type { OrderKey } from "../emit/order";
import type { HiveType } from "../bind/types";

/**
 * What an argument is converted to before it reaches `emit`: a type's name, or a class of types that stay as they are.
 * `text` is string, varchar and char, where `string` is what can be written as one, and `typed text` no NULL without a
 * type;
 * `primitive` is every type but array, map and struct; `constant` is a literal whose value `emit` needs.
 */
export type Parameter =
  | "any"
  | "primitive"
  | "number"
  | "integer"
  | "string"
  | "text"
  | "typed text"
  | "int"
  | "bigint"
  | "double"
  /** A double, made of decimals by way of decimal(38,18), as Hive's older functions take them. */
  | "short double"
  | "boolean"
  | "date"
  | "timestamp"
  | "date or timestamp"
  | "binary"
  | "array"
  | "map"
  | "struct"
  | "text or binary"
  | "text, number or date"
  | "string or binary"
  | "constant string"
  | "constant int"
  | "constant";

/** One call, for what depends on more than the arguments. */
export interface CallSite {
  readonly position: Position;
  /** As the statement names it, lower case. */
  readonly name: string;
  /** The local time zone, `UTC` unless a setting says otherwise. */
  readonly timeZone: string;
  /** Refuses the call as one that Hive refuses too. */
  readonly invalid: (reason: string) => Error;
  /** Refuses the call as one that Hive may take. */
  readonly refused: (reason: string) => Error;
  /** A value as another type; throws where Hive has no such conversion. */
  readonly convert: (value: SqlExpression, type: HiveType) => SqlExpression;
  /** The type of all values together; throws where they have none. */
  readonly common: (values: readonly SqlExpression[]) => HiveType;
}

/**
 * A call's arguments as `takes` has converted them. As many are there as `takes` demands, so that `emit` may name
 * them; those beyond `values.length` are the optional ones that were left out.
 */
export type Values = readonly [SqlExpression, SqlExpression, SqlExpression, SqlExpression, ...SqlExpression[]];

interface Declaration {
  /** The function's name and its other names. */
  readonly names: readonly string[];
  /** As the documentation shows it, such as `substr(string s, int start[, int length])`. */
  readonly signature: string;
  /** What Hive's users may not expect, one sentence; empty where there is nothing. */
  readonly doc: string;
  /** One for each argument; those after `optional` may be left out, the last repeats where `variadic`. */
  readonly takes: readonly Parameter[];
  /** How many of `takes` may be left out. */
  readonly optional?: number;
  /** Whether the last parameter may come any number of times, none included where it is optional. */
  readonly variadic?: boolean;
}

/** A function of one row. */
export interface ScalarFunction extends Declaration {
  readonly kind: "scalar";
  readonly returns: HiveType | ((values: Values, call: CallSite) => HiveType);
  readonly emit: (values: Values, call: CallSite, type: HiveType) => Fragment;
}

/** What an aggregate is written around. */
export interface AggregateSite extends CallSite {
  /** `DISTINCT ` or empty. */
  readonly distinct: string;
  /** ` OVER (…)` with its leading space, or empty; it belongs directly after the aggregate's bracket. */
  readonly over: Fragment;
  /** The keys of WITHIN GROUP; empty where there is none. */
  readonly ordered: readonly OrderKey[];
  readonly isWindow: boolean;
  /** Whether Hive's optimizer plans it. */
  readonly isOptimized: boolean;
}

/** A function of many rows, in groups or in windows. */
export interface AggregateFunction extends Declaration {
  readonly kind: "aggregate";
  readonly returns: HiveType | ((values: Values, call: CallSite) => HiveType);
  readonly emit: (values: Values, call: AggregateSite, type: HiveType) => Fragment;
  /** Whether DISTINCT may stand before the arguments. */
  readonly distinct?: boolean;
  /** Whether WITHIN GROUP may follow. */
  readonly ordered?: boolean;
}

/** A function that needs OVER. */
export interface WindowFunction extends Declaration {
  readonly kind: "window";
  readonly returns: HiveType | ((values: Values, call: CallSite) => HiveType);
  /** Emits the function with its window; `nulls` is ` IGNORE NULLS` or empty. */
  readonly emit: (values: Values, call: AggregateSite & { readonly nulls: string }, type: HiveType) => Fragment;
  /** Whether a frame may be written; Hive refuses or ignores it for the others. */
  readonly framed?: boolean;
}

/** A function that makes rows. */
export interface TableFunction extends Declaration {
  readonly kind: "table";
  /** The columns that each call yields, named as Hive names them where no alias does. */
  readonly columns: (values: Values, call: CallSite) => readonly { readonly name: string; readonly type: HiveType }[];
  /** A query that yields those columns, in order, as c0, c1, …, for the row around it. */
  readonly emit: (values: Values, call: CallSite) => Fragment;
}

export type FunctionEntry = ScalarFunction | AggregateFunction | WindowFunction | TableFunction;

type Written<Entry extends { kind: string; names: readonly string[]; doc: string }> = Omit<
  Entry,
  "kind" | "names" | "doc"
> & {
  readonly doc?: string;
};

/** Declares functions of one row; several names stand in one string, such as `substr substring`. */
export const scalar = (names: string, entry: Written<ScalarFunction>): ScalarFunction => ({
  kind: "scalar",
  doc: "",
  ...entry,
  names: names.split(" "),
});
export const aggregate = (names: string, entry: Written<AggregateFunction>): AggregateFunction => ({
  kind: "aggregate",
  doc: "",
  ...entry,
  names: names.split(" "),
});
export const window = (names: string, entry: Written<WindowFunction>): WindowFunction => ({
  kind: "window",
  doc: "",
  ...entry,
  names: names.split(" "),
});
export const table = (names: string, entry: Written<TableFunction>): TableFunction => ({
  kind: "table",
  doc: "",
  ...entry,
  names: names.split(" "),
});
