/** The names of a statement's output columns, as Hive names them. */
import {
  HiveQLError,
  parseStatement,
  readStatement as readQuery,
  type QueryBody,
  type Select,
} from "../../../hiveql/syntax";
import type { EngineOperationInput } from "./process/protocol";
import { checkedObjects } from "./files";
import { translateInferred } from "./inferred-types";
import { readStatement } from "./process/translator";
import type { CheckProgress, SelectContext } from "./run-select";

/**
 * Returns the names of a statement's output columns, of the tables as they are now. Undefined when these are not known,
 * as when a table of a `*` is gone.
 */
export async function columnNames(
  { database, tables, files }: SelectContext,
  { statement, tables: requests, views }: EngineOperationInput<"columnNames">,
  { signal, progress }: CheckProgress,
): Promise<readonly string[] | undefined> {
  const known = namesOfStatement(statement);
  if (known) return known;
  const definitions = await files.tables(requests, signal, checkedObjects);
  progress(0, 1);
  try {
    const query = readStatement(statement, views);
    const options = { scanMode: "if-small", signal } as const;
    return await tables.withRelations(database.forChecks, definitions, query, options, async (job) => {
      return translateInferred(query, job).columns.map(({ name }) => name);
    });
  } catch (error) {
    if (error instanceof HiveQLError) return undefined;
    throw error;
  }
}

/** Returns the names that are known from the statement alone; undefined when they are not, as with `*`. */
export function namesOfStatement(statement: string): string[] | undefined {
  try {
    return namesOf(readQuery(parseStatement(statement)).body);
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
