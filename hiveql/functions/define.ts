/** Declarations of functions: parameters, result type and the SQL that computes the result. */
import type { Part } from "../sql/fragment";
import type { HiveQLError } from "../syntax";
import type { FunctionTraits, Site, SortKey, Typed } from "../tree/nodes";
import type { HiveType } from "../tree/types";

/**
 * The type that an argument is converted to before `emit`, or a class of types that are passed unchanged. `text`
 * accepts string, varchar and char; `string` accepts types that convert to string; `typed text` is `text` without an
 * untyped NULL; `primitive` accepts every type except array, map and struct; `constant` accepts literals whose value
 * `emit` needs.
 */
export type Parameter =
  | "any"
  | "primitive"
  | "number"
  | "string"
  | "text"
  | "typed text"
  | "int"
  | "bigint"
  | "double"
  | "boolean"
  | "date"
  | "timestamp"
  | "date or timestamp"
  | "binary"
  | "array"
  | "map"
  | "text or binary"
  | "text, number or date"
  | "string or binary"
  | "constant string"
  | "constant int"
  | "constant";

/** The place of a call, with helpers. */
export interface CallSite extends Site {
  /** Returns the error for a call that Hive refuses too. */
  readonly invalid: (reason: string) => HiveQLError;
  /** Returns the error for a call that Hive may accept and the embedded engine does not support. */
  readonly refused: (reason: string) => Error;
  /** Converts a value to another type; throws when Hive has no such conversion. */
  readonly convert: (value: Typed, type: HiveType) => Typed;
  /** Returns the common type of the values; throws when they have none. */
  readonly common: (values: readonly Typed[]) => HiveType;
}

/**
 * A call's arguments after the conversions of `takes`. Required arguments are always present, so `emit` can destructure
 * them; omitted optional ones are beyond `values.length`.
 */
export type ArgumentValues = readonly [Typed, Typed, Typed, Typed, ...Typed[]];

interface Declaration extends FunctionTraits {
  /** The signature in the documentation, such as `substr(string s, int start[, int length])`. */
  readonly signature: string;
  /** A note for the documentation about surprising behaviour, without a period at the end; may be empty. */
  readonly doc: string;
  /** One entry for each argument; the last entry repeats if `variadic`. */
  readonly takes: readonly Parameter[];
  /** The number of trailing arguments that can be omitted. */
  readonly optional?: number;
  /** True when the last parameter can repeat; it can also be absent if it is optional. */
  readonly variadic?: boolean;
}

/** Computes something of a call from its arguments, its place and its type. */
type OfCall<Result> = (values: ArgumentValues, call: CallSite, type: HiveType) => Result;

/** A function that computes one value for each row: it has SQL, or stands for another expression. */
export type ScalarFunction = Declaration & {
  readonly kind: "scalar";
  readonly returns: HiveType | ((values: ArgumentValues, call: CallSite) => HiveType);
} & (
    | { readonly emit: OfCall<Part>; readonly means?: undefined }
    | { readonly means: OfCall<Typed>; readonly emit?: undefined }
  );

/** A call of an aggregate or window function. */
export interface AggregateSite extends CallSite {
  /** `DISTINCT ` or empty. */
  readonly distinct: string;
  /** ` OVER (…)` with its leading space, or empty; it follows the aggregate's closing parenthesis. */
  readonly over: Part;
  /** The sort keys of WITHIN GROUP; empty without that clause. */
  readonly ordered: readonly SortKey[];
  readonly isWindow: boolean;
  /** ` IGNORE NULLS` or empty. */
  readonly nulls: string;
}

/** An aggregate function, for groups and for windows. */
export interface AggregateFunction extends Declaration {
  readonly kind: "aggregate";
  readonly returns: HiveType | ((values: ArgumentValues, call: CallSite) => HiveType);
  readonly emit: (values: ArgumentValues, call: AggregateSite, type: HiveType) => Part;
  /** True when the function accepts DISTINCT. */
  readonly distinct?: boolean;
  /** True when the function accepts WITHIN GROUP. */
  readonly ordered?: boolean;
  /** True when the function accepts `*`, as count does, which needs that or an argument. */
  readonly acceptsStar?: true;
}

/** A window function; it requires OVER. */
export interface WindowFunction extends Declaration {
  readonly kind: "window";
  readonly returns: HiveType | ((values: ArgumentValues, call: CallSite) => HiveType);
  /** Returns the SQL of the function with its window. */
  readonly emit: (values: ArgumentValues, call: AggregateSite, type: HiveType) => Part;
  /** True when the function uses a frame; for other functions Hive refuses or ignores it. */
  readonly framed?: boolean;
}

/** A table-generating function, such as explode. */
export interface TableFunction extends Declaration {
  readonly kind: "table";
  /** Returns the generated columns, with the names that Hive gives them without an alias. */
  readonly columns: (
    values: ArgumentValues,
    call: CallSite,
  ) => readonly { readonly name: string; readonly type: HiveType }[];
  /** Returns a list that has an element for each row that is generated from the current row; or NULL for no rows. */
  readonly emit: (values: ArgumentValues, call: CallSite) => Part;
  /** Returns the cells of a generated row, from its element. The cells of the element NULL are NULL. */
  readonly cells: (element: Part, values: ArgumentValues, call: CallSite) => readonly Part[];
}

/** A function of the keys of grouping sets, which the binder computes from the sets that hold them. */
export interface GroupingFunction extends Declaration {
  readonly kind: "grouping";
}

/** A function of FROM that returns the rows of its table unchanged. */
export interface IdentityFunction extends Declaration {
  readonly kind: "identity";
}

export type FunctionEntry =
  | ScalarFunction
  | AggregateFunction
  | WindowFunction
  | TableFunction
  | GroupingFunction
  | IdentityFunction;

type Written<Entry extends { kind: string; names: readonly string[]; doc: string }> = Omit<
  Entry,
  "kind" | "names" | "doc"
> & {
  readonly doc?: string;
};

/** Returns what declares functions of a kind; `names` is a list separated by spaces, such as `substr substring`. */
const declaring =
  <Entry extends FunctionEntry>(kind: Entry["kind"]) =>
  (names: string, entry: Written<Entry>): Entry =>
    ({ kind, doc: "", ...entry, names: names.split(" ") }) as unknown as Entry;

/** Declares a scalar function. */
export const scalar = declaring<ScalarFunction>("scalar");
/** Declares an aggregate function. */
export const aggregate = declaring<AggregateFunction>("aggregate");
/** Declares a window function. */
export const window = declaring<WindowFunction>("window");
/** Declares a table-generating function. */
export const table = declaring<TableFunction>("table");
/** Declares a function of the keys of grouping sets. */
export const grouping = declaring<GroupingFunction>("grouping");
/** Declares a function of FROM that returns its input. */
export const identity = declaring<IdentityFunction>("identity");
