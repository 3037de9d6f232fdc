/** The syntax tree of a SELECT statement, independent of the parser's grammar. Names are in lower case. */
import type { Position } from "./errors";
import type { LeadingSetting } from "./leading-settings";

/** A part of a statement that an error can name. */
export interface Placed {
  readonly position: Position;
}

/** A query: the common table expressions of WITH and one body. */
export interface Query extends Placed {
  readonly with: readonly CommonTable[];
  readonly body: QueryBody;
  /** The settings before the statement, whose query this is. */
  readonly settings?: readonly LeadingSetting[];
}

export interface CommonTable extends Placed {
  readonly name: string;
  readonly columns?: readonly string[];
  readonly query: Query;
}

/** Terms combined by set operators from left to right, then ORDER BY and LIMIT. */
export interface QueryBody extends Ordering, Placed {
  readonly first: QueryTerm;
  readonly rest: readonly {
    readonly operator: SetOperator;
    readonly position: Position;
    readonly term: QueryTerm;
  }[];
}

export type SetOperator = "union all" | "union" | "intersect all" | "intersect" | "except all" | "except";
export type QueryTerm = Select | Values | { readonly kind: "body"; readonly body: QueryBody };

export interface Ordering {
  readonly orderBy?: readonly OrderItem[];
  readonly sortBy?: readonly OrderItem[];
  readonly distributeBy?: readonly Expression[];
  readonly clusterBy?: readonly Expression[];
  readonly limit?: {
    readonly count: string;
    readonly offset?: string;
    readonly position: Position;
  };
}

export interface OrderItem {
  readonly expression: Expression;
  readonly descending: boolean;
  /** Position of NULLs; undefined for Hive's default. */
  readonly nulls?: "first" | "last";
}

export interface Select extends Placed {
  readonly kind: "select";
  readonly distinct: boolean;
  readonly items: readonly SelectItem[];
  readonly from?: Relation;
  readonly where?: Expression;
  readonly groupBy?: GroupBy;
  readonly having?: Expression;
  readonly windows: readonly { readonly name: string; readonly window: WindowSpecification }[];
  readonly qualify?: Expression;
}

export type SelectItem =
  | { readonly kind: "all"; readonly position: Position; readonly table?: string }
  | {
      readonly kind: "expression";
      readonly position: Position;
      readonly expression: Expression;
      /** One alias; several only after a table-generating function. */
      readonly aliases: readonly string[];
    };

export interface Values extends Placed {
  readonly kind: "values";
  readonly rows: readonly (readonly Expression[])[];
  readonly columns?: readonly (string | undefined)[];
}

export interface GroupBy extends Placed {
  readonly keys: readonly Expression[];
  /** The grouping sets; undefined for a plain GROUP BY. */
  readonly sets?: "rollup" | "cube" | readonly (readonly Expression[])[];
}

export type JoinKind = "inner" | "cross" | "left" | "right" | "full" | "left semi" | "left anti" | "comma";

export type Relation = Placed &
  (
    | {
        readonly kind: "table";
        readonly database?: string;
        readonly table: string;
        readonly alias?: string;
        readonly sample?: Sample;
      }
    | { readonly kind: "subquery"; readonly query: Query; readonly alias: string }
    | {
        readonly kind: "values";
        readonly values: Values;
        readonly alias: string;
        readonly columns: readonly string[];
      }
    | {
        readonly kind: "join";
        readonly join: JoinKind;
        readonly left: Relation;
        readonly right: Relation;
        readonly on?: Expression;
        readonly using?: readonly string[];
      }
    | {
        readonly kind: "lateral";
        readonly input: Relation;
        readonly outer: boolean;
        readonly call: Call;
        readonly alias: string;
        readonly columns: readonly string[];
      }
    | {
        readonly kind: "table function";
        readonly name: string;
        readonly input: Relation;
        readonly arguments: number;
        readonly alias?: string;
      }
  );

export type Sample =
  | { readonly kind: "rows"; readonly position: Position; readonly rows: number }
  | {
      readonly kind: "bucket";
      readonly position: Position;
      /** The number of the bucket, from 1. */
      readonly bucket: number;
      readonly buckets: number;
      readonly on: readonly Expression[];
    }
  /** A share of the table in percent or bytes. */
  | { readonly kind: "size"; readonly position: Position };

