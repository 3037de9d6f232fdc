/** SQL of queries, and of the relations that they read. */
import { join, raw, sql } from "../sql/fragment";
import type { Fragment } from "../sql/fragment";
import type { Output, Query, Relation, Select, SetSide, SortKey, Subquery, Typed } from "../tree/nodes";
import type { Limit } from "../tree/queries";
import { quoteIdentifier, quoteLiteral } from "../tree/types";
import { bucketHash } from "../sql/hash";
import { comparedWithZero } from "../sql/zero";
import { cellsSql } from "./calls";
import { orderList } from "./order";

/** Returns the SQL of a query, which can be put in parentheses. */
export function querySql(query: Query): Fragment {
  switch (query.kind) {
    case "select":
      return selectSql(query);
    case "set operation":
      return join(query.sides.map(sideSql), ` ${query.operator.toUpperCase()} `);
    case "values": {
      const lines = query.rows.map((row) => sql`(${join(row)})`);
      return sql`SELECT * FROM (VALUES ${join(lines)}) v(${names(query.aliases)})`;
    }
    case "sorted":
      return sql`SELECT * FROM (${querySql(query.query)}) AS ${query.alias}${tailSql(query)}`;
  }
}

function selectSql(select: Select): Fragment {
  const { columns, isDistinct, qualify } = select;
  const kept = qualify ? sql` QUALIFY ${qualify}` : raw("");
  return sql`SELECT ${isDistinct ? "DISTINCT " : ""}${list(columns)} FROM ${rowsSql(select)}${kept}${tailSql(select)}`;
}

/** Returns the rows, or the groups of rows, that a SELECT computes its columns from. */
function rowsSql({ from, where, groups, having }: Select): Fragment {
  const rows = sql`${relationSql(from)}${where ? sql` WHERE ${where}` : raw("")}`;
  if (!groups) return rows;
  const by = groups.by ? sql` GROUP BY ${groupKeysSql(groups.by)}` : raw("");
  const columns = groups.columns.length > 0 ? list(groups.columns) : raw("1 AS one");
  return sql`(SELECT ${columns} FROM ${rows}${by}) AS ${groups.alias}${having ? sql` WHERE ${having}` : raw("")}`;
}

function groupKeysSql(by: NonNullable<NonNullable<Select["groups"]>["by"]>): Fragment {
  switch (by.kind) {
    case "keys":
      return join(by.keys);
    case "rollup":
    case "cube":
      return sql`${by.kind.toUpperCase()} (${join(by.keys)})`;
    case "sets":
      return sql`GROUPING SETS (${join(by.sets.map((set) => sql`(${join(set)})`))})`;
  }
}

const sideSql = ({ query, converted }: SetSide): Fragment =>
  sql`(SELECT ${converted ? list(converted) : raw("*")} FROM (${querySql(query)}) q)`;

/** Returns the SQL of a relation of FROM. */
function relationSql(relation: Relation): Fragment {
  switch (relation.kind) {
    case "table":
    case "common table":
      return sql`${relation.name} AS ${relation.alias}`;
    case "query":
      return sql`(${querySql(relation.query)}) AS ${relation.alias}`;
    case "one row":
      return raw("(SELECT 1 AS one)");
    case "join":
      return joinSql(relation);
    case "rows":
      return sql`(SELECT * FROM ${relationSql(relation.input)} LIMIT ${relation.count}) AS ${relation.alias}`;
    case "bucket": {
      const { input, value, position, buckets, bucket, alias } = relation;
      const found = sql`(${bucketHash(value, position)} & 2147483647) % ${buckets} = ${bucket - 1}`;
      return sql`(SELECT * FROM ${relationSql(input)} WHERE ${found}) AS ${alias}`;
    }
    case "lateral view":
      return lateralViewSql(relation);
  }
}

const joinWords = {
  inner: "JOIN",
  cross: "JOIN",
  comma: "JOIN",
  left: "LEFT JOIN",
  right: "RIGHT JOIN",
  full: "FULL JOIN",
  "left semi": "SEMI JOIN",
} as const;

function joinSql({ join: kind, left, right, on }: Extract<Relation, { kind: "join" }>): Fragment {
  const sides = [relationSql(left), right.kind === "join" ? sql`(${relationSql(right)})` : relationSql(right)] as const;
  const word = joinWords[kind];
  if (!on && word === "JOIN") return sql`${sides[0]} CROSS JOIN ${sides[1]}`;
  return sql`${sides[0]} ${word} ${sides[1]} ON ${on ?? raw("TRUE")}`;
}

/** The rows are generated in a select list, and not in a LATERAL join, since DuckDB keeps their order only there. */
function lateralViewSql(view: Extract<Relation, { kind: "lateral view" }>): Fragment {
  const { input, alias, kept, rows, cells, isOuter } = view;
  const generated = isOuter ? sql`CASE WHEN len(${rows}) > 0 THEN ${rows} ELSE [NULL] END` : rows;
  const inner = join([
    ...kept.map((column) => sql`${column.value} AS ${column.alias}`),
    sql`unnest(${generated}) AS hive_e`,
  ]);
  const generatedCells = cellsSql(view).map((cell, index) => sql`${cell} AS ${cells[index] ?? ""}`);
  const outer = join([...kept.map((column) => raw(column.alias)), ...generatedCells]);
  return sql`(SELECT ${outer} FROM (SELECT ${inner} FROM ${relationSql(input)})) AS ${alias}`;
}

/** Returns the SQL of a subquery in an expression. */
export function subquerySql(subquery: Subquery): Fragment {
  const query = querySql(subquery.query);
  switch (subquery.kind) {
    case "exists":
      return sql`(EXISTS (${query}))`;
    case "scalar": {
      const { failureOfRows: failure, column } = subquery;
      if (failure === undefined) return sql`(${query})`;
      const one = sql`CASE WHEN count(*) > 1 THEN error(${quoteLiteral(failure)}) ELSE any_value(q.${quoteIdentifier(column)}) END`;
      return sql`(SELECT ${one} FROM (${query}) q)`;
    }
    case "in":
      return sql`(${comparedWithZero(subquery.operand)} ${subquery.not ? "NOT IN" : "IN"} (${itemsSql(subquery.item, query)}))`;
    case "any":
    case "all": {
      const { operand, operator, item, not, kind } = subquery;
      const test = sql`${comparedWithZero(operand)} ${operator} ${kind.toUpperCase()} (${itemsSql(item, query)})`;
      return sql`(${not ? "NOT " : ""}(${test}))`;
    }
  }
}

const itemsSql = (item: Typed | undefined, query: Fragment) =>
  item ? sql`SELECT ${comparedWithZero(item)} FROM (${query}) q` : query;

const columnSql = ({ value, alias }: Output): Fragment => sql`${value} AS ${quoteIdentifier(alias)}`;

const list = (columns: readonly Output[]) => join(columns.map(columnSql));

const names = (aliases: readonly string[]) => aliases.map(quoteIdentifier).join(", ");

/** Returns ORDER BY and LIMIT with the space before them. */
function tailSql({ orderBy, limit }: { readonly orderBy: readonly SortKey[]; readonly limit?: Limit }): Fragment {
  const order = orderBy.length > 0 ? sql` ORDER BY ${orderList(orderBy)}` : raw("");
  const rest = limit ? ` LIMIT ${limit.count}${limit.offset === undefined ? "" : ` OFFSET ${limit.offset}`}` : "";
  return sql`${order}${rest}`;
}
