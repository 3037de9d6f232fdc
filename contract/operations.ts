/**
 * The eleven operations (specification §4). The service routes requests by this table, the client builds requests from
 * it, and the documentation lists it.
 */
import * as z from "zod";
import type { ErrorCode } from "./errors";
import * as fields from "./fields";
import * as records from "./records";

/** One operation of the API. */
export interface Operation {
  /** Description of the operation, for the API reference. */
  readonly summary: string;
  /** Section of the specification. */
  readonly section: `4.${number}`;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path template; `{queryId}` and `{clusterName}` are its parameters. */
  readonly path: "/v1/" | "/v1/{queryId}" | "/v1/{queryId}/log" | `/v1/{clusterName}${"" | "/statistics" | "/log"}`;
  /** Query-string key that selects the operation family. */
  readonly key: "select" | "split" | "query" | "clusterManagement";
  /**
   * Schema of the JSON body; absent if the operation has none. A null in an optional field means that it is not set.
   */
  readonly body?: z.ZodObject;
  /** True when the body may be empty, which means `{}`. */
  readonly emptyBody?: boolean;
  /** Schema of the other query parameters, as typed values. */
  readonly parameters?: z.ZodObject;
  readonly success: 200 | 202 | 204;
  /** Schema of the success response's body; absent if the response has none. */
  readonly response?: z.ZodType;
  /** Errors that the specification lists for the operation. */
  readonly errors: readonly ErrorCode[];
}

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish();

