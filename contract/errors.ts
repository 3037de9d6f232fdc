/**
 * Every error code of the service: the client throws these classes, the service returns them, and the documentation
 * lists this table. Match errors by class (`instanceof errors.ClusterNotFound`) or by `code`, never by message.
 */
import { printable, printableText } from "./printable";

interface ErrorEntry {
  /** HTTP status of the response. */
  readonly status: number;
  /** Meaning of the code, in the specification's words if the specification defines the code. */
  readonly meaning: string;
  /** Document that defines the code: the specification's section 7, the design, or HTTP itself. */
  readonly source: "api" | "service" | "http";
}

const fromApi = (status: 400 | 404, meaning: string): ErrorEntry => ({
  status,
  meaning,
  source: "api",
});
const fromService = (status: number, meaning: string): ErrorEntry => ({ status, meaning, source: "service" });
const fromHttp = (status: number, meaning: string): ErrorEntry => ({ status, meaning, source: "http" });

export const errorTable = {
  InvalidClusterState: fromApi(
    400,
    "the cluster is in a status that does not allow the operation, or is no longer configured",
  ),
  InvalidClusterName: fromApi(400, "cluster name is invalid"),
  InvalidClusterType: fromApi(400, "cluster type is invalid"),
  InvalidDatabaseName: fromApi(400, "database name is invalid"),
  InvalidTableName: fromApi(400, "table name is invalid"),
  InvalidOutputFormat: fromApi(400, "outputFormat value is invalid"),
  InvalidOutputResourcePath: fromApi(400, "outputResourcePath (or the log export destination) is invalid"),
  InvalidInputFormat: fromApi(400, "input format value is invalid"),
  InvalidFormat: fromApi(400, "format value is invalid"),
  InvalidInputObjectKeys: fromApi(400, "inputObjectKeys value is invalid"),
  InvalidSchema: fromApi(400, "schema value is invalid"),
  InvalidDDLStatement: fromApi(400, "the schema cannot be used for a table"),
  InvalidDMLStatement: fromApi(400, "the HiveQL statement is invalid"),
  InvalidQueryId: fromApi(400, "queryId value is invalid"),
  InvalidQueryState: fromApi(
    400,
    "the query has ended or its result is being published, so that it cannot be cancelled, or its log was deleted by a restart of its cluster",
  ),
  InvalidQueryType: fromApi(400, "queries of this type have no log"),
  LabelIsTooLong: fromApi(400, "label is too long"),
  TooManyQueries: fromApi(
    400,
    "the cluster already runs its maximum of (instances − 1) queries, or cannot take another submission now",
  ),
  StorageAccessError: fromApi(400, "access to storage failed"),
  OutputTableAlreadyExists: fromApi(400, "the output table already exists"),
  QueryIsRunning: fromApi(400, "a query is running on the cluster, so it cannot be restarted"),
  ExportLogIsAlreadyRunning: fromApi(400, "a log export is already running on the cluster"),
  ClusterNotFound: fromApi(404, "the cluster does not exist"),
  DatabaseNotFound: fromApi(404, "database does not exist"),
  OutputBucketIsNotFound: fromApi(404, "output bucket does not exist"),
  InputBucketIsNotFound: fromApi(
    404,
    "input bucket (named in the FROM clause database or in inputObjectKeys) does not exist",
  ),
  InputObjectNotFound: fromApi(404, "an object in inputObjectKeys does not exist"),
  QueryNotFound: fromApi(404, "the query does not exist"),

  InvalidParameter: fromService(400, "a body field or query parameter is unknown, of the wrong type or out of range"),
  MalformedJSON: fromService(400, "the request body is not a JSON object, has a field twice, or is nested too deep"),
  AccessDenied: fromService(403, "the request has no valid Authorization header or date"),
  InvalidAccessKeyId: fromService(403, "the access key identifier is unknown"),
  SignatureDoesNotMatch: fromService(403, "the signature does not match the request"),
  RequestTimeTooSkewed: fromService(403, "the Date header differs too much from the service's clock"),
  ResourceNotFound: fromService(404, "no operation exists for this path and operation key"),
  MethodNotAllowed: fromService(405, "the path does not support this HTTP method"),

  RequestTimeout: fromHttp(408, "the service did not receive the whole request in time"),
  EntityTooLarge: fromHttp(413, "the request body is larger than the service accepts"),
  TooManyRequests: fromHttp(429, "the client sends more requests than the service accepts"),
  InternalError: fromHttp(500, "the service failed while it handled the request"),
  ServiceUnavailable: fromHttp(503, "the service cannot handle the request now"),
} as const satisfies Record<string, ErrorEntry>;

/** An error code of {@link errorTable}. */
export type ErrorCode = keyof typeof errorTable;

/** All error codes, in the order of the table. */
export const errorCodes = Object.keys(errorTable) as ErrorCode[];

/** Details of an error besides its code and message. */
export interface ApiErrorDetails {
  /** Value of the response's `x-svc-request-id` header. */
  readonly requestId?: string;
  /** Path and operation key of the request that failed. */
  readonly resource?: string;
  /** Name of the operation, such as `submitSelect`. */
  readonly operation?: string;
  /** HTTP status of the response. @default the status of the code in the table */
  readonly status?: number;
  /** Body field or query parameter that has the invalid value. */
  readonly field?: string;
  /** Delay of the response's Retry-After header, in milliseconds. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/** An error of the service: `code` classifies it, `message` describes it, without control characters. */
export class ApiError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly resource: string | undefined;
  readonly operation: string | undefined;
  readonly field: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: Code, message: string, details: ApiErrorDetails = {}) {
    super(printableText(message), details.cause === undefined ? undefined : { cause: details.cause });
    this.name = printable(code);
    this.code = code;
    this.status = details.status ?? (isErrorCode(code) ? errorTable[code].status : 500);
    this.requestId = details.requestId;
    this.resource = details.resource;
    this.operation = details.operation;
    this.field = details.field;
    this.retryAfter = details.retryAfter;
  }
}

/** One error class per code, such as `new errors.QueryNotFound("query 7 does not exist")`. */
export const errors = Object.fromEntries(
  errorCodes.map((code) => [
    code,
    class extends ApiError {
      static {
        Object.defineProperty(this, "name", { value: code });
      }

      constructor(message: string, details?: ApiErrorDetails) {
        super(code, message, details);
      }
    },
  ]),
) as unknown as { readonly [Code in ErrorCode]: new (message: string, details?: ApiErrorDetails) => ApiError<Code> };

/** Creates the error of a code that a response contains; a plain {@link ApiError} if the code is not in the table. */
export function apiError(code: string, message: string, details?: ApiErrorDetails): ApiError {
  return isErrorCode(code) ? new errors[code](message, details) : new ApiError(code, message, details);
}

/** Returns true when the code is in {@link errorTable}. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}
