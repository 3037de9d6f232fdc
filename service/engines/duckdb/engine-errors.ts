/** Errors of the engine, and the classification of DuckDB's errors. */

/** Ends a query with the status `error`; the message goes to its log. */
export class EngineError extends Error {
  override readonly name: string = "EngineError";
}

/**
 * Why an engine process ended: it was closed; its request needed too much memory or time; it no longer responded; or it
 * crashed or was killed by hand.
 */
export type EndCause = "closed" | "memory" | "time" | "unresponsive" | "crash";

/** The process of a request ended before the request did. */
export class ProcessEnded extends EngineError {
  override readonly name = "ProcessEnded";

  constructor(
    readonly endCause: EndCause,
    reason: string,
  ) {
    super(reason);
  }
}

/** Kinds of DuckDB errors that need different handling. */
export type DuckDBErrorKind = "out-of-memory" | "interrupted" | "parallel-csv" | "other";

/**
 * Returns the kind of an error of DuckDB. Its binding reports the kind only as the first words of the message, such as
 * `Out of Memory Error: …`; no other code parses them.
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
