/** What goes wrong in an engine, and what DuckDB's own errors say. */

/** Ends a query as `error`; the message is for its log. */
export class EngineError extends Error {
  override readonly name = "EngineError";
}

/** Kinds of DuckDB errors that we tell apart. */
export type DuckDBErrorKind = "out-of-memory" | "interrupted" | "parallel-csv" | "other";

/**
 * The kind of an error that DuckDB raised. Its binding tells it only by the words before the first colon of the
 * message, so this is the one place that reads them.
 */
export function duckdbErrorKind(error: unknown): DuckDBErrorKind {
  const type = error instanceof Error ? /^([A-Za-z ]+) Error:/.exec(error.message)?.[1] : undefined;
  switch (type) {
    case "Out of Memory":
      return "out-of-memory";
    case "INTERRUPT":
      return "interrupted";
    case "Parameter Not Allowed":
      return "parallel-csv";
    default:
      return "other";
  }
}
