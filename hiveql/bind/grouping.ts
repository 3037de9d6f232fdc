/** GROUP BY: the columns of grouped rows, and lookups of expressions among them. */
import { keyOf, same } from "../tree/same";
import { columnOf } from "../tree/typed";
import type { Scope } from "./scope";
import { raw, sql } from "../tree/fragment";
import type { Part, Typed } from "../tree/nodes";
import { typed } from "../tree/typed";
import { stageBoundary } from "../rules/stage-boundary";
import type { KnownConstants } from "../rules/constant-propagation";
import { duckType, quoteIdentifier } from "../tree/types";

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
    return this.sets?.constants.get(keyOf(value)) ?? this.column(value, stageBoundary(value, value.type));
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

/** Returns true when a value is a column of grouped rows: a key or an aggregate, and not an expression over them. */
export const isGroupColumn = ({ node }: Typed) => node.kind === "column" && node.of === "groups";
