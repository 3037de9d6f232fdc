/** Checks a statement without knowing its tables; a preview uses it. */
import type { Query } from "./ast";
import { HiveQLError } from "./errors";
import { parseStatement } from "./parse";
import { readStatement } from "./read-statement";
import { type TableReference, tablesRead } from "./tables";

/** The result of {@link checkStatement}. */
export interface StatementCheck {
  /** Set when no engine can run the statement; the message begins with `line:column`. */
  readonly error?: HiveQLError;
  /** Set when the statement is HiveQL that the embedded engine does not support. */
  readonly warning?: HiveQLError;
  /** The tables that the statement reads; empty when the statement cannot be parsed. */
  readonly tables: readonly TableReference[];
  /** The query; absent when the statement has no syntax tree. */
  readonly query?: Query;
}

/**
 * Checks that a statement is valid HiveQL and one SELECT, and lists the tables it reads. Never throws a HiveQLError.
 */
export function checkStatement(text: string): StatementCheck {
  let tables: TableReference[] = [];
  try {
    const parsed = parseStatement(text);
    tables = tablesRead(parsed);
    return { tables, query: readStatement(parsed) };
  } catch (error) {
    if (!(error instanceof HiveQLError)) throw error;
    return error.problem === "unsupported" ? { warning: error, tables } : { error, tables };
  }
}
