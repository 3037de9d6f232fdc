/** The tables of the state in PostgreSQL, as the simulation empties and reads them. */

/** A query as the tables have it. */
export interface CommittedQuery {
  readonly id: number;
  readonly type: "select" | "split";
  readonly status: string;
  readonly cluster_name: string;
  readonly caller: string;
  readonly label: string | null;
  readonly request: string;
  readonly epoch: number;
  readonly publishing: number;
  /** True from the request to cancel it on. */
  readonly cancelling: boolean;
  readonly published_epoch: number;
  /** True when its result is in the list of those that were published. */
  readonly recorded: boolean;
}

/** The tables that a schedule may fill. */
export const tables = [
  "queries",
  "processes",
  "clusters",
  "reservations",
  "catalog",
  "attempts",
  "query_logs",
  "published",
  "jobs_to_end",
  "reads",
  "lineage_runs",
];

/** Returns all queries. */
export const readAll = `SELECT id, type, status, cluster_name, access_key_id AS caller, convert_from(label, 'UTF8') AS label,
  request, epoch, publishing::int AS publishing, cancelling, published_epoch,
  EXISTS (SELECT FROM dag.published AS p WHERE p.query_id = q.id) AS recorded FROM dag.queries AS q ORDER BY id`;

/** The statements that change queries. */
export const changesQueries = /(?:UPDATE|INSERT INTO|DELETE FROM) dag\.queries/;
