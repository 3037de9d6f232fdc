/** Queries: terms joined by set operators, then ordered and cut. */
import {
  type Ordering,
  type OrderItem,
  type Position,
  type Query,
  type QueryBody,
  type QueryTerm,
  semantic,
  type SetOperator,
  unsupported,
  type Values,
} from "../syntax";
import { commonType, setType } from "../bind/coercion";
import { cast } from "./conversions";
import { cteScope } from "../bind/cte";
import type { CteScope, Environment, OutputColumn, Shared } from "../bind/scope";
import { expression } from "../bind/expression";
import { openScale } from "../rules/folded-decimals";
import { type Fragment, join, raw, sql, typed, type SqlExpression } from "./fragment";
import { orderKey, type OrderKey, orderList } from "./order";
import { environmentOf } from "./from-clause";
import { translateSelect } from "./select";
import { asShortDecimal } from "../quirks/short-decimals";
import { checkSortDistributeBy } from "../bind/sort-distribute-by";
import { type HiveType, quoteName, sameType, typeName, types } from "../bind/types";
import { mayHoldZeros, oneZeroEach, withoutNegativeZero } from "../quirks/zeros";

/** A query as SQL that may stand in brackets. */
export interface TranslatedQuery {
  readonly sql: string;
  readonly columns: readonly OutputColumn[];
  /** Positions of the columns that the rows are sorted by, from 0; absent where a sort key is no column, or there is none. */
  readonly sortedBy?: readonly number[];
}

/** Where the order of rows shows: in the statement itself, and where LIMIT cuts. */
export interface BodyPlace {
  readonly isOutermost: boolean;
}

export function translateQuery(
  query: Query,
  shared: Shared,
  common: CteScope,
  parent?: Environment,
  place?: BodyPlace,
): TranslatedQuery {
  return translateBody(query.body, shared, cteScope(query.with, common), parent, place);
}

export function translateBody(
  body: QueryBody,
  shared: Shared,
  common: CteScope,
  parent: Environment | undefined,
  place: BodyPlace = { isOutermost: false },
): TranslatedQuery {
  checkSortDistributeBy(body);
  if (body.limit && place.isOutermost) shared.job.isCut = true;
  // Of two LIMITs Hive makes one, as far as nothing stands between them.
  else if (body.limit) shared.job[shared.job.isCut ? "isOpen" : "isRun"] = true;
  if (body.distributeBy || body.clusterBy) shared.plan.isBeyond = true;
  const ordering = visibleOrdering(body, place);
  if (body.rest.length === 0) {
    if (body.first.kind === "select")
      return translateSelect(body.first, ordering, { shared, common, ...(parent ? { parent } : {}) }, limitText(body));
    const term = translateTerm(
      body.first,
      shared,
      common,
      parent,
      ordering.length === 0 && !body.limit ? place : undefined,
    );
    return ordering.length === 0 && !body.limit ? term : ordered(term, body, ordering, shared, common);
  }
  const joined = translateSet(body, shared, common, parent);
  return ordered(joined, body, ordering, shared, common);
}

/**
 * The keys that rows are sorted by. SORT BY and CLUSTER BY sort each reducer's rows, and the embedded engine is one.
 * Without LIMIT the order of a subquery does not show, as Hive drops it too.
 */
function visibleOrdering(body: Ordering, place: BodyPlace): readonly OrderItem[] {
  if (!place.isOutermost && !body.limit) return [];
  if (body.orderBy) return body.orderBy;
  // A number is a position in ORDER BY alone.
  if (body.sortBy) return body.sortBy.filter((item) => item.expression.kind !== "number");
  return (body.clusterBy ?? [])
    .filter((key) => key.kind !== "number")
    .map((key) => ({ expression: key, descending: false }));
}

/** `LIMIT n OFFSET m`, or nothing. */
function limitText(body: Ordering): string {
  if (!body.limit) return "";
  return ` LIMIT ${body.limit.count}${body.limit.offset === undefined ? "" : ` OFFSET ${body.limit.offset}`}`;
}

/** The sort key that a whole number names by its position in the select list. */
export function positionKey(item: OrderItem, columns: readonly SqlExpression[], shared: Shared): OrderKey | undefined {
  const node = item.expression;
  if (node.kind !== "number" || !shared.settings.orderByPosition) return undefined;
  if (/^[\d.]+(e[-+]?\d+)?$/i.test(node.text) && !/^\d+$/.test(node.text))
    throw semantic(node.position, `ORDER BY ${node.text}`, "is no position of a column");
  if (!/^\d+$/.test(node.text)) return undefined;
  const column = columns[Number(node.text) - 1];
  if (!column) throw semantic(node.position, `ORDER BY ${node.text}`, `there are ${columns.length} columns`);
  return orderKey(item, column, shared);
}

