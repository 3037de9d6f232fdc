/** Why a HiveQL statement is not taken. */

/** Where something stands in a statement's text. */
export interface Position {
  /** From 1. */
  readonly line: number;
  /** In UTF-16 code units, from 1. */
  readonly column: number;
}

/**
 * `syntax`: no HiveQL at all. `semantic`: HiveQL that Hive itself refuses. `unsupported`: HiveQL that a `hive`
 * cluster may run and the embedded engine does not.
 */
export type HiveQLProblem = "syntax" | "semantic" | "unsupported";

/** A statement that cannot be taken, with the place and the construct that it fails at. */
export class HiveQLError extends Error implements Position {
  override readonly name = "HiveQLError";
  readonly line: number;
  readonly column: number;

  /**
   * @param position where the construct begins.
   * @param problem which kind of reason.
   * @param construct what is not taken, such as `function xpath`.
   * @param reason a clause that says why and, where there is one, the remedy.
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
}

/** The way out that every refusal names. */
const wayOut = "submit the statement to a cluster of type hive, which runs it as it is";

/** HiveQL that the embedded engine does not run. */
export function unsupported(position: Position, construct: string, reason = "is not supported by the embedded engine") {
  return new HiveQLError(position, "unsupported", construct, `${reason}; ${wayOut}`);
}

/** A statement that Hive would refuse too. */
export function semantic(position: Position, construct: string, reason: string) {
  return new HiveQLError(position, "semantic", construct, reason);
}
