/** A DuckDB macro: the SQL that computes it, and how often that holds each argument. */
export interface Macro {
  /** How often the body holds each argument once the macros that it calls are expanded, by the parameter's name. */
  readonly uses: Readonly<Record<string, number>>;
  readonly body: string;
  /** The estimated number of nodes that DuckDB binds for the body without its arguments. */
  readonly weight: number;
}

/** Defines a macro after those that it calls. */
export const define = (uses: Macro["uses"], body: string): Macro => ({
  uses,
  body,
  weight: body.length / 16 + Object.values(uses).reduce((sum, count) => sum + count, 0),
});
