/** Table-generating functions in LATERAL VIEW and in the select list. */
import { columnOf } from "../../tree/typed";
import { type Call, semantic, unsupported } from "../../syntax";
import { argumentsOf, callSite } from "../calls";
import type { Scope, SourceColumn } from "../scope";
import { sql } from "../../tree/fragment";
import type { Part } from "../../tree/nodes";
import { functionsNamed } from "../../functions";
import type { TableFunction } from "../../functions/define";

/** The relation that one call of a table-generating function produces for each row. */
export interface LateralSource {
  readonly from: Part;
  readonly columns: readonly SourceColumn[];
}

/** Returns the declaration of a table-generating function; undefined for other functions. */
export function tableFunctionNamed(name: string): TableFunction | undefined {
  return functionsNamed(name).find((entry): entry is TableFunction => entry.kind === "table");
}

/** Translates a call. `names` are the aliases of its columns; if it is empty, they get Hive's default names. */
export function lateralSource(node: Call, names: readonly string[], scope: Scope): LateralSource {
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
  const alias = scope.context.uniqueName("l");
  return {
    from: sql`(${entry.emit(values, call)}) AS ${alias}`,
    columns: columns.map((column, index) => ({
      name: names[index] ?? column.name,
      value: columnOf(alias, `c${index}`, column.type, "view"),
    })),
  };
}
