/** The queries of an earlier start. Nobody else runs queries of a file, so they are taken over once. */
import type { Leases, StateListener, StoredQuery } from "../../core/ports/state";
import type { SqliteDatabase } from "./database";
import type { SqliteQueries } from "./queries";
import { toQuery } from "./rows";
import type { RunningQueries } from "./running-queries";

export class SqliteLeases implements Leases {
  listener: StateListener | undefined;
  /** The IDs of the queries that were not taken over yet. */
  readonly #left: number[];

  constructor(
    private readonly database: SqliteDatabase,
    private readonly queries: SqliteQueries,
    running: RunningQueries,
  ) {
    const rows = queries.readRunning();
    for (const row of rows) running.add(row.id, toQuery(row, false), { isPublishing: row.publishing !== 0 });
    this.#left = rows.map(({ id }) => id);
  }

  listen(listener: StateListener): void {
    this.listener = listener;
  }

  async takeOver(): Promise<StoredQuery[]> {
    const left = this.#left.splice(0);
    if (left.length === 0) return [];
    const begin = this.database.sql("UPDATE queries SET epoch = epoch + 1 WHERE id = ?");
    this.database.writeUrgently(() =>
      this.database.transaction(() => {
        for (const id of left) begin.run(id);
      }),
    );
    return left.map((id) => this.queries.read(id)!);
  }

  /** Nothing waits for a file. */
  beginShutdown(): void {}
}
