/** Checks statements against their tables. */
import { errors } from "../../../contract";
import type { CheckControl, Engine, CheckedQuery, ReadStatement } from "../ports/engine";
import type { KnownTable } from "./catalog";

/**
 * Checks a statement.
 * @returns what the engine gives for its run
 * @throws InvalidDMLStatement, which also says how tables are read that are not as queries wrote them: their columns may
 * have other names than the statement takes for granted.
 */
export async function checkSelect(
  engine: Engine,
  check: Omit<CheckedQuery, "tables"> & { readonly tables: readonly KnownTable[] },
  control: CheckControl,
): Promise<ReadStatement | undefined> {
  try {
    return await engine.checkSelect(check, control);
  } catch (error) {
    const notes = check.tables.flatMap(({ note }) => (note === undefined ? [] : [note]));
    if (!(error instanceof errors.InvalidDMLStatement) || notes.length === 0) throw error;
    throw new errors.InvalidDMLStatement([error.message, ...notes].join("; "), { field: "query", cause: error });
  }
}
