/** The errors that refuse a HiveQL statement. */

/** A position in the text of a statement. */
export interface Position {
  /** Counts from 1. */
  readonly line: number;
  /** Counts UTF-16 code units from 1. */
  readonly column: number;
}

/**
 * The kind of a refusal. `syntax`: the text is not HiveQL. `semantic`: Hive refuses the statement too. `unsupported`:
 * Hive runs the statement, and the embedded engine does not.
 */
export type HiveQLProblem = "syntax" | "semantic" | "unsupported";

/** A column whose type was inferred from the data of its table. */
export interface InferredColumn {
  readonly database: string;
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

/** Thrown when a statement is refused; names the position and the construct that cause it. */
export class HiveQLError extends Error implements Position {
  override readonly name = "HiveQLError";
  readonly line: number;
  readonly column: number;
  /** The columns that the refused construct reads and whose type was inferred; undefined until {@link blame} tells them. */
  inferred?: readonly InferredColumn[];

  /**
   * @param position start of the construct.
   * @param problem kind of the refusal.
   * @param construct name of the refused construct, such as `function upper`.
   * @param reason clause that says why and, if there is a remedy, what to write instead.
   */
  constructor(
    position: Position,
    readonly problem: HiveQLProblem,
    readonly construct: string,
    readonly reason: string,
  ) {
    super(`${position.line}:${position.column} ${construct}: ${reason}`);
    this.line = position.line;
    this.column = position.column;
  }

  /** Notes the columns whose inferred type may be to blame, unless they are noted already. */
  blame(columns: readonly InferredColumn[]): this {
    this.inferred ??= columns;
    return this;
  }
}

/** A column that no relation of FROM has. */
export class NoSuchColumn extends HiveQLError {
  constructor(position: Position, path: string, reason: string) {
    super(position, "semantic", `column ${path}`, reason);
  }
}

/** Returns the error for HiveQL that the embedded engine does not support. */
export function unsupported(position: Position, construct: string, reason?: string) {
  const text =
    reason === undefined
      ? "is not supported by the embedded engine"
      : `${reason}; the embedded engine does not support this`;
  return new HiveQLError(position, "unsupported", construct, text);
}

/** Returns the error for a statement that Hive refuses too. */
export function semantic(position: Position, construct: string, reason: string) {
  return new HiveQLError(position, "semantic", construct, reason);
}

/** The reason and remedy for a statement that has a SELECT in it, such as INSERT. */
export const submitSelectAlone =
  "is not supported: submit the SELECT alone; the place of its rows is outputResourcePath";
