/** The columns that a select list gives. */
import type { OutputColumn } from "./scope";
import { hasLongScale } from "../rules/folded-decimals";
import type { SqlExpression } from "../emit/fragment";

/** A value of the select list with the name that Hive gives it. */
export interface Item {
  readonly name: string;
  readonly value: SqlExpression;
}

/** Hive lets several columns have one name; the SQL does not. */
export function outputColumns(items: readonly Item[], merges: boolean, keeps: boolean): OutputColumn[] {
  const taken = new Set<string>();
  return items.map(({ name, value }) => {
    let alias = name;
    for (let count = 1; taken.has(alias); count += 1) alias = `${name}_${count}`;
    taken.add(alias);
    const { type, constant } = value;
    const decimal = {
      ...(value.isLongConstant || (value.digits !== undefined && hasLongScale(value))
        ? { isLongConstant: true as const }
        : {}),
      ...(value.declared ? { declared: value.declared } : {}),
    };
    const bare = value.isBare ? { isBare: value.isBare } : {};
    const vanishes = merges && value.vanishes ? { vanishes: true as const } : {};
    const text = keeps && value.textOf ? { textOf: value.textOf } : {};
    return {
      name,
      alias,
      type,
      ...decimal,
      ...bare,
      ...vanishes,
      ...text,
      ...(constant === undefined ? {} : { constant }),
    };
  });
}
