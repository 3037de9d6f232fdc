/** Compares the values that both engines read from the fields of a text file. */
import type { Outcome } from "./compare-answers.mts";
import { sameValue } from "./compare-answers.mts";
import type { RunContext } from "./compare-statements.mts";
import type { Table } from "./generate/tables.mts";

/** Compares every cell of a table that has {@link Table.fields}. */
export async function compareFields({ hive, embedded, tally, report }: RunContext, table: Table): Promise<void> {
  const shown = table.columns.map(({ name, type }) => (type === "binary" ? `hex(${name})` : name));
  const statement = `SELECT ${shown.join(", ")} FROM ${table.name}`;
  const [theirs, own] = [await hive.ask(statement), await embedded.ask(statement)];
  if (theirs.kind !== "rows" || own.kind !== "rows")
    throw new Error([theirs, own].map((answer) => (answer.kind === "rows" ? "rows" : answer.message)).join("; "));
  const byId = new Map(own.rows.map((row) => [row[0], row]));
  for (const [index, fields] of (table.fields ?? []).entries()) {
    const [expected, found] = [theirs.rows.find(([id]) => id === fields[0]), byId.get(fields[0])];
    for (const [column, { type }] of table.columns.entries()) {
      const [cell, other] = [expected?.[column] ?? null, found?.[column] ?? null];
      const outcome: Outcome = expected && found && sameValue(cell, other, type) ? "same" : "different";
      tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
      if (outcome === "same") continue;
      const field = `${JSON.stringify(fields[column] ?? null)} in row ${index} as ${type}`;
      report({
        outcome,
        statement: field,
        generated: field,
        hive: JSON.stringify(cell),
        embedded: JSON.stringify(other),
      });
    }
  }
}
