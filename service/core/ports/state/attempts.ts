/** The steps of an attempt. A step of an attempt that is not its query's last one changes nothing. */
import type { Column, QueryStatus } from "../../../../contract";
import type { ReadInput } from "../read-records";
import type { CatalogChange } from "./catalog";
import type { QueryProgress, StoredQuery } from "./queries";

/** One attempt to run a query. Only the query's last attempt can store anything. */
export type QueryAttempt = Pick<StoredQuery, "id" | "epoch">;

/** What is known of a complete result before it is published. */
export interface CompleteResult {
  readonly columns: readonly Column[] | null;
  readonly checked: boolean;
  /** Rows of a select's result. @default not known */
  readonly rows?: number | null;
  /** What the query read. @default not known */
  readonly reads?: readonly ReadInput[];
}

/** Thrown when an attempt is no longer its query's last one: another process runs the query, or it was cancelled. */
export class AttemptLost extends Error {
  override readonly name = "AttemptLost";

  constructor() {
    super("another service process has taken over or ended the query");
  }
}

/** Milliseconds, from a call of {@link AttemptSteps.confirm}, for which its answer holds. */
export const confirmedMilliseconds = 8000;

export interface AttemptSteps {
  /** Reports the progress of an attempt. It need not be durable before the query ends. */
  reportProgress(attempt: QueryAttempt, progress: QueryProgress): void;
  /**
   * Stores what a later attempt needs to resume the job of this one. An earlier job of the query is one to end.
   * @returns false when the attempt is not the query's last one: nothing is stored
   */
  setEngineHandle(attempt: QueryAttempt, handle: string): Promise<boolean>;
  /**
   * Stores that the result of an attempt is complete: the next attempt publishes it and does not run the query again.
   * @returns `cancelled` when the query was cancelled before, `lost` when the attempt is not the last one.
   */
  markPublishing(attempt: QueryAttempt, result: CompleteResult): Promise<"marked" | "cancelled" | "lost">;
  /**
   * Returns true when the attempt is the query's last one, and will be for {@link confirmedMilliseconds} from the call:
   * the code that runs in this time, or in the same turn as the answer, may change what only the last attempt may change.
   */
  confirm(attempt: QueryAttempt): Promise<boolean>;
  /**
   * Stores the end of a query; if it is not `finished`, its job on a server is one to end.
   * @param failure why it has failed, if it has
   * @returns false when it has ended before, or when the attempt is not the last one
   */
  end(
    attempt: QueryAttempt,
    status: Exclude<QueryStatus, "running">,
    progress: QueryProgress,
    change?: CatalogChange,
    failure?: string,
  ): Promise<boolean>;
}
