/** The rows of the state file as records. */
import { excerptOf, type Column } from "../../../contract";
import type { ListedQuery, StoredQuery, WrittenTable } from "../../core/ports/state";

interface CommonRow {
  readonly id: number;
  readonly type: string;
  readonly status: string;
  readonly cluster_name: string;
  readonly access_key_id: string;
  readonly label: string | null;
  readonly start_time: number;
  readonly end_time: number | null;
  readonly row_count: number | null;
  readonly progress: number;
  readonly stage: number;
  readonly job_id: string | null;
}

/** A whole row of the table `queries`. */
export interface QueryRow extends CommonRow {
  readonly publishing: number;
  readonly epoch: number;
  readonly published_epoch: number;
  readonly engine_handle: string | null;
  readonly request: string;
  readonly columns: string | null;
  readonly checked: number;
}

/** What a list reads of a row of the table `queries`. */
export interface ListedRow extends CommonRow {
  readonly excerpt: string | null;
  /** Null for a split, and for a statement that has an excerpt. */
  readonly request: string | null;
}

export function toQuery(row: QueryRow, clusterRebooted: boolean): StoredQuery {
  return {
    ...toCommon(row, clusterRebooted),
    epoch: row.epoch,
    publishing: row.publishing !== 0,
    publishedEpoch: row.published_epoch,
    engineHandle: row.engine_handle,
    columns: row.columns === null ? null : (JSON.parse(row.columns) as Column[]),
    checked: row.checked !== 0,
    ...(JSON.parse(row.request) as object),
  } as StoredQuery;
}

export function toListed(row: ListedRow, clusterRebooted: boolean): ListedQuery {
  const { excerpt, request } = row;
  const statement = request === null ? excerpt : excerptOf((JSON.parse(request) as { query: string }).query);
  return { ...toCommon(row, clusterRebooted), excerpt: statement } as ListedQuery;
}

export function toCatalogTable(row: object): WrittenTable {
  const { columns, ...rest } = row as Omit<WrittenTable, "columns"> & { columns: string };
  return { ...rest, columns: JSON.parse(columns) as Column[] };
}

function toCommon(row: CommonRow, clusterRebooted: boolean) {
  return {
    id: row.id,
    type: row.type,
    status: row.status,
    clusterName: row.cluster_name,
    accessKeyId: row.access_key_id,
    label: row.label,
    startTime: row.start_time,
    endTime: row.end_time,
    rows: row.row_count,
    movedTime: null,
    progress: row.progress,
    stage: row.stage,
    jobId: row.job_id,
    clusterRebooted,
  };
}
