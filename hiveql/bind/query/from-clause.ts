/** FROM: tables, subqueries, joins, lateral views. */
import { parseType } from "../../tree/parse-type";
import { columnOf } from "../../tree/typed";
import { inView } from "../../tree/views";
import { didYouMean, type Query, type Relation, semantic, unsupported } from "../../syntax";
import { functionsNamed } from "../../functions";
import { bindCte } from "./cte";
import type { BoundFrom, BoundQuery, OutputColumn, SourceColumn } from "../relations";
import { type EnclosingScope, scopeOf, type TranslationContext } from "../scope";
import type { Relation as RelationTree } from "../../tree/nodes";
import { checkJoin, bindJoin } from "./joins";
import { generatedRows } from "./lateral-view";
import { types } from "../../tree/types";
import { sampleOf } from "./table-sample";

/** Binds a relation of FROM. */
export function bindRelation(relation: Relation, enclosing: EnclosingScope): BoundFrom {
  switch (relation.kind) {
    case "table":
      return bindTable(relation, enclosing);
    case "subquery": {
      const query = enclosing.context.binder.query(relation.query, enclosing);
      return queryRelation(query, query.columns, relation.alias, enclosing.context);
    }
    case "values": {
      const values = enclosing.context.binder.values(relation.values, enclosing);
      const names = relation.columns;
      if (names.length > 0 && names.length !== values.columns.length) {
        throw semantic(
          relation.position,
          "TABLE(VALUES …)",
          `has ${values.columns.length} columns and ${names.length} names`,
        );
      }
      const columns = values.columns.map((column, index) => ({ ...column, name: names[index] ?? column.name }));
      return queryRelation(values, columns, relation.alias, enclosing.context);
    }
    case "join": {
      checkJoin(relation);
      const left = bindRelation(relation.left, enclosing);
      return bindJoin(relation, left, bindRelation(relation.right, enclosing), enclosing);
    }
    case "lateral":
      return lateralView(relation, enclosing);
    case "table function":
      return tableFunction(relation, enclosing);
  }
}

const queryRelation = (
  { query }: BoundQuery,
  columns: readonly OutputColumn[],
  alias: string | undefined,
  context: TranslationContext,
) => namedSource((name) => ({ kind: "query", query, alias: name }), columns, alias, context);

function namedSource(
  relation: (name: string) => RelationTree,
  columns: readonly (OutputColumn & Pick<SourceColumn, "hidden">)[],
  alias: string | undefined,
  context: TranslationContext,
): BoundFrom {
  const name = context.uniqueName("t");
  const found: SourceColumn[] = columns.map((column) => ({
    name: column.name,
    value: columnOf(name, column.alias, column.type, "rows", column.inferred),
    ...(column.hidden ? { hidden: column.hidden } : {}),
  }));
  return {
    relation: relation(name),
    sources: [{ ...(alias === undefined ? {} : { alias }), columns: found }],
  };
}

function bindTable(relation: Extract<Relation, { kind: "table" }>, enclosing: EnclosingScope): BoundFrom {
  const { context, cteScope } = enclosing;
  const alias = relation.alias ?? relation.table;
  const entry = relation.database === undefined ? cteScope.tables.get(relation.table) : undefined;
  if (entry) {
    if (relation.sample)
      throw unsupported(
        relation.sample.position,
        "TABLESAMPLE of a WITH table",
        "samples no table: sample those that the WITH table reads",
      );
    const { name, columns } = bindCte(entry, context, relation.position);
    return namedSource((own) => ({ kind: "common table", name, alias: own }), columns, alias, context);
  }
  const view = context.viewAt(relation);
  if (view) return bindView(relation, view, enclosing);
  const database = relation.database ?? "default";
  const table = context.catalog(database, relation.table, relation);
  if (!table) {
    const common = relation.database === undefined ? [...cteScope.tables.keys()] : [];
    const near = didYouMean(relation.table, common);
    throw semantic(relation.position, `table ${database}.${relation.table}`, `does not exist${near}`);
  }
  context.tables.add(`${database}.${relation.table}`);
  const columns = table.columns.map(({ name, type, isInferred }) => {
    const parsed = parseType(type);
    if (!parsed) throw unsupported(relation.position, `column ${relation.table}.${name} of type ${type}`);
    const inferred = isInferred ? [{ database, table: relation.table, name, type }] : [];
    return { name: name.toLowerCase(), alias: name, type: parsed, inferred };
  });
  const { sample } = relation;
  const all = table.fileName === undefined ? columns : [...columns, fileNameColumn(table.fileName)];
  const source = namedSource((name) => ({ kind: "table", name: table.relation, alias: name }), all, alias, context);
  if (!sample) return source;
  return { ...source, relation: sampleOf(source.relation, sample, scopeOf(source.sources, enclosing, "TABLESAMPLE")) };
}

/** Returns Hive's column of the location of a row's object, which `*` omits. */
const fileNameColumn = (alias: string) =>
  ({ name: "input__file__name", alias, type: types.string, hidden: true }) as const;

/** Binds a view as a subquery that sees nothing of the statement. */
function bindView(
  relation: Extract<Relation, { kind: "table" }>,
  view: Query,
  { context, isSubquery }: EnclosingScope,
): BoundFrom {
  const { database = "default", table, alias = table, position, sample } = relation;
  if (sample)
    throw unsupported(sample.position, "TABLESAMPLE of a view", "samples no table: sample those that the view reads");
  const named = { name: `${database}.${table}`, position };
  try {
    const inside = { ...context, view: { ...named, ...(context.view ? { outer: context.view } : {}) } };
    const query = context.binder.query(view, {
      context: inside,
      cteScope: { tables: new Map() },
      ...(isSubquery ? { isSubquery } : {}),
    });
    return queryRelation(query, query.columns, alias, context);
  } catch (error) {
    throw inView(error, named);
  }
}

function tableFunction(relation: Extract<Relation, { kind: "table function" }>, enclosing: EnclosingScope): BoundFrom {
  const isKnown = functionsNamed(relation.name).some(({ kind }) => kind === "identity");
  if (!isKnown || relation.arguments > 0) throw unsupported(relation.position, `table function ${relation.name}`);
  const input = bindRelation(relation.input, enclosing);
  if (relation.alias === undefined) return input;
  const columns = input.sources.flatMap((source) => source.columns);
  return { ...input, sources: [{ alias: relation.alias, columns }] };
}

function lateralView(relation: Extract<Relation, { kind: "lateral" }>, enclosing: EnclosingScope): BoundFrom {
  const input = bindRelation(relation.input, enclosing);
  const view = generatedRows(relation.call, relation.columns, input, enclosing, {
    clause: "LATERAL VIEW",
    isOuter: relation.outer,
  });
  const sources = [...view.sources, { alias: relation.alias, columns: view.columns }];
  return { relation: view.relation, sources };
}
