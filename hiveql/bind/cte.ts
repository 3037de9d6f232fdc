/** WITH: each name's query is written once, before those that use it. */
import { type CommonTable, type Position, semantic, unsupported } from "../syntax";
import type { CteEntry, CteScope, OutputColumn, Shared } from "./scope";
import { translateQuery } from "../emit/query";

/** What may be named inside a query that WITH precedes: every name of the WITH, also those after one's own. */
export function cteScope(tables: readonly CommonTable[], outer: CteScope): CteScope {
  if (tables.length === 0) return outer;
  const names = new Map(outer.tables);
  const scope: CteScope = { tables: names };
  for (const definition of tables) {
    if (tables.some((other) => other !== definition && other.name === definition.name)) {
      throw semantic(definition.position, `WITH ${definition.name}`, "is defined twice");
    }
    names.set(definition.name, { definition, scope });
  }
  return scope;
}

/** The relation of a name of WITH, translated when it is named first. */
export function translateCte(
  entry: CteEntry,
  shared: Shared,
  position: Position,
): NonNullable<CteEntry["translated"]> {
  if (entry.translated) return entry.translated;
  const { definition } = entry;
  if (entry.open) throw unsupported(position, `recursive WITH ${definition.name}`);
  entry.open = true;
  const query = translateQuery(definition.query, shared, entry.scope, undefined);
  entry.open = false;
  const name = shared.unique("w");
  shared.ctes.push({ name, sql: query.sql });
  entry.translated = { name, columns: renamed(query.columns, definition) };
  return entry.translated;
}

function renamed(columns: readonly OutputColumn[], definition: CommonTable): readonly OutputColumn[] {
  if (!definition.columns) return columns;
  if (definition.columns.length !== columns.length) {
    throw semantic(
      definition.position,
      `WITH ${definition.name}`,
      `names ${definition.columns.length} columns of ${columns.length}`,
    );
  }
  return columns.map((column, index) => ({ ...column, name: definition.columns?.[index] ?? column.name }));
}
