/** The interface of both engines, and their answers. */

/** An engine's answer to one statement. */
export type Answer =
  | {
      readonly kind: "rows";
      /** Values in Hive's output format; null is NULL. */
      readonly rows: readonly (readonly (string | null)[])[];
      /** The columns' types in Hive's notation; absent when the engine does not report them. */
      readonly types?: readonly string[];
      /** Indexes of the columns that the rows are sorted by. */
      readonly sortedBy?: readonly number[];
    }
  /** The engine does not support the statement, or reports an error for it as Hive does. */
  | { readonly kind: "refused"; readonly message: string }
  /** The engine accepted the statement and then failed for a reason that Hive does not have. */
  | { readonly kind: "failed"; readonly message: string };

/** An engine that runs statements. */
export interface Engine {
  ask(statement: string): Promise<Answer>;
  close(): Promise<void>;
}
