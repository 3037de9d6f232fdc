/**
 * The conditions that a statement sets for the partition columns of its tables, so that objects of other partitions need
 * not be read. Rows of a partition that is read still pass the whole WHERE.
 */
import type { Source } from "../bind/relations";
import { expression, scopeOf, type TranslationContext } from "../bind/scope";
import { condition } from "../bind/condition";
import { print } from "../emit/print";
import { HiveQLError, type Expression, type Query } from "../syntax";
import { parseType } from "../tree/parse-type";
import { isVolatile } from "../tree/facts";
import { columnOf } from "../tree/typed";
import { isPlain } from "./plain";
import { type Conditions, type TableNode, tableReads } from "./reads";
import { weaken } from "./weaken";

export type { TableNode };

/** Returns the partition columns of a table with their Hive types; undefined or none when it has none. */
export type PartitionColumns = (
  database: string,
  table: string,
) => readonly { readonly name: string; readonly type: string }[] | undefined;

/** The partitions that one place of a statement needs. */
export interface PartitionCondition {
  readonly database: string;
  readonly table: string;
  /**
   * SQL over a relation `p` with the partition columns: a partition for which it is not true has no row that the
   * statement needs. Undefined when all partitions are needed.
   */
  readonly sql?: string;
}

/** How conditions are bound, and which. */
interface Binding {
  readonly context: TranslationContext;
  /** True to take only what other engines decide as Hive does: see `plain.ts`. */
  readonly onlyPlain: boolean;
}

/** Returns the condition of every table of a query, by its node. */
export function conditionsOf(
  query: Query,
  partitionColumns: PartitionColumns,
  binding: Binding,
): ReadonlyMap<TableNode, PartitionCondition> {
  const found = new Map<TableNode, PartitionCondition>();
  for (const [node, reads] of tableReads(query, binding.context.viewAt)) {
    const { database = "default", table } = node;
    const columns = partitionColumns(database, table) ?? [];
    const parts = columns.length === 0 ? [] : reads.map((read) => conditionSql(read, node, columns, binding));
    const isLimited = parts.length > 0 && parts.every((part) => part !== undefined);
    const sql = isLimited ? [...new Set(parts)].map((part) => `(${part})`).join(" OR ") : undefined;
    found.set(node, { database, table, ...(sql === undefined ? {} : { sql }) });
  }
  return found;
}

function conditionSql(
  conditions: Conditions,
  { alias, table }: TableNode,
  columns: readonly { readonly name: string; readonly type: string }[],
  { context, onlyPlain }: Binding,
): string | undefined {
  const name = alias ?? table;
  const types = new Map(columns.map((column) => [column.name, column.type]));
  const typeOf = (node: Expression) =>
    node.kind === "name" || (node.kind === "field" && node.base.kind === "name" && node.base.name === name)
      ? types.get(node.name)
      : undefined;
  const isPartitionColumn = (node: Expression) => typeOf(node) !== undefined;
  const isTaken = (part: Expression) => !onlyPlain || isPlain(part, typeOf);
  const source: Source = {
    alias: name,
    columns: columns.flatMap((column) => {
      const type = parseType(column.type);
      return type ? [{ name: column.name, value: columnOf("p", column.name, type) }] : [];
    }),
  };
  const scope = scopeOf([source], { context, cteScope: { tables: new Map() } }, "WHERE");
  const tests = conditions.flatMap((node) => {
    const weaker = weaken(node, isPartitionColumn, isTaken);
    const sql = weaker && boundSql(() => condition(weaker, scope));
    return sql === undefined ? [] : [`(${sql})`];
  });
  return tests.length === 0 ? undefined : tests.join(" AND ");
}

/** Returns the SQL of a condition; undefined when it is volatile or refused: the statement's translation tells why. */
function boundSql(bind: () => ReturnType<typeof expression>): string | undefined {
  try {
    const value = bind();
    return isVolatile(value) ? undefined : print(value);
  } catch (error) {
    if (error instanceof HiveQLError) return undefined;
    throw error;
  }
}
