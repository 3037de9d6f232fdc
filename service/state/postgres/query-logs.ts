/** The logs of queries in PostgreSQL, for service processes that share no folder. */
import { Readable } from "node:stream";
import type { LogPart, QueryLogStore } from "../query-logs";
import type { Database } from "./connection";

/** Parts that are read at a time. */
const batchSize = 500;

export class PostgresQueryLogs implements QueryLogStore {
  constructor(private readonly database: Database) {}

  async append(parts: readonly LogPart[]): Promise<void> {
    await this.database.run(
      `INSERT INTO dag.query_logs (cluster_name, query_id, part)
       SELECT n.cluster_name, n.query_id, n.part
       FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS n (cluster_name, query_id, part, place)
       ORDER BY n.place`,
      [parts.map(({ clusterName }) => clusterName), parts.map(({ queryId }) => queryId), parts.map(({ text }) => text)],
    );
  }

  async read(queryId: number): Promise<string> {
    const rows = await this.database.run<{ part: string }>(
      "SELECT part FROM dag.query_logs WHERE query_id = $1 ORDER BY place",
      [queryId],
    );
    return rows.map(({ part }) => part).join("");
  }

  async drop(clusterName: string): Promise<void> {
    await this.database.run(
      `DELETE FROM dag.query_logs WHERE cluster_name = $1
         AND query_id <= (SELECT rebooted_to FROM dag.clusters WHERE name = $1)`,
      [clusterName],
    );
  }

  async delete(queryId: number): Promise<number> {
    const rows = await this.database.run<{ bytes: number }>(
      "DELETE FROM dag.query_logs WHERE query_id = $1 RETURNING octet_length(part) AS bytes",
      [queryId],
    );
    return rows.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async bytes(clusterName: string): Promise<number> {
    const [row] = await this.database.run<{ bytes: number }>(
      "SELECT coalesce(sum(octet_length(part)), 0) AS bytes FROM dag.query_logs WHERE cluster_name = $1",
      [clusterName],
    );
    return row!.bytes;
  }

  async all(clusterName: string): Promise<{ readonly size: number; open(): Readable }> {
    const [row] = await this.database.run<{ size: number; last: number }>(
      `SELECT coalesce(sum(octet_length(part) + octet_length('query ' || query_id || ' ')), 0) AS size, coalesce(max(place), 0) AS last
       FROM dag.query_logs WHERE cluster_name = $1`,
      [clusterName],
    );
    const { size, last } = row!;
    return { size, open: () => Readable.from(this.#parts(clusterName, last)) };
  }

  /** Yields the parts up to a place, query by query. */
  async *#parts(clusterName: string, last: number): AsyncGenerator<Buffer> {
    for (let after = { queryId: 0, place: 0 }; ;) {
      const rows = await this.database.run<{ queryId: number; place: number; part: string }>(
        `SELECT query_id AS "queryId", place, part FROM dag.query_logs
         WHERE cluster_name = $1 AND place <= $2 AND (query_id, place) > ($3, $4)
         ORDER BY query_id, place LIMIT ${batchSize}`,
        [clusterName, last, after.queryId, after.place],
      );
      if (rows.length === 0) return;
      yield Buffer.from(rows.map(named).join(""));
      after = rows.at(-1)!;
    }
  }
}

/** Returns an entry with the ID of its query behind the time. */
function named({ queryId, part }: { readonly queryId: number; readonly part: string }): string {
  const behindTime = part.indexOf(" ") + 1;
  return `${part.slice(0, behindTime)}query ${queryId} ${part.slice(behindTime)}`;
}
