/** The error of an engine that is for the user. */

/** Ends a query with the status `error`; the message goes to its log. */
export class EngineError extends Error {
  override readonly name: string = "EngineError";
}
