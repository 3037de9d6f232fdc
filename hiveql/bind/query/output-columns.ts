/** The output columns of a select list. */
import type { OutputColumn } from "../relations";
import { hasTrailingZeroScale } from "../../rules/folded-decimals";
import type { ColumnFacts, Typed } from "../../tree/nodes";

/** An expression of the select list with its column name in Hive. */
export interface Item {
  readonly name: string;
  readonly value: Typed;
}

/**
 * Returns the output columns of a select list. Hive allows duplicate column names, and the SQL gets unique aliases.
 * @param isMergeable true when Hive merges the query into the outer query, which then tests operands in IS NULL.
 * @param keepsTextSource true when Hive looks through a CAST to string of the query.
 */
export function outputColumns(items: readonly Item[], isMergeable: boolean, keepsTextSource: boolean): OutputColumn[] {
  const taken = new Set<string>();
  return items.map(({ name, value }) => {
    let alias = name;
    for (let count = 1; taken.has(alias); count += 1) alias = `${name}_${count}`;
    taken.add(alias);
    const { type, constant } = value;
    const facts: ColumnFacts = {
      ...(hasTrailingZeroScale(value) ? { hasPaddedScale: true } : {}),
      ...(isMergeable && value.introducesNull ? { introducesNull: true } : {}),
      ...(keepsTextSource && value.textSourceType ? { textSourceType: value.textSourceType } : {}),
    };
    return { name, alias, type, facts, ...(constant === undefined ? {} : { constant }) };
  });
}
