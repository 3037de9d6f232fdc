/** A DuckDB macro: its parameters, and the SQL that computes it. */
export interface Macro {
  readonly parameters: readonly string[];
  readonly body: string;
}

/** Defines a macro. */
export const define = (parameters: readonly string[], body: string): Macro => ({ parameters, body });
