/** Queries: terms combined by set operators, then ORDER BY and LIMIT. */
import type { BoundQuery, OutputColumn } from "../relations";
import { type EnclosingScope, expression, scopeOf } from "../scope";
import { same } from "../../tree/same";
import { columnOf } from "../../tree/typed";
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
} from "../../syntax";
import { commonTypeOf, setOperationType } from "../../tree/coercion";
import { cast } from "../../tree/cast";
import { withCteScope } from "./cte";
import type { Output, SetSide, Typed } from "../../tree/nodes";
import { limitOf, orderKey, positionKey, sortKeys } from "../order";
import { bindSelect } from "./select";
import { checkSortDistributeBy } from "./sort-distribute-by";
import { type HiveType, isNested, isText, sameType, typeName, types } from "../../tree/types";

/** Options of a query body. */
export interface BodyOptions {
  /** True for the body of the statement itself, whose row order is visible. */
  readonly isOutermost: boolean;
}

/** Binds a query with its WITH. */
export function bindQuery(query: Query, enclosing: EnclosingScope, options?: BodyOptions): BoundQuery {
  return bindBody(query.body, { ...enclosing, cteScope: withCteScope(query.with, enclosing.cteScope) }, options);
}

/** Binds a query without WITH. */
export function bindBody(
  body: QueryBody,
  enclosing: EnclosingScope,
  options: BodyOptions = { isOutermost: false },
): BoundQuery {
  checkSortDistributeBy(body);
  const ordering = visibleOrdering(body, options);
  if (ordering.length === 0 && (body.orderBy ?? body.sortBy)) enclosing.context.notes.add(sortsNothing);
  if (body.rest.length === 0) {
    if (body.first.kind === "select") return bindSelect(body.first, ordering, enclosing, body.limit);
    const isPlain = ordering.length === 0 && !body.limit;
    const term = bindTerm(body.first, enclosing, isPlain ? options : undefined);
    return isPlain ? term : sortAndLimit(term, body, ordering, enclosing);
  }
  return sortAndLimit(bindSet(body, enclosing), body, ordering, enclosing);
}

const sortsNothing =
  "ORDER BY or SORT BY of a subquery or view without LIMIT sorts nothing, as in Hive: sort the outermost query, or add LIMIT";

/**
 * Returns the sort keys. SORT BY and CLUSTER BY sort the rows of each reducer, and the embedded engine is one reducer.
 * A subquery without LIMIT is sorted by CLUSTER BY only: Hive drops ORDER BY and SORT BY too.
 */
function visibleOrdering(body: Ordering, options: BodyOptions): readonly OrderItem[] {
  if (!options.isOutermost && !body.limit && !body.clusterBy) return [];
  if (body.orderBy) return body.orderBy;
  // A number is a column position in ORDER BY only.
  if (body.sortBy) return body.sortBy.filter((item) => item.expression.kind !== "number");
  return (body.clusterBy ?? [])
    .filter((key) => key.kind !== "number")
    .map((key) => ({ expression: key, descending: false, nulls: "first" as const }));
}

/** Binds VALUES; its columns are `col1`, `col2`, … as in Hive. */
export function bindValues(values: Values, { context, cteScope }: EnclosingScope): BoundQuery {
  const scope = scopeOf([], { context, cteScope }, "VALUES");
  const rows = values.rows.map((row) => row.map((item) => expression(item, scope)));
  const width = rows[0]?.length ?? 0;
  if (rows.some((row) => row.length !== width))
    throw semantic(
      values.position,
      "VALUES",
      "has rows of different lengths: write the same number of values in each row",
    );
  const columns = Array.from({ length: width }, (_unused, index): OutputColumn => {
    const type = commonTypeOf(
      rows.map((row) => row[index]?.type ?? types.void),
      (left, right) =>
        semantic(
          values.position,
          "VALUES",
          `has no common type for ${typeName(left)} and ${typeName(right)}: cast one of them`,
        ),
    );
    return { name: `col${index + 1}`, alias: `col${index + 1}`, type };
  });
  const converted = rows.map((row) =>
    row.map((item, index) => castToColumn(item, columns[index] as OutputColumn, values.position)),
  );
  return { query: { kind: "values", rows: converted, aliases: columns.map(({ alias }) => alias) }, columns };
}

function bindTerm(term: QueryTerm, enclosing: EnclosingScope, options?: BodyOptions): BoundQuery {
  switch (term.kind) {
    case "select":
      return bindSelect(term, [], enclosing);
    case "values":
      return bindValues(term, enclosing);
    case "body":
      return bindBody(term.body, enclosing, options);
  }
}

function bindSet(body: QueryBody, enclosing: EnclosingScope): BoundQuery {
  let left = bindTerm(body.first, enclosing);
  for (const { operator, position, term } of body.rest)
    left = combineSides(left, bindTerm(term, enclosing), operator, position);
  return left;
}

