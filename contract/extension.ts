/**
 * What this service answers besides the API: the tables, objects and usage that its console shows. These paths are
 * outside `/v1/`, read only but for an upload, and signed like the API; another service of the API does not have them.
 */
import * as z from "zod";
import { wellFormed } from "./fields";
import { queryRecord, querySummary } from "./records";
import { tableFormats } from "./values";

const integer = z.int();

/** How a query ran or runs, which the API does not say. */
const queryRun = z.object({
  /** Milliseconds from the acceptance to the end, or so far; absent when the end was not kept. */
  milliseconds: integer.optional(),
  /** Milliseconds for which the percentage and stage of a running query have not changed. */
  unmoved: integer.optional(),
  /** Rows of the result; absent for splits and when the engine does not count them. */
  rows: integer.optional(),
});
export type QueryRun = z.infer<typeof queryRun>;

const withRun = z.object({
  run: queryRun,
  /** Why the result is stale: what has happened to something that it is made of. Only where stale ones are asked for. */
  stale: z.string().optional(),
});

/**
 * `GET /queries?<parameters of listQueries>`: the page of listQueries, with how each query ran.
 * With `text`, `since`, `until` or `sort=duration`: those whose statement has the text, that were submitted in the time, or
 * the longest of the newest 10,000 first; a page may have few or none although there are more.
 * `GET /queries?stale=true&max=<n>&marker=<queryId>`: the queries whose results are stale; a page may have few or none
 * although there are more.
 */
export const inspectedPage = z.object({
  nextMarker: integer.optional(),
  isTruncated: z.boolean(),
  queries: z.array(z.intersection(querySummary, withRun)),
});
export type InspectedPage = z.infer<typeof inspectedPage>;

/** What a query read. */
const queryRead = z.object({
  kind: z.enum(["table", "view", "objects"]),
  /** The folder; for a view the one that a table of its name would have. */
  location: z.string(),
  /** `database.table`, or the location of objects. */
  name: z.string(),
  /** Number and size of the objects when the query read them, of a table's first 10,000; absent for views. */
  objects: integer.optional(),
  bytes: integer.optional(),
  /** Identifies the objects as they were, or the statement of a view. */
  fingerprint: z.string().optional(),
  /** What has happened to it since; absent when nothing has, or that is not known. */
  change: z.string().optional(),
});
export type QueryRead = z.infer<typeof queryRead>;

/** `GET /queries/<queryId>`: the record of getQuery, with how the query ran and what it read. */
export const inspectedQuery = z.intersection(queryRecord, withRun.extend({ reads: z.array(queryRead).optional() }));
export type InspectedQuery = z.infer<typeof inspectedQuery>;

/** A table, a result folder, a view, or another folder with objects. */
const lineageNode = z.object({
  /** Its folder; for a view the one that a table of its name would have. */
  id: z.string(),
  kind: z.enum(["table", "result", "view", "folder"]),
  /** `database.table`, or the location of a folder that is no table. */
  name: z.string(),
  /** The query that made it, or was the last to write to a folder that was changed since; absent when none is known. */
  queryId: integer.optional(),
  /** Why a folder is not the result of its query any more, or which objects of a table its split did not write. */
  note: z.string().optional(),
  /** Why it is stale: what has happened to something that it is made of. Absent when it was deleted. */
  stale: z.string().optional(),
  /** True when a query made it, and its folder has no object any more. */
  isDeleted: z.boolean().optional(),
});
export type LineageNode = z.infer<typeof lineageNode>;

/** `to` is made of `from`, or has it as a part. */
const lineageEdge = z.object({
  from: z.string(),
  to: z.string(),
  /** The query that read `from`; absent for the parts of a table and the tables of a view. */
  queryId: integer.optional(),
});
export type LineageEdge = z.infer<typeof lineageEdge>;

/** `GET /lineage/<bucket>/<path>?levels=<n>`: what a table, a result folder or a view is made of, and who reads it. */
export const lineageGraph = z.object({
  /** The node that was asked for. */
  root: z.string(),
  /** At most 500. */
  nodes: z.array(lineageNode),
  edges: z.array(lineageEdge),
  /** True when there are more nodes. */
  isCut: z.boolean(),
});
export type LineageGraph = z.infer<typeof lineageGraph>;