/** VALUES as a query; its columns are `col1`, `col2`, … as in Hive. */
export function translateValues(values: Values, shared: Shared, common: CteScope): TranslatedQuery {
  const environment = environmentOf([], { shared, common }, "VALUES");
  const rows = values.rows.map((row) => row.map((item) => expression(item, environment)));
  const width = rows[0]?.length ?? 0;
  if (rows.some((row) => row.length !== width))
    throw semantic(values.position, "VALUES", "has rows of different length");
  const columns = Array.from({ length: width }, (_unused, index): OutputColumn => {
    const type = rows.reduce<HiveType>(
      (known, row) => unified(known, row[index]?.type ?? types.void, values.position, "VALUES"),
      types.void,
    );
    return { name: `col${index + 1}`, alias: `col${index + 1}`, type };
  });
  const lines = rows.map(
    (row) => sql`(${join(row.map((item, index) => same(item, columns[index] as OutputColumn, values.position)))})`,
  );
  return {
    sql: sql`SELECT * FROM (VALUES ${join(lines)}) v(${columns.map((column) => quoteName(column.alias)).join(", ")})`
      .sql,
    columns,
  };
}

function translateTerm(
  term: QueryTerm,
  shared: Shared,
  common: CteScope,
  parent: Environment | undefined,
  place?: BodyPlace,
): TranslatedQuery {
  switch (term.kind) {
    case "select":
      return translateSelect(term, [], { shared, common, ...(parent ? { parent } : {}) });
    case "values":
      return translateValues(term, shared, common);
    case "body":
      return translateBody(term.body, shared, common, parent, place);
  }
}

function translateSet(
  body: QueryBody,
  shared: Shared,
  common: CteScope,
  parent: Environment | undefined,
): TranslatedQuery {
  let left = translateTerm(body.first, shared, common, parent);
  for (const { operator, position, term } of body.rest) {
    left = combined(left, translateTerm(term, shared, common, parent), operator, position, shared);
  }
  return left;
}

function combined(
  left: TranslatedQuery,
  right: TranslatedQuery,
  operator: SetOperator,
  position: Position,
  shared: Shared,
): TranslatedQuery {
  shared.job.isRun = true;
  if (left.columns.length !== right.columns.length) {
    throw semantic(
      position,
      operator.toUpperCase(),
      `joins ${left.columns.length} columns with ${right.columns.length}`,
    );
  }
  const columns = left.columns.map((column, index): OutputColumn => {
    const other = right.columns[index] as OutputColumn;
    const type = setType(column.type, other.type);
    if (!type) throw differ(column, other, position, operator);
    if (column.declared ?? other.declared) throw unsupported(position, operator.toUpperCase(), openScale);
    const isLongConstant = column.isLongConstant && other.isLongConstant ? { isLongConstant: true as const } : {};
    for (const side of [column, other]) checkDigits(side, type, position, operator);
    if (type.kind === "map" && operator !== "union all")
      throw semantic(position, operator.toUpperCase(), "cannot compare maps");
    const pinned = () => (isUnion(operator) ? samePin(column, other, type) : undefined);
    const isMade = (column.isMade ?? other.isMade) ? { isMade: true as const } : {};
    const marks = new Set([...(column.marks ?? []), ...(other.marks ?? [])]);
    return {
      name: column.name,
      alias: column.alias,
      type,
      pinned,
      ...isLongConstant,
      ...isMade,
      ...(isUnion(operator) ? { marks } : {}),
    };
  });
  const sides = [asTyped(left, columns, position), asTyped(right, columns, position)];
  const text =
    operator !== "union all" && columns.some(({ type }) => mayHoldZeros(type))
      ? withApproximate(operator, sides, columns)
      : sides.join(` ${operator.toUpperCase()} `);
  return { sql: text, columns };
}

