/** What we use of Thrift: HiveServer2's messages as hive-driver generates them, and the transports of thrift. */
import { thrift as generated } from "hive-driver";

interface HandleIdentifier {
  readonly guid?: Uint8Array;
  readonly secret?: Uint8Array;
}

/** Identifies a session or an operation of a server. */
export interface Handle {
  readonly sessionId?: HandleIdentifier | null;
  readonly operationId?: HandleIdentifier | null;
  readonly operationType?: number;
  readonly hasResultSet?: boolean;
}

export interface Status {
  readonly statusCode: number;
  readonly sqlState?: string | null;
  readonly errorCode?: number | null;
  readonly errorMessage?: string | null;
}

/** The parameters of a type, such as its precision. */
export type Qualifiers = Readonly<Record<string, { readonly i32Value?: number | null }>> | undefined;

interface TypeEntry {
  readonly primitiveEntry?: {
    readonly type: number;
    readonly typeQualifiers?: { readonly qualifiers?: Qualifiers } | null;
  } | null;
}

/** A column of a result. */
export interface ResultColumn {
  readonly columnName: string;
  readonly typeDesc: { readonly types: readonly TypeEntry[] };
}

interface WithStatus {
  readonly status: Status;
}

/** The answers that we read, by call. */
export interface Answers {
  OpenSession: WithStatus & { readonly sessionHandle: Handle };
  CloseSession: WithStatus;
  ExecuteStatement: WithStatus & { readonly operationHandle: Handle };
  GetOperationStatus: WithStatus & {
    readonly operationState: number;
    readonly sqlState?: string | null;
    readonly errorMessage?: string | null;
    readonly progressUpdateResponse?: { readonly progressedPercentage?: number } | null;
  };
  GetResultSetMetadata: WithStatus & { readonly schema?: { readonly columns: readonly ResultColumn[] } | null };
  FetchResults: WithStatus & {
    readonly results?: {
      readonly columns?: readonly { readonly stringVal?: { readonly values: readonly string[] } | null }[] | null;
    } | null;
  };
  CancelOperation: WithStatus;
  CloseOperation: WithStatus;
  GetInfo: WithStatus & { readonly infoValue?: { readonly stringValue?: string | null } | null };
  GetQueryId: { readonly queryId: string };
}
export type CallName = keyof Answers;

/** Sends calls to a transport, and reads their answers. */
export interface ThriftClient {
  _reqs: Record<number, (error: unknown, answer: unknown) => void>;
}

type Transport = new (buffer: undefined, flush: (bytes: Buffer) => void) => object;
interface TransportClass extends Transport {
  receiver(onData: (transport: ReadTransport) => void): (data: Buffer) => void;
}
interface ReadTransport {
  commitPosition(): void;
  rollbackPosition(): void;
}
interface MessageReader {
  readMessageBegin(): { readonly fname: string; readonly mtype: number; readonly rseqid: number };
}

interface ThriftPackage {
  readonly TBufferedTransport: TransportClass;
  readonly TFramedTransport: TransportClass;
  /** With `strict`, a message without the version of the protocol is refused. */
  readonly TBinaryProtocol: new (transport: ReadTransport, strict: boolean) => MessageReader;
}

// eslint-disable-next-line typescript/no-require-imports -- the package has no types
export const thrift = require("thrift") as ThriftPackage;

type Constructor = new (fields: object) => object;

/** The classes of the messages, such as `TOpenSessionReq`. */
export const types = generated.TCLIService_types as Readonly<Record<string, Constructor>>;

/** Creates a client that writes to a transport. */
export function createThriftClient(transport: object): ThriftClient {
  const { Client } = generated.TCLIService as {
    readonly Client: new (output: object, protocol: unknown) => ThriftClient;
  };
  return new Client(transport, thrift.TBinaryProtocol);
}

/** The numbers of TStatusCode that mean success. */
export const isSuccess = ({ statusCode }: Status) => statusCode === 0 || statusCode === 1;

/** The numbers of TOperationState. */
export const operationState = {
  initialized: 0,
  running: 1,
  finished: 2,
  canceled: 3,
  closed: 4,
  error: 5,
  unknown: 6,
  pending: 7,
  timedOut: 8,
} as const;
