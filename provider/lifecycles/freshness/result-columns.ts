/** Finds the names of a result's columns, which the result's objects do not contain, from the statement. */
import { readStatement } from "../queries/statement";
import type { Query, QueryTerm, Relation, Select, SelectItem } from "../../../hiveql/syntax";
import { once } from "../columns/once";
import type { ProgramTables, TableName } from "./program-tables";

type Columns = readonly string[] | undefined;

/** Returns the columns of a table; undefined if they are unknown. */
type TableColumns = (table: TableName) => Columns;

/** Returns the names of the columns that a statement returns; undefined if they depend on an unknown table. */
export function resultColumns(statement: string, tableColumns: TableColumns): Columns {
  // A statement of another engine has no query: the check warns about it.
  const { query } = readStatement(statement);
  return query && columnsOfQuery(query, { tableColumns, common: new Map() });
}

/** Returns the names of the columns that a statement returns, as far as the tables of the program tell. */
export function columnsMade(statement: string, programTables: ProgramTables | undefined): Columns {
  return resultColumns(statement, (table) => programTables?.get(table)?.columns());
}

interface Scope {
  readonly tableColumns: TableColumns;
  /** Columns of the tables of WITH. */
  readonly common: ReadonlyMap<string, () => Columns>;
}

function columnsOfQuery(query: Query, outer: Scope): Columns {
  const common = new Map(outer.common);
  const scope = { ...outer, common };
  // A table of WITH can be used before its definition.
  for (const { name, columns, query: inner } of query.with) {
    common.set(
      name,
      once(() => columns ?? columnsOfQuery(inner, scope)),
    );
  }
  return columnsOfTerm(query.body.first, scope);
}

function columnsOfTerm(term: QueryTerm, scope: Scope): Columns {
  if (term.kind === "body") return columnsOfTerm(term.body.first, scope);
  if (term.kind === "values") return undefined;
  return concatenated(term.items.map((item, index) => columnsOfItem(item, index, term, scope)));
}

/** Functions that return several columns, or rows, and name them themselves. */
const tableGenerating = /^(?:explode|posexplode|inline|stack|json_tuple|parse_url_tuple)$/;

function columnsOfItem(item: SelectItem, index: number, { from }: Select, scope: Scope): Columns {
  if (item.kind === "all") {
    const source = item.table === undefined ? from : from && relationNamed(item.table, from);
    return source && columnsOfRelation(source, scope);
  }
  const { expression, aliases } = item;
  if (aliases.length > 0) return aliases;
  if (expression.kind === "name" || expression.kind === "field") return [expression.name.toLowerCase()];
  return expression.kind === "call" && tableGenerating.test(expression.name) ? undefined : [`_c${index}`];
}

function columnsOfRelation(relation: Relation, scope: Scope): Columns {
  switch (relation.kind) {
    case "table": {
      const { database, table } = relation;
      const common = database === undefined ? scope.common.get(table) : undefined;
      if (common) return common();
      return scope.tableColumns({ database: database ?? "default", table });
    }
    case "subquery":
      return columnsOfQuery(relation.query, scope);
    case "values":
      return namedColumns(relation.columns);
    case "lateral":
      return concatenated([columnsOfRelation(relation.input, scope), namedColumns(relation.columns)]);
    case "join": {
      const { join, left, right, using } = relation;
      if (join === "left semi" || join === "left anti") return columnsOfRelation(left, scope);
      return using ? undefined : concatenated([columnsOfRelation(left, scope), columnsOfRelation(right, scope)]);
    }
    case "table function":
      return undefined;
  }
}

/** Returns the relation in FROM that a qualified `*` names. */
function relationNamed(name: string, from: Relation): Relation | undefined {
  if (from.kind === "join") return relationNamed(name, from.left) ?? relationNamed(name, from.right);
  if (from.kind === "lateral" && from.alias !== name) return relationNamed(name, from.input);
  const own = from.alias ?? (from.kind === "table" ? from.table : undefined);
  return own === name ? from : undefined;
}

/** Without names, the function or the engine names the columns. */
const namedColumns = (names: readonly string[]): Columns => (names.length > 0 ? names : undefined);

function concatenated(parts: readonly Columns[]): Columns {
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}
