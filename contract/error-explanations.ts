/**
 * What causes each error code of the service and what to do about it, for `dag-service explain` and docs/errors.md. What
 * a code means is in `errors.ts`; the message of an error names the field and the value.
 */
import type { ErrorCode } from "./errors";

/** Sentences about a code. */
export interface ErrorExplanation {
  /** What usually leads to it. */
  readonly cause: string;
  /** What the caller, or else the operator, does. */
  readonly remedy: string;
}

/** The explanation of every code. */
export const errorExplanations: Readonly<Record<ErrorCode, ErrorExplanation>> = {
  InvalidClusterState: {
    cause:
      "The cluster is starting, restarting or failed, so it takes no queries; its engine ended while it checked the statement, or it is no longer configured.",
    remedy:
      "Wait until its status is norm: GET /v1/{clusterName}?clusterManagement shows it, and the Pulumi provider waits by itself, 30 seconds for a failed one. If it stays failed, read logs/<cluster>/cluster.log in the service's data folder.",
  },
  InvalidClusterName: {
    cause:
      "The name is missing, is longer than 64 characters, begins with another character than a letter or digit, or has other characters than letters, digits, dot, underscore and hyphen.",
    remedy: "Write the name of a cluster as the list of clusters has it.",
  },
  InvalidClusterType: {
    cause: "A restart names an engine family that the service does not have.",
    remedy: "Leave type out to keep the cluster's, or use one that the message lists.",
  },
  InvalidDatabaseName: {
    cause: "A statement or a split names a database that cannot be the name of a bucket.",
    remedy: "A database is a bucket: use its name, in lower case.",
  },
  InvalidTableName: {
    cause:
      "The name of a table is empty, too long, reserved (tmp), or has other characters than a table may have; or a statement reads a table that does not exist.",
    remedy:
      "Use lower-case letters, digits and underscores, and another name than tmp; the message says which tables there are, or how to see them.",
  },
  InvalidOutputFormat: {
    cause: "The value of outputFormat is neither csv nor tsv.",
    remedy: "Write csv or tsv, or leave it out for csv.",
  },
  InvalidOutputResourcePath: {
    cause:
      "The path is not dag://<bucket>/<path>/, is reserved (tmp/ and .uploads/), lies inside a table that the statement reads, an object is in place of the folder, or another running query writes there. For the log of a cluster, also: its bucket does not exist, or the folder has other objects.",
    remedy: "Choose another folder, of a bucket that exists. If a query is running there, wait until it has ended.",
  },
  InvalidInputFormat: {
    cause: "The format of a split's inputs is not one that the API has.",
    remedy: "Use a format that the message lists, or leave it out.",
  },
  InvalidFormat: {
    cause:
      "The first 64 KiB of an object are not what its format says: binary data, damaged gzip, a line that is no JSON object, or a format that is not read, such as ORC, Avro and archives.",
    remedy:
      "Convert them to csv, tsv or json, as plain text or gzip; in the folder of a table, Parquet too, which a split does not read.",
  },
  InvalidInputObjectKeys: {
    cause: "The list is empty, has more than 10,000 objects, or names something that is no object.",
    remedy: "List 1 to 10,000 objects, each as dag://<bucket>/<key>.",
  },
  InvalidSchema: {
    cause: "The schema is not a list of <type> <name>, separated by commas, or has a nested type.",
    remedy: 'Write it as "bigint id, string name, decimal(10,2) amount".',
  },
  InvalidDDLStatement: {
    cause:
      "The schema is a list of columns that no table can have, such as one with a name twice or with an unknown type.",
    remedy: "The message names the column. Rename it, or declare it as string.",
  },
  InvalidDMLStatement: {
    cause:
      "The statement is not one SELECT, names a column or a function that does not exist, or uses HiveQL that the embedded engine does not answer as Hive does.",
    remedy:
      "The message has line, column and the reason, mostly with what to write instead. The commonest refusals are a page of the documentation, refusals.",
  },
  InvalidQueryId: {
    cause: `The ID in the path is not a whole number from 1 to ${Number.MAX_SAFE_INTEGER}.`,
    remedy: "Use the queryId of the submission's answer.",
  },
  InvalidQueryState: {
    cause:
      "The query has already ended, its result is being published, or a restart of its cluster has deleted its log.",
    remedy:
      "Nothing is left to cancel: read its status, which is `running` until a result is published. Read a log before the cluster is restarted.",
  },
  InvalidQueryType: {
    cause: "The log of a split was asked for; splits have none.",
    remedy: "Export the logs of the cluster: what the split did is in its cluster.log.",
  },
  LabelIsTooLong: {
    cause: "A label has at most 255 characters; the Pulumi provider adds 13 of its own.",
    remedy: "Shorten it.",
  },
  TooManyQueries: {
    cause:
      "All slots of the cluster are taken: it runs one query fewer than it has instances. Or too many submissions are being checked.",
    remedy:
      "Try again when a query has ended; the Pulumi provider waits by itself. If it happens often, give the cluster more instances; with one, it runs no query.",
  },
  StorageAccessError: {
    cause:
      "An object or folder cannot be read or written: no such bucket, permissions, a link out of the storage, or S3 refuses.",
    remedy:
      "The message names the location. Correct its name or permissions, or the service's access to the S3 server.",
  },
  OutputTableAlreadyExists: {
    cause: "A split creates a table, and its folder has objects, a running query writes there, or a view has its name.",
    remedy:
      "Use another outputTable, or delete the old table; in Pulumi, deletionPolicy purge does that when a table is replaced.",
  },
  QueryIsRunning: {
    cause: "A restart would end queries that run on the cluster.",
    remedy: "Wait for them (drain in Pulumi), or send force: true, which cancels them.",
  },
  ExportLogIsAlreadyRunning: {
    cause: "A cluster exports its logs once at a time.",
    remedy: "Wait until the other export has answered.",
  },
  ClusterNotFound: {
    cause: "The service has no cluster of this name; or the request went to another service.",
    remedy: "The message lists the clusters. Compare the endpoint with the one that you mean.",
  },
  DatabaseNotFound: {
    cause: "A split writes a database, and there is no bucket of its name.",
    remedy: "Create the bucket, or correct the name.",
  },
  OutputBucketIsNotFound: {
    cause: "The bucket of the output does not exist; the service creates none.",
    remedy: "Create it: a folder in the storage's folder, or a bucket on S3.",
  },
  InputBucketIsNotFound: {
    cause: "The bucket of an input object or of a table in FROM does not exist.",
    remedy: "Create it, or correct the name, which the message has.",
  },
  InputObjectNotFound: {
    cause: "An object of inputObjectKeys is not there, or was not yet when the split was submitted.",
    remedy: "Put it there first, or correct the key; upper and lower case count.",
  },
  QueryNotFound: {
    cause: "There was no query with this ID, or its record was deleted after the retention time.",
    remedy: "Results stay when records are deleted: read them in storage. Keep records longer with retention.",
  },
  InvalidParameter: {
    cause: "A field or a query parameter is unknown, has a wrong type or is out of range.",
    remedy: "The message names it and what is allowed. Misspelt fields are refused, never ignored.",
  },
  MalformedJSON: {
    cause: "The body is not JSON, is no object, or has more than 32 levels.",
    remedy: "Send one JSON object with Content-Type application/json.",
  },
  AccessDenied: {
    cause: "The request is not signed, or asks for a path of the service's own machine from elsewhere.",
    remedy:
      "Sign it as docs/api.md describes; the client, the provider and dag-service sql do so. Read /metrics on the machine itself.",
  },
  InvalidAccessKeyId: {
    cause: "The service does not know the key: it was replaced, or belongs to another service.",
    remedy:
      "Set DAG_ACCESS_KEY_ID and DAG_SECRET_ACCESS_KEY of this service; its operator finds them in its config or in credentials.json.",
  },
  SignatureDoesNotMatch: {
    cause: "The secret is wrong, or a proxy on the way has changed the path, the query string, Content-Type or Date.",
    remedy: "Compare the secret. If it is right, let the proxy forward path and query string as they are.",
  },
  RequestTimeTooSkewed: {
    cause: "The clocks of caller and service differ by more than 15 minutes.",
    remedy: "Set the clock of the machine that is wrong, by NTP.",
  },
  ResourceNotFound: {
    cause: "No operation has this path and operation key, such as ?query.",
    remedy: "Compare the request line with docs/api.md.",
  },
  MethodNotAllowed: {
    cause: "The path exists, and not with this HTTP method.",
    remedy: "Use the method of docs/api.md.",
  },
  RequestTimeout: {
    cause: "Headers took longer than 10 seconds, or the whole request longer than 30.",
    remedy: "Send the body at once, with its Content-Length.",
  },
  EntityTooLarge: {
    cause: "The body has more than 1 MiB, or the headers more than 16 KiB.",
    remedy: "Shorten the statement, or split the list of inputs over several requests.",
  },
  TooManyRequests: {
    cause: "Something between caller and service limits the rate of requests.",
    remedy: "Wait as long as Retry-After says; the client does so for GET and DELETE.",
  },
  InternalError: {
    cause: "A fault of the service.",
    remedy: "Its log has the reason under the requestId of the answer. Report it with that line.",
  },
  ServiceUnavailable: {
    cause:
      "The disk of the state is full, the state or the folder of the buckets is gone, PostgreSQL or the cluster's Hive or Spark server does not answer, the process that checked the statement ended, or the service is stopping.",
    remedy:
      "Try again later: the client does so for GET and DELETE, and the Pulumi resources for submissions too. The operator finds the reason in the log and in GET /healthz on the machine.",
  },
};
