/**
 * Every error code of the service, declared once: the client raises these classes, the service answers
 * them, the documentation lists this table. Match by class (`instanceof errors.ClusterNotFound`) or by
 * `code`, never by message.
 */

interface ErrorEntry {
  /** HTTP status of the answer. */
  readonly status: number;
  /** What the code says, in the specification's words where it has any. */
  readonly meaning: string;
  /** Where the code comes from: the specification's section 7, or the section of the design that adds it. */
  readonly source: "specification §7" | "design §2" | "HTTP";
}

const specified = (status: 400 | 404, meaning: string): ErrorEntry => ({ status, meaning, source: "specification §7" });
const decided = (status: number, meaning: string): ErrorEntry => ({ status, meaning, source: "design §2" });
const http = (status: number, meaning: string): ErrorEntry => ({ status, meaning, source: "HTTP" });

export const errorTable = {
  InvalidClusterState: specified(400, "cluster is in a status that does not allow the operation"),
  InvalidClusterName: specified(400, "cluster name is invalid"),
  InvalidClusterType: specified(400, "cluster type is invalid"),
  InvalidDatabaseName: specified(400, "database name is invalid"),
  InvalidTableName: specified(400, "table name is invalid"),
  InvalidOutputFormat: specified(400, "outputFormat value is invalid"),
  InvalidOutputResourcePath: specified(400, "outputResourcePath (or the log export destination) is invalid"),
  InvalidInputFormat: specified(400, "input format value is invalid"),
  InvalidFormat: specified(400, "format value is invalid"),
  InvalidInputObjectKeys: specified(400, "inputObjectKeys value is invalid"),
  InvalidSchema: specified(400, "schema value is invalid"),
  InvalidDDLStatement: specified(400, "an unusable schema was given"),
  InvalidDMLStatement: specified(400, "the HiveQL statement is invalid"),
  InvalidQueryId: specified(400, "queryId value is invalid"),
  InvalidQueryState: specified(400, "query is in a status that cannot be cancelled"),
  InvalidQueryType: specified(400, "query type has no log"),
  LabelIsTooLong: specified(400, "label is too long"),
  TooManyQueries: specified(400, "the cluster already runs (instances − 1) queries"),
  StorageAccessError: specified(400, "access to storage failed"),
  OutputTableAlreadyExists: specified(400, "the output table already exists"),
  QueryIsRunning: specified(400, "a query is running on the cluster"),
  ExportLogIsAlreadyRunning: specified(400, "log export already runs on the cluster"),
  ClusterNotFound: specified(404, "cluster name does not exist"),
  DatabaseNotFound: specified(404, "database does not exist"),
  OutputBucketIsNotFound: specified(404, "output bucket does not exist"),
  InputBucketIsNotFound: specified(
    404,
    "input bucket (named in the FROM clause database or in inputObjectKeys) does not exist",
  ),
  InputObjectNotFound: specified(404, "an object in inputObjectKeys does not exist"),
  QueryNotFound: specified(404, "query id does not exist"),

  InvalidParameter: decided(400, "a body field or query parameter is unknown, of the wrong type or out of range"),
  MalformedJSON: decided(400, "the request body is not a JSON object"),
  AccessDenied: decided(403, "the request carries no usable Authorization header"),
  InvalidAccessKeyId: decided(403, "the access key identifier is unknown"),
  SignatureDoesNotMatch: decided(403, "the signature does not match the request"),
  RequestTimeTooSkewed: decided(403, "the Date header differs too much from the service's clock"),
  ResourceNotFound: decided(404, "no operation has this path or operation key"),
  MethodNotAllowed: decided(405, "no operation of this path has this method"),

  RequestTimeout: http(408, "the request took too long to arrive"),
  EntityTooLarge: http(413, "the request body is larger than the service accepts"),
  TooManyRequests: http(429, "requests arrive faster than the service accepts them"),
  InternalError: http(500, "the service failed to handle the request"),
  ServiceUnavailable: http(503, "the service cannot take the request now"),
} as const satisfies Record<string, ErrorEntry>;

/** A code of {@link errorTable}. */
export type ErrorCode = keyof typeof errorTable;

/** The codes, in the order of the table. */
export const errorCodes = Object.keys(errorTable) as ErrorCode[];

/** What an error knows besides its code and message. */
export interface ApiErrorDetails {
  /** Value of the `x-svc-request-id` header of the answer. */
  readonly requestId?: string;
  /** Path and operation key of the request that failed. */
  readonly resource?: string;
  /** Name of the operation, such as `submitSelect`. */
  readonly operation?: string;
  /** The HTTP status that really arrived; the table's own where none is given. */
  readonly status?: number;
  /** Body field or query parameter that is at fault, where it is one. */
  readonly field?: string;
  /** Milliseconds that the answer's Retry-After header asks to wait. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/** An error of the service: what is wrong, in `message`; what it is, in `code`. */
export class ApiError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly resource: string | undefined;
  readonly operation: string | undefined;
  readonly field: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: Code, message: string, details: ApiErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = code;
    this.code = code;
    this.status = details.status ?? (isErrorCode(code) ? errorTable[code].status : 500);
    this.requestId = details.requestId;
    this.resource = details.resource;
    this.operation = details.operation;
    this.field = details.field;
    this.retryAfter = details.retryAfter;
  }
}

/** One class per code: `new errors.QueryNotFound("query 7 does not exist")`. */
export const errors = Object.fromEntries(
  errorCodes.map((code) => [
    code,
    class extends ApiError {
      constructor(message: string, details?: ApiErrorDetails) {
        super(code, message, details);
      }
    },
  ]),
) as unknown as { readonly [Code in ErrorCode]: new (message: string, details?: ApiErrorDetails) => ApiError<Code> };

/** The error class of a code that arrived over the wire; a plain {@link ApiError} for a code that is not in the table. */
export function apiError(code: string, message: string, details?: ApiErrorDetails): ApiError {
  return isErrorCode(code) ? new errors[code](message, details) : new ApiError(code, message, details);
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}
