/** Table-generating functions in LATERAL VIEW and in the select list. */
import { columnOf, inherit } from "../../tree/typed";
import { type Call, semantic, unsupported } from "../../syntax";
import { argumentsOf, callSite } from "../arguments";
import {
  type EnclosingScope,
  scopeOf,
  type Source,
  type SourceColumn,
  type TranslatedFrom,
  type TranslationContext,
} from "../scope";
import { join, raw, sql } from "../../tree/fragment";
import type { Part, Typed } from "../../tree/nodes";
import { keyOf } from "../../tree/same";
import { functionsNamed } from "../../functions";
import type { TableFunction } from "../../functions/define";

/** The rows of a relation, each repeated for the rows that a table-generating function makes of it. */
export interface GeneratedRows {
  readonly from: Part;
  /** The relations of the input. */
  readonly sources: readonly Source[];
  /** The generated columns. */
  readonly columns: readonly SourceColumn[];
}

/** Returns the declaration of a table-generating function; undefined for other functions. */
export function tableFunctionNamed(name: string): TableFunction | undefined {
  return functionsNamed(name).find((entry): entry is TableFunction => entry.kind === "table");
}

/**
 * Translates a call over the rows of `input`, and keeps their order: DuckDB keeps it where the rows are generated in a
 * select list, and not in a LATERAL join.
 * @param names aliases of the generated columns; if it is empty, they get Hive's default names.
 * @param isOuter true when a row without generated rows is kept, with NULLs.
 */
export function generatedRows(
  node: Call,
  names: readonly string[],
  input: TranslatedFrom,
  enclosing: EnclosingScope,
  { clause, isOuter }: { readonly clause: string; readonly isOuter: boolean },
): GeneratedRows {
  const { context } = enclosing;
  const scope = scopeOf(input.sources, enclosing, clause);
  const entry = tableFunctionNamed(node.name);
  if (!entry) throw unsupported(node.position, `table-generating function ${node.name}`);
  const values = argumentsOf(node, entry.takes, entry, scope);
  const call = callSite(node, scope);
  const columns = entry.columns(values, call);
  if (names.length > 0 && names.length !== columns.length) {
    throw semantic(
      node.position,
      `function ${node.name}`,
      `returns ${columns.length} columns and has ${names.length} column aliases: write as many aliases as columns`,
    );
  }
  const alias = context.uniqueName("l");
  const kept = renamed(input.sources, alias, context);
  const list = entry.emit(values, call);
  const generated = isOuter ? sql`CASE WHEN len(${list}) > 0 THEN ${list} ELSE [NULL] END` : list;
  const rows = [...kept.list, sql`unnest(${generated}) AS hive_e`];
  const cells = entry.cells(raw("hive_e"), values, call).map((cell, index) => sql`${cell} AS c${index}`);
  return {
    from: sql`(SELECT ${join([...kept.names.map(raw), ...cells])} FROM (SELECT ${join(rows)} FROM ${input.from})) AS ${alias}`,
    sources: kept.sources,
    columns: columns.map(({ name, type }, index) => ({
      name: names[index] ?? name,
      value: columnOf(alias, `c${index}`, type, "view"),
    })),
  };
}

/** Makes the columns of some relations those of one, named `v0`, `v1`, … */
function renamed(sources: readonly Source[], alias: string, context: TranslationContext) {
  const names: string[] = [];
  const list: Part[] = [];
  const columnFor = (value: Typed): Typed => {
    const name = `v${names.length}`;
    names.push(name);
    list.push(sql`${value} AS ${name}`);
    const of = value.node.kind === "column" ? value.node.of : "rows";
    const column = inherit(value, columnOf(alias, name, value.type, of));
    const origins = context.viewOrigins.get(keyOf(value));
    if (origins) context.viewOrigins.set(keyOf(column), origins);
    return column;
  };
  const kept = sources.map((source) => ({
    ...source,
    columns: source.columns.map((column) => ({ ...column, value: columnFor(column.value) })),
  }));
  return { names, list, sources: kept };
}
