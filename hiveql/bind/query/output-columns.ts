/** The output columns of a select list. */
import type { OutputColumn } from "../relations";
import { inferredIn } from "../../tree/facts";
import type { Typed } from "../../tree/nodes";

/** An expression of the select list with its column name in Hive. */
export interface Item {
  readonly name: string;
  readonly value: Typed;
}

/** Returns the output columns of a select list. Hive allows duplicate column names, and the SQL gets unique aliases. */
export function outputColumns(items: readonly Item[]): OutputColumn[] {
  const taken = new Set<string>();
  return items.map(({ name, value }) => {
    let alias = name;
    for (let count = 1; taken.has(alias); count += 1) alias = `${name}_${count}`;
    taken.add(alias);
    const { type, constant } = value;
    return { name, alias, type, inferred: inferredIn([value]), ...(constant === undefined ? {} : { constant }) };
  });
}
