/** What a preview can say about a statement without its tables. */
import { HiveQLError } from "./errors";
import { parseStatement } from "./parse";
import { readStatement } from "./statement";
import { type TableReference, tablesRead } from "./tables";

/** What {@link checkStatement} found. */
export interface CheckResult {
  /** The statement cannot run anywhere; the message begins with `line:column`. */
  readonly error?: HiveQLError;
  /** The statement is HiveQL that this grammar or the embedded engine does not know; a `hive` cluster may. */
  readonly warning?: HiveQLError;
  /** Empty where the statement cannot be read. */
  readonly tables: readonly TableReference[];
}

/** Checks a statement's syntax, that it is one SELECT, and names the tables it reads; never throws. */
export function checkStatement(text: string): CheckResult {
  let tables: TableReference[] = [];
  try {
    const parsed = parseStatement(text);
    tables = tablesRead(parsed);
    readStatement(parsed);
    return { tables };
  } catch (error) {
    if (!(error instanceof HiveQLError)) throw error;
    return error.problem === "unsupported" ? { warning: error, tables } : { error, tables };
  }
}
