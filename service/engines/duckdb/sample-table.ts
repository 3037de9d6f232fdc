/** Reads the first rows of a table for the console. */
import { errors, type Column } from "../../../contract";
import type { EngineOperationInput, EngineOperationOutput } from "./process/protocol";
import { readStatement } from "./process/translator";
import { isUserError, loggedReason, parquetOf, type SelectContext } from "./run-select";
import { EngineError } from "./engine-errors";
import { accessDenied } from "./failure-reasons";
import { checkedObjects, type EngineTable } from "./files";

/** Files of a table that are read. */
const maxFiles = 20;

/** Returns the columns and first rows of a table. @throws StorageAccessError, EngineError when its files cannot be read */
export async function sampleTable(
  context: SelectContext,
  input: EngineOperationInput<"sampleTable">,
  signal: AbortSignal,
): Promise<EngineOperationOutput<"sampleTable">> {
  let tables: readonly EngineTable[] = [];
  try {
    tables = await context.files.tables([input.table], signal, checkedObjects);
    return await readSample(context, tables[0]!, input, signal);
  } catch (error) {
    if (isUserError(error) || error instanceof errors.StorageAccessError || signal.aborted) throw error;
    const reason = loggedReason(context, error, "sample failed", parquetOf(tables));
    throw accessDenied(error) ?? new EngineError(reason);
  }
}

async function readSample(
  { database, tables, files }: SelectContext,
  definition: EngineTable,
  { table, limit }: EngineOperationInput<"sampleTable">,
  signal: AbortSignal,
): Promise<EngineOperationOutput<"sampleTable">> {
  const some = definition.files.filter(({ size }) => size > 0);
  const query = readStatement(`SELECT * FROM \`${table.database}\`.\`${table.table}\` LIMIT ${limit + 1}`);
  const wanted = { ...definition, files: some.slice(0, maxFiles) };
  const { table: first, isCut } = await files.firstRows(wanted, signal);
  const connection = database.forSelects;
  return tables.withRelations(
    connection,
    [first],
    query,
    { scanMode: "if-small", signal },
    async ({ tableAt, withClause }) => {
      let columns: readonly Column[] = [];
      const { sql } = query.translate((node) => {
        const found = tableAt(node);
        columns = found?.columns ?? [];
        return found;
      });
      const rows = (await connection.runAndReadAll(`${withClause}SELECT * FROM (${sql})`)).getRowsJson() as (
        | string
        | null
      )[][];
      const isTruncated = rows.length > limit || some.length > maxFiles || isCut;
      return { columns: columns.map(({ name, type }) => ({ name, type })), rows: rows.slice(0, limit), isTruncated };
    },
  );
}