/** How a table came to be: declared in the config, written by a split or a select, or a folder with objects. */
const tableSources = ["declared", "split", "select", "folder"] as const;

const column = z.object({ name: z.string(), type: z.string() });

/** `GET /catalog`: the databases, which are the buckets. */
export const catalogDatabases = z.object({
  databases: z.array(z.object({ name: z.string() })),
});
export type CatalogDatabases = z.infer<typeof catalogDatabases>;

/** A table in a list. */
const catalogTableSummary = z.object({
  table: z.string(),
  source: z.enum(tableSources),
  /** Format of the objects; absent in the list when it is not known. */
  format: z.enum(tableFormats).optional(),
  /** The declared columns, or those of a result, then the partition columns. Absent when the engine infers them. */
  columns: z.array(column).optional(),
});
export type CatalogTableSummary = z.infer<typeof catalogTableSummary>;

/** A view of the config. */
const catalogView = z.object({
  view: z.string(),
  /** The SELECT that it stands for. */
  query: z.string(),
  /** Names of its columns; absent when they are not known, as when no cluster is up or a table of it is gone. */
  columns: z.array(z.string()).optional(),
  /** What is wrong with its statement, when its columns are not known for that. */
  problem: z.string().optional(),
});
export type CatalogView = z.infer<typeof catalogView>;

/** `GET /catalog/<database>`: the tables and views of a database. */
export const catalogDatabase = z.object({
  database: z.string(),
  /** In the order of their names; the first 10,000 when `isCut` is true. */
  tables: z.array(catalogTableSummary),
  /** True when there are more tables. @default false */
  isCut: z.boolean().optional(),
  views: z.array(catalogView),
});
export type CatalogDatabase = z.infer<typeof catalogDatabase>;

/** A cell of a sample; null is NULL. A long cell is cut off and ends in `…`. */
const sampleCell = z.string().nullable();

/** The first rows of a table or of a result. */
const sampleRows = z.object({
  rows: z.array(z.array(sampleCell)),
  /** True when there are more rows. */
  isTruncated: z.boolean(),
});

/** `GET /catalog/<database>/<table>`: one table. */
export const catalogTable = z.object({
  database: z.string(),
  table: z.string(),
  source: z.enum(tableSources),
  /** How the table is read although objects of it are not as queries wrote them. */
  note: z.string().optional(),
  format: z.enum(tableFormats),
  /** Folder of the objects. */
  location: z.string(),
  columns: z.array(column),
  /**
   * True when the columns are inferred from the data: from the first rows of the first objects, unless these are Parquet.
   * A query reads all rows of csv, tsv and json, and may find other types and more columns.
   */
  isInferred: z.boolean(),
  /** Number and size of the objects; of the first 10,000 when `isCut` is true. */
  objects: integer,
  bytes: integer,
  isCut: z.boolean(),
  /** Names of the columns whose values the folders give; they are the last of `columns`. */
  partitionColumns: z.array(z.string()),
  /** The partitions, such as `dt=2026-01-01/h=5`, with their objects; at most 1,000. */
  partitions: z.array(z.object({ name: z.string(), objects: integer, bytes: integer })),
  sample: sampleRows,
});
export type CatalogTable = z.infer<typeof catalogTable>;

/** `GET /objects?prefix=dag://<bucket>/<path>/&max=<n>&marker=<location>`: the objects of a folder, by name. */
export const objectPage = z.object({
  objects: z.array(z.object({ location: z.string(), size: integer, lastModified: z.string() })),
  isTruncated: z.boolean(),
  /** Location of the page's last object, when there are more. */
  nextMarker: z.string().optional(),
});
export type ObjectPage = z.infer<typeof objectPage>;

/** `PUT /objects/<bucket>/<path>?overwrite=true`: the object that was stored. */
export const uploadedObject = z.object({ location: z.string(), size: integer });
export type UploadedObject = z.infer<typeof uploadedObject>;

