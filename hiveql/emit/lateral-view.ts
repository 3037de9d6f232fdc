/** Table-generating functions, beside the rows that they are called for. */
import { type Call, semantic, unsupported } from "../syntax";
import { argumentsOf, callSite } from "../bind/calls";
import type { Environment, SourceColumn } from "../bind/scope";
import { type Fragment, raw, sql, typed } from "./fragment";
import { functionsNamed } from "../functions";
import type { TableFunction } from "../functions/define";

/** What one call adds to each row. */
export interface LateralSource {
  readonly from: Fragment;
  readonly columns: readonly SourceColumn[];
}

/** The declaration of a table-generating function; undefined for all other calls. */
export function tableFunctionNamed(name: string): TableFunction | undefined {
  return functionsNamed(name).find((entry): entry is TableFunction => entry.kind === "table");
}

/** Translates a call; `names` are the aliases of its columns, Hive's own names where there are none. */
export function lateralSource(node: Call, names: readonly string[], environment: Environment): LateralSource {
  const entry = tableFunctionNamed(node.name);
  if (!entry) throw unsupported(node.position, `table-generating function ${node.name}`);
  const values = argumentsOf(node, entry.takes, entry, environment);
  const call = callSite(node, environment);
  const columns = entry.columns(values, call);
  if (names.length > 0 && names.length !== columns.length) {
    throw semantic(
      node.position,
      `function ${node.name}`,
      `yields ${columns.length} columns and is given ${names.length} names`,
    );
  }
  const alias = environment.shared.unique("l");
  return {
    from: sql`(${entry.emit(values, call)}) AS ${alias}`,
    columns: columns.map((column, index) => ({
      name: names[index] ?? column.name,
      value: typed(raw(`${alias}.c${index}`), column.type),
    })),
  };
}
