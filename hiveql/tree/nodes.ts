/**
 * The typed tree of expressions: what the binder makes of the syntax tree and the emitter prints.
 * Nodes are plain data. Everything that is known about a value is a fact of its node or a field beside it; nothing is
 * ever asked of SQL text.
 */
import type { InferredColumn, Position } from "../syntax";
import type { HiveType } from "./types";
import type { LateralViewOf, OutputOf, QueryOf, RelationOf, SelectOf, SetSideOf, SubqueryOf } from "./queries";
import type { SortKeyOf, WindowOf } from "./windows";

/** The value of a literal. */
export type Constant = string | number | boolean | null;

/** A column of a relation in the generated SQL. */
export interface Column {
  readonly kind: "column";
  /** The alias of the relation. */
  readonly relation: string;
  readonly name: string;
  /** What the relation is: rows of FROM, the columns of a lateral view, or groups. */
  readonly of: "rows" | "view" | "groups";
  /** The columns of tables that it holds and whose type was inferred. */
  readonly inferred?: readonly InferredColumn[];
}

/** A value that the statement writes or that is known from it. */
export interface Literal {
  readonly kind: "literal";
  readonly type: HiveType;
  /** Its digits, its characters, or `true` and `false`; months or microseconds of an interval; null for NULL. */
  readonly text: string | null;
  /** The text that is compared with a date and is none, such as `2024-02-31`; the literal is then NULL. */
  readonly noDate?: string;
}

/** A call of a function. Its entry in the table of functions tells the SQL. */
export interface FunctionCall {
  readonly kind: "call" | "aggregate" | "window";
  readonly function: FunctionTraits;
  /** The arguments, converted to the types of the parameters. */
  readonly arguments: readonly Typed[];
  readonly site: Site;
  readonly type: HiveType;
  readonly isDistinct?: boolean;
  /** The sort keys of WITHIN GROUP. */
  readonly ordered?: readonly SortKey[];
  readonly over?: Window;
  readonly ignoresNulls?: boolean;
}

/** What a function may need to know of the place where it is called. */
export interface Site {
  readonly position: Position;
  /** The function's name as written, in lower case. */
  readonly name: string;
  /** The session time zone; `UTC` unless `hive.local.time.zone` is set. */
  readonly timeZone: string;
  /** The user who runs the statement. */
  readonly user: string;
  /** The view in whose query the call stands. */
  readonly view?: View;
}

/** A view, and where the statement names it. */
export interface View {
  readonly name: string;
  readonly position: Position;
  /** The view in whose query the statement names it; undefined for the statement itself. */
  readonly outer?: View;
}

/** How a value is computed. */
export type Node =
  | Column
  | Literal
  | FunctionCall
  | OperatorNode
  | {
      readonly kind: "query";
      readonly subquery: Subquery;
      /** The columns of tables that its value holds and whose type was inferred; undefined where it holds none. */
      readonly inferred?: readonly InferredColumn[];
    };

export type ArithmeticOperator = "+" | "-" | "*" | "/" | "%" | "div" | "&" | "|" | "^";

/** A comparison by Hive's operator. */
export type ComparisonOperator = "=" | "<>" | "<" | "<=" | ">" | ">=" | "<=>" | "is distinct from";

