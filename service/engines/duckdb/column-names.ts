/** The names of a statement's output columns, as the statement alone tells them. */
import { HiveQLError, parseStatement, readStatement, type QueryBody, type Select } from "../../../hiveql/syntax";

/** Returns the names of the output columns as Hive names them; undefined when the statement alone does not tell. */
export function outputColumnNames(statement: string): string[] | undefined {
  try {
    return namesOf(readStatement(parseStatement(statement)).body);
  } catch (error) {
    if (error instanceof HiveQLError) return undefined;
    throw error;
  }
}

function namesOf({ first }: QueryBody): string[] | undefined {
  if (first.kind === "body") return namesOf(first.body);
  return first.kind === "select" ? selectNames(first) : undefined;
}

function selectNames({ items }: Select): string[] | undefined {
  const names: string[] = [];
  for (const [index, item] of items.entries()) {
    if (item.kind === "all") return undefined;
    const { expression, aliases } = item;
    if (aliases.length > 0) names.push(...aliases);
    else if (expression.kind === "name" || expression.kind === "field") names.push(expression.name);
    else names.push(`_c${index}`);
  }
  return names;
}
