/**
 * The eleven operations (specification §4), one entry each: the service routes by this table, the client calls by it,
 * and the documentation lists it.
 */
import * as z from "zod";
import type { ErrorCode } from "./errors";
import * as fields from "./fields";
import * as records from "./records";

/** One operation of the API. */
export interface Operation {
  /** Section of the specification. */
  readonly section: `4.${number}`;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path; `{queryId}` and `{clusterName}` stand for the path's parameter. */
  readonly path: "/v1/" | "/v1/{queryId}" | "/v1/{queryId}/log" | `/v1/{clusterName}${"" | "/statistics" | "/log"}`;
  /** Query-string key that selects the operation family. */
  readonly key: "select" | "split" | "query" | "clusterManagement";
  /** JSON body; absent where the operation has none. Optional fields may be null, which means left out. */
  readonly body?: z.ZodObject;
  /** Whether the body may be empty, which means `{}`. */
  readonly emptyBody?: boolean;
  /** Other query parameters, as typed values. */
  readonly parameters?: z.ZodObject;
  readonly success: 200 | 202 | 204;
  /** Body of the success answer; absent where it has none. */
  readonly response?: z.ZodType;
  /** The errors that the specification names for the operation. */
  readonly errors: readonly ErrorCode[];
}

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish();

export const operations = {
  submitSelect: {
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
    section: "4.4",
    method: "GET",
    path: "/v1/{queryId}",
    key: "query",
    success: 200,
    response: records.queryRecord,
    errors: ["InvalidQueryId", "QueryNotFound"],
  },
  cancelQuery: {
    section: "4.5",
    method: "DELETE",
    path: "/v1/{queryId}",
    key: "query",
    success: 204,
    errors: ["InvalidQueryId", "InvalidQueryState", "QueryNotFound"],
  },
  getQueryLog: {
    section: "4.6",
    method: "GET",
    path: "/v1/{queryId}/log",
    key: "query",
    success: 200,
    response: records.queryLog,
    errors: ["InvalidClusterState", "InvalidQueryId", "InvalidQueryState", "InvalidQueryType", "QueryNotFound"],
  },
  restartCluster: {
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
    section: "4.9",
    method: "GET",
    path: "/v1/{clusterName}",
    key: "clusterManagement",
    success: 200,
    response: records.clusterRecord,
    errors: ["InvalidClusterName", "ClusterNotFound"],
  },
  getClusterStatistics: {
    section: "4.10",
    method: "GET",
    path: "/v1/{clusterName}/statistics",
    key: "clusterManagement",
    success: 200,
    response: records.clusterStatistics,
    errors: ["InvalidClusterState", "InvalidClusterName", "ClusterNotFound"],
  },
  exportClusterLog: {
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

/** Body of an operation, as a caller writes it. */
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

/** Body of an operation's success answer. */
export type ResponseBody<Name extends OperationName> = (typeof operations)[Name] extends {
  readonly response: infer Response extends z.ZodType;
}
  ? z.output<Response>
  : undefined;