/** `GET /results/<queryId>?after=<next>`: the objects of a finished select's result and a page of its rows. */
export const resultSample = z.object({
  location: z.string(),
  /**
   * Present when the objects at `location` are not those that the query published: no object and no row is answered.
   * `queryId` is the last query that wrote its own result there.
   */
  replaced: z.object({ queryId: integer.optional(), reason: z.string() }).optional(),
  /** The first 100 objects. */
  page: objectPage,
  /**
   * Names of the columns as the query had them. For a query of a version that did not keep them, those of the statement;
   * absent when they are not known, as when a table of a `*` is gone.
   */
  columns: z.array(z.string()).optional(),
  /** Types of the columns in HiveQL, in their order; absent for a query of a version that did not keep them. */
  types: z.array(z.string()).optional(),
  /** Number of all rows; absent when it is not known. */
  rows: integer.optional(),
  /** The first 100 rows, or those behind `after`. */
  sample: sampleRows,
  /** The `after` of the next page of rows; absent at the end. */
  next: z.string().optional(),
});
export type ResultSample = z.infer<typeof resultSample>;

/** `GET /outputs/<bucket>/<path>`: what a result in a folder would replace; only the location when it is empty. */
export const outputFolder = z.object({
  location: z.string(),
  /** The select whose result is there, as it wrote it. */
  queryId: integer.optional(),
  /** What is there, or is around it, when it is not the result of a select: a sentence without its period. */
  others: z.string().optional(),
  /** True when `others` is the table around the folder, of which nothing outside the folder is deleted. @default false */
  isInside: z.boolean().optional(),
  /** The last split that wrote a table there; `change` says which objects are not those that it published, if any. */
  split: z.object({ queryId: integer, change: z.string().optional() }).optional(),
});
export type OutputFolder = z.infer<typeof outputFolder>;

/** Body of `POST /check`. */
export const checkRequest = z.strictObject({
  query: wellFormed(z.string({ error: "it must be a text" })),
  clusterName: z.string({ error: "it must be a text" }).optional(),
});

/** A problem of a statement. */
const statementProblem = z.object({
  /** From 1; 0 when the problem has no position. */
  line: integer,
  column: integer,
  message: z.string(),
  severity: z.enum(["error", "warning"]),
  /** Code of the error that a submission of the statement gets. */
  code: z.string().optional(),
});

/** `POST /check`: the problems of a statement, without running it. */
export const checkAnswer = z.object({
  problems: z.array(statementProblem),
  /** The cluster whose engine checked the statement: another one than was named when that one is down. */
  clusterName: z.string().optional(),
});
export type CheckAnswer = z.infer<typeof checkAnswer>;

/** A measurement of a cluster. */
const usagePoint = z.object({
  /** Milliseconds since 1970. */
  time: integer,
  running: integer,
  /** Memory of the cluster's processes in bytes; null where the system does not report it. */
  memory: integer.nullable(),
  /** Bytes of all objects of the storage; null when they could not be measured. */
  disk: integer.nullable(),
});
export type UsagePoint = z.infer<typeof usagePoint>;

/** `GET /usage?since=<time>`: the measurements of the last hour, one in five seconds, for each cluster. */
export const usageAnswer = z.object({
  clusters: z.array(
    z.object({
      name: z.string(),
      /** Maximum number of queries that run at the same time. */
      slots: integer,
      /** The cluster's memory limit in bytes. */
      memoryLimit: integer,
      points: z.array(usagePoint),
    }),
  ),
});
export type UsageAnswer = z.infer<typeof usageAnswer>;

/** `GET /console/config.json`: what a client must know before it can sign, and the team's site that explains errors. */
export const consoleConfig = z.object({
  scheme: z.string(),
  headerPrefix: z.string(),
  docs: z.string().optional(),
  /** True when the service takes the header `Idempotency-Key`, so that a request can be repeated. */
  idempotencyKeys: z.boolean().optional(),
});
export type ConsoleConfig = z.infer<typeof consoleConfig>;
