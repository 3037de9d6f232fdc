/** WITH: each common table expression is bound once, before the queries that use it. */
import { type CommonTable, type Position, semantic, unsupported } from "../../syntax";
import type { CteEntry, CteScope, OutputColumn } from "../relations";
import type { TranslationContext } from "../scope";

/** Returns the tables of a WITH clause and those of the outer scope. A table can be used before its definition. */
export function withCteScope(tables: readonly CommonTable[], outer: CteScope): CteScope {
  if (tables.length === 0) return outer;
  const names = new Map(outer.tables);
  const scope: CteScope = { tables: names };
  for (const definition of tables) {
    if (tables.some((other) => other !== definition && other.name === definition.name)) {
      throw semantic(definition.position, `WITH ${definition.name}`, "is defined twice: rename one of them");
    }
    names.set(definition.name, { definition, scope });
  }
  return scope;
}

/** Returns the relation of a WITH table, which is bound at its first use. */
export function bindCte(
  entry: CteEntry,
  context: TranslationContext,
  position: Position,
): NonNullable<CteEntry["bound"]> {
  if (entry.bound) return entry.bound;
  const { definition } = entry;
  if (entry.isBinding)
    throw unsupported(
      position,
      `recursive WITH ${definition.name}`,
      "reads itself, which Hive refuses too: join the table as often as its levels",
    );
  entry.isBinding = true;
  const query = context.binder.query(definition.query, { context, cteScope: entry.scope });
  entry.isBinding = false;
  const name = context.uniqueName("w");
  context.ctes.push({ name, query: query.query });
  entry.bound = { name, columns: renamed(query.columns, definition) };
  return entry.bound;
}

function renamed(columns: readonly OutputColumn[], definition: CommonTable): readonly OutputColumn[] {
  if (!definition.columns) return columns;
  if (definition.columns.length !== columns.length) {
    throw semantic(
      definition.position,
      `WITH ${definition.name}`,
      `has ${definition.columns.length} column names for ${columns.length} columns: write one name for each column`,
    );
  }
  return columns.map((column, index) => ({ ...column, name: definition.columns?.[index] ?? column.name }));
}
