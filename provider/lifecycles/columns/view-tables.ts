/** Views that a query reads, and behind which there are tables of the program: nobody follows these. */
import { tableName } from "../freshness/program-tables";
import { readStatement } from "../queries/statement";
import type { PreviewContext } from "./preview-check";

/** Warns of the tables of the program that a query reads through a view of the service's config. */
export async function warnOfViews(query: string, context: PreviewContext): Promise<void> {
  const { programTables, serviceTables, secret, warn } = context;
  if (!programTables || !serviceTables) return;
  for (const name of readStatement(query).tables) {
    if (programTables.get(name)) continue;
    const view = await serviceTables.view(name);
    const behind = view ? readStatement(view.query).tables.filter((table) => programTables.get(table)) : [];
    if (behind.length === 0) continue;
    const [subject, tables] = secret
      ? ["a view that the query reads", "tables of this program"]
      : [`the view ${tableName(name)}`, behind.map(tableName).join(" and ")];
    warn(
      `${subject} depends on ${tables}: the query does not run again when that changes. Read the table itself, or set ` +
        `"triggers" to a value of its resource, such as its queryId`,
    );
  }
}