function combineSides(left: BoundQuery, right: BoundQuery, operator: SetOperator, position: Position): BoundQuery {
  if (left.columns.length !== right.columns.length) {
    throw semantic(
      position,
      operator.toUpperCase(),
      `has ${left.columns.length} columns on the left and ${right.columns.length} on the right: select the same number`,
    );
  }
  const columns = left.columns.map((column, index): OutputColumn => {
    const other = right.columns[index] as OutputColumn;
    const type =
      setOperationType(column.type, other.type) ?? (areTextAndDate(column, other) ? types.string : undefined);
    const inferred = [...(column.inferred ?? []), ...(other.inferred ?? [])];
    if (!type) throw typeMismatch(column, other, position, operator).blame(inferred);
    for (const side of [column, other]) checkLiteralFits(side, type, position, operator);
    if (type.kind === "map" && operator !== "union all")
      throw semantic(position, operator.toUpperCase(), "cannot compare maps");
    return { name: column.name, alias: column.alias, type, inferred };
  });
  const sides = [left, right].map((side): SetSide => {
    const converted = convertedColumns(side, columns, position);
    return { query: side.query, ...(converted ? { converted } : {}) };
  });
  return { query: { kind: "set operation", operator, sides: sides as [SetSide, SetSide] }, columns };
}

/** Returns true for a text beside a date whose type was inferred: in the data it is a text. */
function areTextAndDate(...columns: readonly [OutputColumn, OutputColumn]): boolean {
  const others = columns.filter(({ type, inferred = [] }) => type.kind !== "date" || inferred.length === 0);
  return others.length === 1 && isText(others[0]!.type);
}

function typeMismatch(left: OutputColumn, right: OutputColumn, position: Position, operator: string) {
  // CAST makes no arrays, maps and structs.
  const isAnyNested = isNested(left.type) || isNested(right.type);
  const remedy = isAnyNested ? "make one as the other with array(), map() or named_struct()" : "cast one of them";
  return semantic(
    position,
    operator.toUpperCase(),
    `cannot combine column ${left.name} of type ${typeName(left.type)} with a column of type ${typeName(right.type)}: ${remedy}`,
  );
}

/** Refuses a literal of one side that does not fit the common type: Hive fails on it. */
function checkLiteralFits({ constant, name }: OutputColumn, type: HiveType, position: Position, operator: string) {
  if (type.kind !== "decimal" || typeof constant !== "number") return;
  if (Math.abs(constant) >= 10 ** (type.precision - type.scale))
    throw semantic(
      position,
      operator.toUpperCase(),
      `gives column ${name} the type ${typeName(type)}, in which ${constant} does not fit: cast one of the sides`,
    );
}

/** Returns the columns of a side in the types of the result; undefined when they have them. */
function convertedColumns(
  side: BoundQuery,
  columns: readonly OutputColumn[],
  position: Position,
): readonly Output[] | undefined {
  if (side.columns.every(({ type }, index) => sameType(type, (columns[index] as OutputColumn).type))) return undefined;
  return side.columns.map((column, index) => {
    const target = columns[index] as OutputColumn;
    const value = castToColumn(columnOf("q", column.alias, column.type), target, position);
    return { value, alias: target.alias };
  });
}

function castToColumn(value: Typed, column: OutputColumn, position: Position): Typed {
  const result = cast(value, column.type);
  if (!result) throw unsupported(position, `conversion of ${typeName(value.type)} to ${typeName(column.type)}`);
  return result;
}

/** Sorts and limits a query that is not a single SELECT. Its sort keys can name its columns only. */
function sortAndLimit(
  query: BoundQuery,
  body: QueryBody,
  ordering: readonly OrderItem[],
  { context, cteScope }: EnclosingScope,
): BoundQuery {
  if (ordering.length === 0 && !body.limit) return query;
  const alias = context.uniqueName("t");
  const values = query.columns.map((column) => columnOf(alias, column.alias, column.type, "rows", column.inferred));
  const source = {
    columns: query.columns.map((column, index) => ({ name: column.name, value: values[index] as Typed })),
  };
  const scope = scopeOf([source], { context, cteScope }, "ORDER BY");
  const keys = ordering.map(
    (item) => positionKey(item, values, context) ?? orderKey(item, expression(item.expression, scope), context),
  );
  const sortedBy = keys.map((key) => values.findIndex((value) => same(value, key.value)));
  return {
    query: { kind: "sorted", query: query.query, alias, orderBy: sortKeys(keys), ...limitOf(body.limit) },
    columns: query.columns,
    ...(keys.length > 0 && sortedBy.every((column) => column >= 0) ? { sortedBy } : {}),
  };
}