export interface WindowSpecification extends Placed {
  /** The window of the WINDOW clause that this one extends. */
  readonly base?: string;
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly OrderItem[];
  readonly frame?: {
    readonly unit: "rows" | "range";
    readonly start: FrameBound;
    readonly end: FrameBound;
  };
}

export type FrameBound =
  | { readonly kind: "unbounded preceding" | "unbounded following" | "current row" }
  | { readonly kind: "preceding" | "following"; readonly offset: string };

export type IntervalUnit = "year" | "quarter" | "month" | "week" | "day" | "hour" | "minute" | "second";

export type BinaryOperator =
  | "+"
  | "-"
  | "*"
  | "/"
  | "%"
  | "div"
  | "||"
  | "&"
  | "|"
  | "^"
  | "="
  | "<>"
  | "<=>"
  | "is distinct from"
  | "<"
  | "<="
  | ">"
  | ">=";

export interface Call extends Placed {
  readonly kind: "call";
  /** The name in lower case. */
  readonly name: string;
  readonly arguments: readonly Expression[];
  readonly star: boolean;
  readonly distinct: boolean;
  readonly window?: WindowSpecification;
  readonly nulls?: "respect" | "ignore";
  readonly withinGroup?: readonly OrderItem[];
}

export type Expression = Placed &
  (
    | Call
    | { readonly kind: "string" | "date" | "timestamp"; readonly value: string }
    | { readonly kind: "number"; readonly text: string }
    | { readonly kind: "boolean"; readonly value: boolean }
    | { readonly kind: "null"; readonly position: Position }
    | {
        readonly kind: "interval";
        readonly value: string | Expression;
        readonly unit: IntervalUnit | "year to month" | "day to second";
      }
    | { readonly kind: "name"; readonly name: string; readonly quoted: boolean }
    | { readonly kind: "field"; readonly base: Expression; readonly name: string; readonly quoted: boolean }
    | { readonly kind: "index"; readonly base: Expression; readonly index: Expression }
    | {
        readonly kind: "cast";
        readonly operand: Expression;
        readonly type: string;
        /** True for CAST … FORMAT. */
        readonly hasFormat?: true;
      }
    | {
        readonly kind: "case";
        readonly operand?: Expression;
        readonly branches: readonly { readonly when: Expression; readonly then: Expression }[];
        readonly otherwise?: Expression;
      }
    | { readonly kind: "unary"; readonly operator: "-" | "+" | "~" | "not"; readonly operand: Expression }
    | {
        readonly kind: "binary";
        readonly operator: BinaryOperator;
        readonly left: Expression;
        readonly right: Expression;
      }
    | { readonly kind: "logical"; readonly operator: "and" | "or"; readonly operands: readonly Expression[] }
    | {
        readonly kind: "is";
        readonly operand: Expression;
        readonly what: "null" | "true" | "false" | "unknown";
        readonly not: boolean;
      }
    | {
        readonly kind: "like";
        readonly operator: "like" | "rlike" | "regexp";
        readonly operand: Expression;
        readonly patterns: readonly Expression[];
        readonly quantifier?: "any" | "all";
        readonly not: boolean;
      }
    | {
        readonly kind: "between";
        readonly operand: Expression;
        readonly low: Expression;
        readonly high: Expression;
        readonly not: boolean;
      }
    | {
        readonly kind: "in";
        readonly operand: Expression;
        readonly items: readonly Expression[];
        readonly not: boolean;
      }
    | { readonly kind: "in query"; readonly operand: Expression; readonly query: QueryBody; readonly not: boolean }
    | {
        readonly kind: "quantified";
        readonly operand: Expression;
        readonly operator: BinaryOperator;
        readonly quantifier: "any" | "all";
        readonly query: QueryBody;
        readonly not: boolean;
      }
    | { readonly kind: "exists"; readonly query: QueryBody }
    | { readonly kind: "scalar query"; readonly query: QueryBody }
    | { readonly kind: "row"; readonly items: readonly Expression[] }
  );