/** Set operators that tell equal rows of doubles from others. */
function withApproximate(operator: SetOperator, sides: readonly string[], columns: readonly OutputColumn[]): string {
  const values = columns.map((column) => typed(raw(`q.${quoteName(column.alias)}`), column.type));
  const list = join(values).sql;
  if (operator === "union")
    return `SELECT ${list} FROM (${sides.join(" UNION ALL ")}) q GROUP BY ${list} HAVING ${oneZeroEach(values)?.sql ?? "TRUE"}`;
  const names = columns.map(({ alias }) => quoteName(alias)).join(", ");
  const checked = values.map((value, index) => {
    const { alias } = columns[index] as OutputColumn;
    return sql`${withoutNegativeZero(value, `beside ${operator.toUpperCase()}`)} AS ${quoteName(alias)}`;
  });
  return sides
    .map((side) => `(SELECT ${join(checked).sql} FROM ${side} q(${names}))`)
    .join(` ${operator.toUpperCase()} `);
}

const differ = (left: OutputColumn, right: OutputColumn, position: Position, operator: string) =>
  semantic(
    position,
    operator.toUpperCase(),
    `joins column ${left.name} of type ${typeName(left.type)} with one of type ${typeName(right.type)}: cast one of them`,
  );

/** Hive fails where a literal of one side has more digits than the type of both. */
function checkDigits({ constant, name }: OutputColumn, type: HiveType, position: Position, operator: string) {
  if (type.kind !== "decimal" || typeof constant !== "number") return;
  if (Math.abs(constant) >= 10 ** (type.precision - type.scale))
    throw semantic(
      position,
      operator.toUpperCase(),
      `gives column ${name} the type ${typeName(type)}, which ${constant} does not fit: cast one of the sides`,
    );
}

const isUnion = (operator: SetOperator) => operator.startsWith("union");

/** The constant of both sides' columns, where it is one and the same. */
function samePin(left: OutputColumn, right: OutputColumn, type: HiveType): SqlExpression | undefined {
  const [first, second] = [left.pinned?.(), right.pinned?.()];
  if (!first || first.sql !== second?.sql) return undefined;
  return [left, right].every((column) => sameType(column.type, type)) ? first : undefined;
}

/** A side of a set operator with its columns in the types of the result. */
function asTyped(query: TranslatedQuery, columns: readonly OutputColumn[], position: Position): string {
  const unchanged = query.columns.every((column, index) =>
    sameType(column.type, (columns[index] as OutputColumn).type),
  );
  if (unchanged) return `(SELECT * FROM (${query.sql}) q)`;
  const list = query.columns.map((column, index) => {
    const target = columns[index] as OutputColumn;
    return sql`${same(typed(raw(`q.${quoteName(column.alias)}`), column.type), target, position)} AS ${quoteName(target.alias)}`;
  });
  return `(SELECT ${join(list).sql} FROM (${query.sql}) q)`;
}

function same(value: SqlExpression, column: OutputColumn, position: Position): SqlExpression {
  const result = cast(asShortDecimal(value, column.type), column.type);
  if (!result) throw unsupported(position, `conversion of ${typeName(value.type)} to ${typeName(column.type)}`);
  return result;
}

function unified(left: HiveType, right: HiveType, position: Position, construct: string): HiveType {
  const type = commonType(left, right);
  if (!type) throw semantic(position, construct, `cannot give ${typeName(left)} and ${typeName(right)} one type`);
  return type;
}

/** Sorts and cuts what is no single SELECT: only its columns may be named. */
function ordered(
  query: TranslatedQuery,
  body: QueryBody,
  ordering: readonly OrderItem[],
  shared: Shared,
  common: CteScope,
): TranslatedQuery {
  if (ordering.length === 0 && !body.limit) return query;
  const alias = shared.unique("t");
  const values = query.columns.map((column) => typed(raw(`${alias}.${quoteName(column.alias)}`), column.type));
  const source = {
    columns: query.columns.map((column, index) => ({ name: column.name, value: values[index] as SqlExpression })),
  };
  const environment = environmentOf([source], { shared, common }, "ORDER BY");
  const keys = ordering.map(
    (item) => positionKey(item, values, shared) ?? orderKey(item, expression(item.expression, environment), shared),
  );
  const order: Fragment = keys.length > 0 ? sql` ORDER BY ${orderList(keys)}` : raw("");
  const sortedBy = keys.map((key) => values.findIndex((value) => value.sql === key.value.sql));
  return {
    sql: `SELECT * FROM (${query.sql}) AS ${alias}${order.sql}${limitText(body)}`,
    columns: query.columns,
    ...(keys.length > 0 && sortedBy.every((column) => column >= 0) ? { sortedBy } : {}),
  };
}
