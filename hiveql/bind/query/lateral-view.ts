/** Table-generating functions in LATERAL VIEW and in the select list. */
import { inferredIn } from "../../tree/facts";
import { columnOf, inherit } from "../../tree/typed";
import { type Call, semantic } from "../../syntax";
import { callSite } from "../../functions/site";
import { argumentsOf, siteOf } from "../arguments";
import { unknownFunction } from "../calls";
import type { BoundFrom, Source, SourceColumn } from "../relations";
import { type EnclosingScope, scopeOf } from "../scope";
import type { LateralView, Output, Relation, Typed } from "../../tree/nodes";
import { arrayOf, structOf } from "../../tree/types";
import { functionsNamed } from "../../functions";
import type { TableFunction } from "../../functions/define";

/** The rows of a relation, each repeated for the rows that a table-generating function makes of it. */
export interface GeneratedRows {
  readonly relation: Relation;
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
 * Binds a call over the rows of `input`, and keeps their order.
 * @param names aliases of the generated columns; if it is empty, they get Hive's default names.
 * @param isOuter true when a row without generated rows is kept, with NULLs.
 */
export function generatedRows(
  node: Call,
  names: readonly string[],
  input: BoundFrom,
  enclosing: EnclosingScope,
  { clause, isOuter }: { readonly clause: LateralView["clause"]; readonly isOuter: boolean },
): GeneratedRows {
  const { context } = enclosing;
  const scope = scopeOf(input.sources, enclosing, clause);
  const entry = tableFunctionNamed(node.name);
  if (!entry)
    throw functionsNamed(node.name).length > 0
      ? semantic(node.position, `function ${node.name}`, "generates no rows: write explode(array) or explode(map)")
      : unknownFunction(node);
  const values = argumentsOf(node, entry.takes, entry, scope);
  const site = siteOf(node, scope);
  const columns = entry.columns(values, callSite(site));
  if (names.length > 0 && names.length !== columns.length) {
    throw semantic(
      node.position,
      `function ${node.name}`,
      `returns ${columns.length} columns and has ${names.length} column aliases: write as many aliases as columns`,
    );
  }
  const alias = context.uniqueName("l");
  const kept = renamed(input.sources, alias);
  const list = arrayOf(structOf(columns));
  const rows: Typed = { node: { kind: "call", function: entry, arguments: values, site, type: list }, type: list };
  const cells = columns.map((_column, index) => `c${index}`);
  return {
    relation: { kind: "lateral view", input: input.relation, alias, kept: kept.outputs, rows, cells, clause, isOuter },
    sources: kept.sources,
    columns: columns.map(({ name, type }, index) => ({
      name: names[index] ?? name,
      value: columnOf(alias, `c${index}`, type, "view", inferredIn(values)),
    })),
  };
}

/** Makes the columns of some relations those of one, named `v0`, `v1`, … */
export function renamed(sources: readonly Source[], alias: string) {
  const outputs: Output[] = [];
  const columnFor = (value: Typed): Typed => {
    const name = `v${outputs.length}`;
    outputs.push({ value, alias: name });
    const of = value.node.kind === "column" ? value.node.of : "rows";
    return inherit(value, columnOf(alias, name, value.type, of, inferredIn([value])));
  };
  const kept = sources.map((source) => ({
    ...source,
    columns: source.columns.map((column) => ({ ...column, value: columnFor(column.value) })),
  }));
  return { outputs, sources: kept };
}
