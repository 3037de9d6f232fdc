/** GROUP BY: what a group's row holds, and how expressions over it are found again. */
import type { Expression } from "../syntax";
import type { Environment } from "./scope";
import { type Fragment, raw, sql, typed, type SqlExpression } from "../emit/fragment";
import { stageBoundary } from "../rules/stage-boundary";
import { aggregateNames } from "../functions/aggregate-names";
import type { KnownConstants } from "../rules/constant-propagation";
import { duckType, quoteName } from "./types";

/** The columns of grouped rows, collected while the expressions over them are translated. */
export class Grouping {
  private readonly columns = new Map<string, { readonly column: string; readonly value: Fragment }>();

  /**
   * @param alias of the relation that holds the groups.
   * @param base names inside of aggregates and keys.
   * @param keys in the order of GROUP BY.
   * @param sets absent for plain grouping; else which keys stand in some grouping set, the others being always NULL,
   *   whether there is but one set, of all keys, and the constants that Hive shows for those that it knows to be constant.
   */
  constructor(
    readonly alias: string,
    readonly base: Environment,
    readonly keys: readonly SqlExpression[],
    readonly sets?: { readonly members: ReadonlySet<string>; readonly isWhole: boolean; readonly pinned: KnownConstants },
  ) {}

  /** A group key's value; undefined where the expression is none. */
  key(value: SqlExpression): SqlExpression | undefined {
    if (!this.keys.some((key) => key.sql === value.sql)) return undefined;
    if (!this.isMember(value)) return typed(sql`CAST(NULL AS ${duckType(value.type)})`, value.type);
    return this.sets?.pinned.get(value.sql) ?? typed(raw(this.column(value, stageBoundary(value, value.type))), value.type);
  }

  /** Keys by the columns that hold them. */
  keyColumns(): readonly (readonly [column: string, key: SqlExpression])[] {
    return this.keys.flatMap((key) => {
      const entry = this.columns.get(key.sql);
      return entry ? [[`${this.alias}.${entry.column}`, key] as const] : [];
    });
  }

  /** Whether a key stands in some grouping set. */
  isMember(key: SqlExpression): boolean {
    return this.sets === undefined || this.sets.members.has(key.sql);
  }

  /** Whether there are grouping sets over a key that is known to be constant. */
  hasConstantKey(): boolean {
    const { sets, keys } = this;
    return sets !== undefined && (sets.pinned.size > 0 || keys.some((key) => key.constant !== undefined));
  }

  /** A value that is computed for each group, such as an aggregate. */
  computed(value: SqlExpression): SqlExpression {
    return typed(raw(this.column(value)), value.type);
  }

  /** The select list that makes the groups. */
  selectList(): Fragment[] {
    const columns = [...this.columns.values()].map(({ column, value }) => sql`${value} AS ${quoteName(column)}`);
    return columns.length > 0 ? columns : [raw("1 AS one")];
  }

  /** @param shown what is selected of the value. */
  private column(value: Fragment, shown = value): string {
    let entry = this.columns.get(value.sql);
    if (!entry) {
      entry = { column: `c${this.columns.size}`, value: shown };
      this.columns.set(value.sql, entry);
    }
    return `${this.alias}.${entry.column}`;
  }
}

/** Whether a value is a key of GROUP BY or an aggregate, and not computed of them. */
export const isGroupColumn = ({ sql: text }: Fragment) => /^g\d+\.c\d+$/.test(text);

const aggregating = new WeakMap<object, boolean>();

/** Whether an expression aggregates at its own level: inside of OVER's arguments counts, inside of subqueries does not. */
export function hasAggregate(node: Expression): boolean {
  return remember(aggregating, node, () => {
    if (node.kind === "call" && node.window === undefined && aggregateNames.has(node.name)) return true;
    return childrenOf(node).some(hasAggregate);
  });
}

const plain = new WeakMap<object, boolean>();

/** Whether an expression is one that a GROUP BY key could be: no aggregate, no window, no subquery. */
export function isPlain(node: Expression): boolean {
  return remember(plain, node, () => {
    if (node.kind === "call" && (node.window !== undefined || aggregateNames.has(node.name))) return false;
    if (node.kind === "call" && node.name === "grouping") return false;
    if (
      node.kind === "in query" ||
      node.kind === "quantified" ||
      node.kind === "exists" ||
      node.kind === "scalar query"
    )
      return false;
    return childrenOf(node).every(isPlain);
  });
}

function remember(memo: WeakMap<object, boolean>, node: Expression, compute: () => boolean): boolean {
  let known = memo.get(node);
  if (known === undefined) {
    known = compute();
    memo.set(node, known);
  }
  return known;
}

/** The expressions directly under one, those of its window included. */
export function childrenOf(node: Expression): readonly Expression[] {
  switch (node.kind) {
    case "call": {
      const window = node.window
        ? [...node.window.partitionBy, ...node.window.orderBy.map((item) => item.expression)]
        : [];
      return [...node.arguments, ...window];
    }
    case "field":
      return [node.base];
    case "index":
      return [node.base, node.index];
    case "cast":
    case "unary":
    case "is":
    case "in query":
    case "quantified":
      return [node.operand];
    case "case":
      return [
        ...(node.operand ? [node.operand] : []),
        ...node.branches.flatMap((branch) => [branch.when, branch.then]),
        ...(node.otherwise ? [node.otherwise] : []),
      ];
    case "binary":
      return [node.left, node.right];
    case "logical":
      return node.operands;
    case "like":
      return [node.operand, ...node.patterns];
    case "between":
      return [node.operand, node.low, node.high];
    case "in":
      return [node.operand, ...node.items];
    case "row":
      return node.items;
    case "interval":
      return typeof node.value === "string" ? [] : [node.value];
    default:
      return [];
  }
}
