/** What an engine says to a statement. */

export type Answer =
  | {
      readonly kind: "rows";
      /** Values as Hive prints them; null is NULL. */
      readonly rows: readonly (readonly (string | null)[])[];
      /** The columns' types where the engine tells them, as Hive writes them. */
      readonly types?: readonly string[];
      /** Positions of the columns that the rows are sorted by. */
      readonly sortedBy?: readonly number[];
    }
  /** Not taken: no rule for it, or an error that both engines have. */
  | { readonly kind: "refused"; readonly message: string }
  /** Taken, and then failed for a reason that is no answer of Hive. */
  | { readonly kind: "failed"; readonly message: string };

/** An engine that answers statements one after another. */
export interface Engine {
  ask(statement: string): Promise<Answer>;
  close(): Promise<void>;
}
