/** Reads queries from the tables of the PostgreSQL state. */
import { excerptOf, type Column } from "../../../contract";
import type { ListedQuery, QueryFilter, QueryRecords, StoredQuery } from "../../core/ports/state";
import type { Transaction } from "./connection";

interface CommonRow {
  readonly id: number;
  readonly type: string;
  readonly status: string;
  readonly cluster_name: string;
  readonly access_key_id: string;
  readonly label: Buffer | null;
  readonly start_time: number;
  readonly end_time: number | null;
  readonly row_count: number | null;
  readonly moved_time: number | null;
  readonly progress: number;
  readonly stage: number;
  readonly job_id: string | null;
  readonly rebooted: boolean;
}

/** A row of the table `queries`, with what its cluster says of it. */
interface QueryRow extends CommonRow {
  readonly request: string;
  readonly columns: string | null;
  readonly checked: boolean;
  readonly epoch: number;
  readonly publishing: boolean;
  readonly published_epoch: number;
  readonly engine_handle: string | null;
}

interface ListedRow extends CommonRow {
  /** As JSON. */
  readonly excerpt: string | null;
  /** Null for a split, and for a statement that has an excerpt. */
  readonly request: string | null;
}

const common = `q.id, q.type, q.status, q.cluster_name, q.access_key_id, q.label, q.start_time, q.end_time, q.row_count,
  q.moved_time, q.progress, q.stage, q.job_id, q.id <= coalesce(c.rebooted_to, 0) AS rebooted`;
const from = "FROM dag.queries AS q LEFT JOIN dag.clusters AS c ON c.name = q.cluster_name";
const whole = `SELECT ${common}, q.request, q.columns, q.checked, q.epoch, q.publishing, q.published_epoch,
  q.engine_handle ${from}`;

/** Returns the records of queries in a database. */
export function queriesIn(database: Transaction): QueryRecords {
  return {
    get: async (id) => (await readQueries(database, [id]))[0],
    list: (filter) => readPage(database, filter),
    listRunning: async (clusterName) => {
      const rows = await database.run<{ id: number }>(
        "SELECT id FROM dag.queries WHERE status = 'running' AND ($1::text IS NULL OR cluster_name = $1) ORDER BY id",
        [clusterName ?? null],
      );
      return rows.map(({ id }) => id);
    },
  };
}

/** Reads queries by their IDs, in the order of these. */
export async function readQueries(database: Transaction, ids: readonly number[]): Promise<StoredQuery[]> {
  if (ids.length === 0) return [];
  const rows = await database.run<QueryRow & object>(`${whole} WHERE q.id = ANY($1) ORDER BY q.id`, [ids]);
  return rows.map(toQuery);
}

/** Reads one page of queries. */
async function readPage(database: Transaction, filter: QueryFilter): Promise<ListedQuery[]> {
  const values: unknown[] = [];
  const bound = (value: unknown) => `$${values.push(value)}`;
  const conditions: string[] = [];
  const { statuses, type, labelPrefix = "", clusterName, clusterNamePrefix = "", clusterRebooted } = filter;
  if (statuses) conditions.push(`q.status = ANY(${bound(statuses)})`);
  if (type !== undefined) conditions.push(`q.type = ${bound(type)}`);
  if (clusterName !== undefined) conditions.push(`q.cluster_name = ${bound(clusterName)}`);
  if (clusterNamePrefix !== "") conditions.push(`starts_with(q.cluster_name, ${bound(clusterNamePrefix)})`);
  if (clusterRebooted === true) conditions.push("q.id <= coalesce(c.rebooted_to, 0)");
  if (clusterRebooted === false) conditions.push("q.id > coalesce(c.rebooted_to, 0)");
  if (labelPrefix !== "") {
    const prefix = Buffer.from(labelPrefix, "utf8");
    conditions.push(`q.label >= ${bound(prefix)}`);
    const end = endOfPrefix(prefix);
    if (end) conditions.push(`q.label < ${bound(end)}`);
  }
  if (filter.marker !== undefined)
    conditions.push(`q.id ${filter.order === "asc" ? ">" : "<"} ${bound(filter.marker)}`);
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const rows = await database.run<ListedRow & object>(
    `SELECT ${common}, q.excerpt, CASE WHEN q.excerpt IS NULL AND q.type = 'select' THEN q.request END AS request
     ${from} ${where} ORDER BY q.id ${filter.order} LIMIT ${bound(filter.limit)}`,
    values,
  );
  return rows.map(toListed);
}

function toQuery(row: QueryRow): StoredQuery {
  return {
    ...toCommon(row),
    epoch: row.epoch,
    publishing: row.publishing,
    publishedEpoch: row.published_epoch,
    engineHandle: row.engine_handle,
    columns: row.columns === null ? null : (JSON.parse(row.columns) as Column[]),
    checked: row.checked,
    ...(JSON.parse(row.request) as object),
  } as StoredQuery;
}

function toListed(row: ListedRow): ListedQuery {
  const { excerpt, request } = row;
  const statement =
    request === null
      ? (JSON.parse(excerpt ?? "null") as string | null)
      : excerptOf((JSON.parse(request) as { query: string }).query);
  return { ...toCommon(row), excerpt: statement } as ListedQuery;
}

function toCommon(row: CommonRow) {
  return {
    id: row.id,
    type: row.type,
    status: row.status,
    clusterName: row.cluster_name,
    accessKeyId: row.access_key_id,
    label: row.label === null ? null : row.label.toString("utf8"),
    startTime: row.start_time,
    endTime: row.end_time,
    rows: row.row_count,
    movedTime: row.moved_time,
    progress: row.progress,
    stage: row.stage,
    jobId: row.job_id,
    clusterRebooted: row.rebooted,
  };
}

/** Returns the first bytes after all that begin with the prefix; undefined when there are none. */
function endOfPrefix(prefix: Buffer): Buffer | undefined {
  let { length } = prefix;
  while (length > 0 && prefix[length - 1] === 0xff) length -= 1;
  if (length === 0) return undefined;
  const end = Buffer.from(prefix.subarray(0, length));
  end[length - 1]! += 1;
  return end;
}
