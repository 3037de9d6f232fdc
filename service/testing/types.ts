/** Written by "npm run generate" from the zod schemas: change the declarations there. */

/** A rule of fault injection. */
export type FaultRule = {
  /** Operation, such as `getQuery`; `*` matches every operation. */
  readonly operation:
    | "*"
    | "submitSelect"
    | "submitSplit"
    | "listQueries"
    | "getQuery"
    | "cancelQuery"
    | "getQueryLog"
    | "restartCluster"
    | "listClusters"
    | "getCluster"
    | "getClusterStatistics"
    | "exportClusterLog";
  /** Share of the requests that the rule applies to, 0 to 1. */
  readonly probability: number;
  /** Error code of the response; the operation is not run. */
  readonly code?:
    | "InvalidClusterState"
    | "InvalidClusterName"
    | "InvalidClusterType"
    | "InvalidDatabaseName"
    | "InvalidTableName"
    | "InvalidOutputFormat"
    | "InvalidOutputResourcePath"
    | "InvalidInputFormat"
    | "InvalidFormat"
    | "InvalidInputObjectKeys"
    | "InvalidSchema"
    | "InvalidDDLStatement"
    | "InvalidDMLStatement"
    | "InvalidQueryId"
    | "InvalidQueryState"
    | "InvalidQueryType"
    | "LabelIsTooLong"
    | "TooManyQueries"
    | "StorageAccessError"
    | "OutputTableAlreadyExists"
    | "QueryIsRunning"
    | "ExportLogIsAlreadyRunning"
    | "ClusterNotFound"
    | "DatabaseNotFound"
    | "OutputBucketIsNotFound"
    | "InputBucketIsNotFound"
    | "InputObjectNotFound"
    | "QueryNotFound"
    | "InvalidParameter"
    | "MalformedJSON"
    | "AccessDenied"
    | "InvalidAccessKeyId"
    | "SignatureDoesNotMatch"
    | "RequestTimeTooSkewed"
    | "ResourceNotFound"
    | "MethodNotAllowed"
    | "RequestTimeout"
    | "EntityTooLarge"
    | "TooManyRequests"
    | "InternalError"
    | "ServiceUnavailable"
    | undefined;
  /** Delay of the response in milliseconds. */
  readonly latencyMs?: number | undefined;
  /** Drops the connection `before` the operation runs (same as `true`) or `after` it, without a response. */
  readonly dropConnection?: boolean | "before" | "after" | undefined;
};

/** `clusters` of the config file. */
export type Clusters = {
  readonly name: string;
  /** Engine family. */
  readonly type?: string | undefined;
  readonly debug?: boolean | undefined;
  /** The engine's memory limit. */
  readonly memory?: string | number | undefined;
  readonly instances?:
    | {
        readonly grade: string;
        readonly quantity: number;
      }[]
    | undefined;
}[];

/** `tables` of the config file. */
export type Tables = {
  readonly database: string;
  readonly table: string;
  readonly format?: "csv" | "tsv" | "json" | "parquet" | undefined;
  /** `<type> <name>, …`; without it the columns are read from the data. */
  readonly schema?: string | undefined;
  /** `<type> <name>, …`: the columns whose values the folders `name=value/` give, from the outermost. */
  readonly partitions?: string | undefined;
}[];

/** `views` of the config file. */
export type Views = {
  readonly database: string;
  readonly view: string;
  /** One SELECT. */
  readonly query: string;
}[];

/** `signature` of the config file. */
export type Signature = {
  readonly scheme?: string | undefined;
  readonly headerPrefix?: string | undefined;
  readonly maxSkewSeconds?: number | undefined;
};