/** An operator; its operands are converted to the types in which Hive computes. */
export type OperatorNode =
  | { readonly kind: "cast"; readonly operands: readonly [Typed]; readonly to: HiveType }
  | { readonly kind: "comparison"; readonly operator: ComparisonOperator; readonly operands: readonly [Typed, Typed] }
  | { readonly kind: "concatenation"; readonly operands: readonly Typed[] }
  | { readonly kind: "and" | "or"; readonly operands: readonly Typed[] }
  | { readonly kind: "not" | "is null" | "complement"; readonly operands: readonly [Typed] }
  /** IS TRUE and IS FALSE. */
  | { readonly kind: "is"; readonly operands: readonly [Typed]; readonly value: boolean; readonly not: boolean }
  | {
      readonly kind: "arithmetic";
      readonly operator: ArithmeticOperator;
      readonly operands: readonly [Typed, Typed];
      readonly to: HiveType;
    }
  | { readonly kind: "negative"; readonly operands: readonly [Typed]; readonly to: HiveType }
  /** A field of a struct; of an array of structs, the array of the fields. */
  | { readonly kind: "field"; readonly operands: readonly [Typed]; readonly name: string }
  /** An element of an array by its index from 0, or of a map by its key. */
  | { readonly kind: "element"; readonly operands: readonly [Typed, Typed] }
  /** The row `(a, b)` of IN. */
  | { readonly kind: "row"; readonly operands: readonly Typed[] }
  /** A date or timestamp plus or minus an interval. */
  | {
      readonly kind: "shift";
      readonly operator: "+" | "-";
      readonly operands: readonly [Typed, Typed];
      readonly to: HiveType;
    }
  /** The interval between two timestamps. */
  | { readonly kind: "duration"; readonly operands: readonly [Typed, Typed] }
  /** So many months or microseconds for each unit of an amount. */
  | { readonly kind: "interval"; readonly operands: readonly [Typed]; readonly unit: number; readonly to: HiveType }
  | { readonly kind: "like"; readonly operands: readonly [Typed, Typed] }
  /** A match of a Java pattern; `re2` is the equivalent pattern for RE2, if there is one. */
  | { readonly kind: "matches"; readonly operands: readonly [Typed, Typed]; readonly re2?: string }
  /** A condition that is FALSE instead of NULL. */
  | { readonly kind: "is true"; readonly operands: readonly [Typed] }
  /** A value and the items of its list. */
  | { readonly kind: "in"; readonly operands: readonly [Typed, ...Typed[]] }
  /** A bit for each key, which is 1 when the key is aggregated away: so much for the operands, and for other keys. */
  | {
      readonly kind: "grouping";
      readonly operands: readonly Typed[];
      readonly weights: readonly number[];
      readonly others: number;
    }
  /** A number that is converted from a text, and fails the query when the text is none. */
  | { readonly kind: "readable number"; readonly operands: readonly [Typed, Typed]; readonly failure: string }
  /** The number by which a RANGE frame with an offset measures distances; the query fails for a NULL that it does not take. */
  | { readonly kind: "range key"; readonly operands: readonly [Typed]; readonly takesNull: boolean }
  /** The first value that is not NULL. */
  | { readonly kind: "coalesce"; readonly operands: readonly Typed[] }
  /** Conditions and results in turn, and a last result for ELSE. */
  | { readonly kind: "case"; readonly operands: readonly Typed[] };

/** What the rest of the translator needs to know of a function; its entry in the table declares it. */
export interface FunctionTraits {
  /** The function's name, followed by its aliases. */
  readonly names: readonly string[];
  /** True when two calls with the same arguments can differ, as those of rand do. */
  readonly isVolatile?: true;
}

/** An expression with its Hive type; its SQL yields the DuckDB type that `duckType` gives for it. */
export interface Typed {
  readonly node: Node;
  readonly type: HiveType;
  /** Where the statement writes the expression. */
  readonly position?: Position;
  /** The value of a literal; undefined when the value is known only at run time. */
  readonly constant?: Constant;
}

/** The nodes of queries and windows, with values of the typed tree. */
export type Query = QueryOf<Typed>;
export type Select = SelectOf<Typed>;
export type SetSide = SetSideOf<Typed>;
export type Relation = RelationOf<Typed>;
export type LateralView = LateralViewOf<Typed>;
export type Output = OutputOf<Typed>;
export type Subquery = SubqueryOf<Typed>;
export type SortKey = SortKeyOf<Typed>;
export type Window = WindowOf<Typed>;
