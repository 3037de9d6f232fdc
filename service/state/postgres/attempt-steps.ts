/** The steps of attempts, in PostgreSQL. */
import type { QueryStatus } from "../../../contract";
import type { AttemptSteps, CatalogChange, CompleteResult, QueryAttempt, QueryProgress } from "../../core/ports/state";
import type { Database } from "./connection";
import { hasEndedAs, storeEnd } from "./ends";
import { storeJobToEnd } from "./jobs-to-end";
import type { Lease } from "./lease";
import type { OwnAttempts } from "./own-attempts";
import { readValues, storeReadsSql } from "./read-records";

interface AttemptParts {
  readonly database: Database;
  readonly lease: Lease;
  readonly attempts: OwnAttempts;
  readonly now: () => number;
}

export class PostgresAttemptSteps implements AttemptSteps {
  constructor(private readonly parts: AttemptParts) {}

  reportProgress(attempt: QueryAttempt, progress: QueryProgress): void {
    this.parts.attempts.noteProgress(attempt, progress);
  }

  async setEngineHandle({ id, epoch }: QueryAttempt, handle: string): Promise<boolean> {
    const stored = await this.parts.database.persistently(() =>
      this.parts.database.transaction(async (transaction) => {
        await storeJobToEnd(transaction, id, { now: this.parts.now(), epoch, next: handle });
        return await transaction.run(
          "UPDATE dag.queries SET engine_handle = $3 WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING id",
          [id, epoch, handle],
        );
      }),
    );
    return stored.length > 0;
  }

  async markPublishing(
    { id, epoch }: QueryAttempt,
    { columns, checked, rows, reads = [] }: CompleteResult,
  ): Promise<"marked" | "cancelled" | "lost"> {
    return await this.parts.database.persistently(async () => {
      const marked = await this.parts.database.run(
        `WITH marked AS (UPDATE dag.queries SET publishing = true, published_epoch = epoch, columns = $3, checked = $4, row_count = $5
         WHERE id = $1 AND epoch = $2 AND status = 'running' AND NOT cancelling RETURNING id),
           stored AS (${storeReadsSql(6)})
         SELECT id FROM marked`,
        [id, epoch, columns === null ? null : JSON.stringify(columns), checked, rows ?? null, ...readValues(reads)],
      );
      if (marked.length > 0) return "marked";
      const last = await this.parts.database.run(
        "SELECT 1 FROM dag.queries WHERE id = $1 AND epoch = $2 AND status = 'running'",
        [id, epoch],
      );
      return last.length > 0 ? "cancelled" : "lost";
    });
  }

  confirm(attempt: QueryAttempt): Promise<boolean> {
    return this.parts.lease.confirm(attempt);
  }

  async end(
    attempt: QueryAttempt,
    status: Exclude<QueryStatus, "running">,
    progress: QueryProgress,
    change: CatalogChange = {},
    failure?: string,
  ): Promise<boolean> {
    const end = { status, time: this.parts.now(), ...progress, change, failure };
    let tries = 0;
    const isEnded = await this.parts.database.persistently(() => {
      tries += 1;
      return this.parts.database.transaction((transaction) => storeEnd(transaction, attempt, end));
    });
    this.parts.attempts.remove(attempt);
    // An attempt whose answer was lost may have stored the end.
    return isEnded || (tries > 1 && (await hasEndedAs(this.parts.database, attempt, status)));
  }
}