export const operations = {
  submitSelect: {
    summary:
      "Submits a HiveQL SELECT. The query runs on the cluster and writes its result to `outputResourcePath`. The response is sent as soon as the query is stored.",
    section: "4.1",
    method: "POST",
    path: "/v1/",
    key: "select",
    body: z.strictObject({
      clusterName: fields.clusterName,
      query: fields.query,
      outputResourcePath: fields.outputResourcePath,
      label: optional(fields.label),
      outputFormat: optional(fields.outputFormat),
    }),
    success: 202,
    response: records.submission,
    errors: [
      "InvalidClusterState",
      "InvalidClusterName",
      "InvalidDatabaseName",
      "InvalidTableName",
      "InvalidOutputFormat",
      "InvalidOutputResourcePath",
      "LabelIsTooLong",
      "TooManyQueries",
      "StorageAccessError",
      "InvalidDMLStatement",
      "ClusterNotFound",
      "OutputBucketIsNotFound",
      "InputBucketIsNotFound",
    ],
  },
  submitSplit: {
    summary:
      "Submits a split, which splits large input objects at row boundaries into objects of at most 100 MB and writes them as a table.",
    section: "4.2",
    method: "POST",
    path: "/v1/",
    key: "split",
    body: z.strictObject({
      clusterName: fields.clusterName,
      inputObjectKeys: fields.inputObjectKeys,
      outputDatabase: fields.outputDatabase,
      outputTable: fields.outputTable,
      inputFormat: optional(fields.inputFormat),
      schema: optional(fields.schema),
      label: optional(fields.label),
    }),
    success: 202,
    response: records.submission,
    errors: [
      "InvalidClusterState",
      "InvalidClusterName",
      "InvalidDatabaseName",
      "InvalidTableName",
      "InvalidInputFormat",
      "InvalidFormat",
      "LabelIsTooLong",
      "TooManyQueries",
      "StorageAccessError",
      "InvalidInputObjectKeys",
      "InvalidSchema",
      "InvalidDDLStatement",
      "OutputTableAlreadyExists",
      "ClusterNotFound",
      "DatabaseNotFound",
      "OutputBucketIsNotFound",
      "InputBucketIsNotFound",
      "InputObjectNotFound",
    ],
  },
  listQueries: {
    summary:
      "Lists queries, newest first, one page per response. All parameters are optional filters or paging options.",
    section: "4.3",
    method: "GET",
    path: "/v1/",
    key: "query",
    parameters: z.strictObject({
      max: fields.max.optional(),
      marker: fields.queryMarker.optional(),
      status: fields.queryStatusFilter.optional(),
      type: fields.queryTypeFilter.optional(),
      labelPrefix: fields.labelPrefix.optional(),
      clusterName: fields.clusterNameFilter.optional(),
      clusterNamePrefix: fields.clusterNamePrefix.optional(),
      clusterRebooted: fields.clusterRebootedFilter.optional(),
      order: fields.order.optional(),
    }),
    success: 200,
    response: records.queryPage,
    errors: [],
  },
  getQuery: {
    summary: "Returns one query with all its fields.",
    section: "4.4",
    method: "GET",
    path: "/v1/{queryId}",
    key: "query",
    success: 200,
    response: records.queryRecord,
    errors: ["InvalidQueryId", "QueryNotFound"],
  },
  cancelQuery: {
    summary:
      "Cancels a running query. When the response is sent, the query has ended and its partial output is deleted.",
    section: "4.5",
    method: "DELETE",
    path: "/v1/{queryId}",
    key: "query",
    success: 204,
    errors: ["InvalidQueryId", "InvalidQueryState", "QueryNotFound"],
  },
  getQueryLog: {
    summary:
      "Returns the log of a select query, while it is running or after it has ended. A restart of the cluster deletes the log.",
    section: "4.6",
    method: "GET",
    path: "/v1/{queryId}/log",
    key: "query",
    success: 200,
    response: records.queryLog,
    errors: ["InvalidClusterState", "InvalidQueryId", "InvalidQueryState", "InvalidQueryType", "QueryNotFound"],
  },
  restartCluster: {
    summary: "Restarts a cluster. Its status is `restarting` until it accepts queries again. The body may be empty.",
    section: "4.7",
    method: "PUT",
    path: "/v1/{clusterName}",
    key: "clusterManagement",
    body: z.strictObject({
      force: optional(fields.force),
      type: optional(fields.clusterType),
      debug: optional(fields.debug),
    }),
    emptyBody: true,
    success: 204,
    errors: ["QueryIsRunning", "InvalidClusterState", "InvalidClusterName", "InvalidClusterType", "ClusterNotFound"],
  },
  listClusters: {
    summary:
      "Lists clusters, ordered by name, from Z to A by default, one page per response. All parameters are optional filters or paging options.",
    section: "4.8",
    method: "GET",
    path: "/v1/",
    key: "clusterManagement",
    parameters: z.strictObject({
      max: fields.max.optional(),
      marker: fields.clusterMarker.optional(),
      status: fields.clusterStatusFilter.optional(),
      type: fields.clusterTypeFilter.optional(),
      clusterName: fields.clusterNameFilter.optional(),
      clusterNamePrefix: fields.clusterNamePrefix.optional(),
      order: fields.order.optional(),
    }),
    success: 200,
    response: records.clusterPage,
    errors: [],
  },
  getCluster: {
    summary: "Returns one cluster.",
    section: "4.9",
    method: "GET",
    path: "/v1/{clusterName}",
    key: "clusterManagement",
    success: 200,
    response: records.clusterRecord,
    errors: ["InvalidClusterName", "ClusterNotFound"],
  },
  getClusterStatistics: {
    summary:
      "Returns the disk usage of the storage, which all clusters share, in bytes, in equal parts for the instances of the cluster.",
    section: "4.10",
    method: "GET",
    path: "/v1/{clusterName}/statistics",
    key: "clusterManagement",
    success: 200,
    response: records.clusterStatistics,
    errors: ["InvalidClusterState", "InvalidClusterName", "StorageAccessError", "ClusterNotFound"],
  },
  exportClusterLog: {
    summary:
      "Writes the log files of a cluster to storage. The response is sent when all files are written. A cluster runs one export at a time.",
    section: "4.11",
    method: "PUT",
    path: "/v1/{clusterName}/log",
    key: "clusterManagement",
    body: z.strictObject({
      outputLogPath: fields.outputLogPath,
      compress: optional(fields.compress),
    }),
    success: 204,
    errors: [
      "ExportLogIsAlreadyRunning",
      "InvalidClusterState",
      "InvalidClusterName",
      "InvalidOutputResourcePath",
      "StorageAccessError",
      "ClusterNotFound",
    ],
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
export const operationNames = Object.keys(operations) as OperationName[];

/** Request body of an operation, as the caller passes it. */
export type RequestBody<Name extends OperationName> = (typeof operations)[Name] extends {
  readonly body: infer Body extends z.ZodType;
}
  ? z.input<Body>
  : undefined;

/** Query parameters of an operation, as typed values. */
export type RequestParameters<Name extends OperationName> = (typeof operations)[Name] extends {
  readonly parameters: infer Parameters extends z.ZodType;
}
  ? z.input<Parameters>
  : undefined;

/** Body of an operation's success response. */
export type ResponseBody<Name extends OperationName> = (typeof operations)[Name] extends {
  readonly response: infer Response extends z.ZodType;
}
  ? z.output<Response>
  : undefined;
