/** A session of a HiveServer2 on a connection of its own; it ends with the connection. */
import type { HiveConnection } from "./connection";
import { HiveServerError, UnknownStatementError } from "./errors";
import { type Handle, isSuccess, operationState, type ResultColumn, type Status } from "./thrift";

/** Milliseconds that calls may take: of those that compile or change something, and of all others. */
const deadlines = { execute: 120_000, other: 30_000 } as const;
/** The highest version of the protocol that we speak, V10. */
const protocolVersion = 9;
/** Rows of a result that are fetched: as many as a result can have columns. */
const resultRows = 100_000;
/** The numbers of TGetInfoType. */
const infoTypes = { name: 17, version: 18 } as const;
/** Lines of the log that are fetched at a time. */
const logLines = 1000;

/** How far a running statement is. */
export interface OperationProgress {
  readonly state: "running" | "finished" | "canceled";
  /** 0 to 100. */
  readonly percent: number;
}

/** Milliseconds that the opening of a session may take by default. */
export const sessionMilliseconds = deadlines.execute;

/** The settings of a session, and how to read its errors. */
export interface SessionOptions {
  /** The server's settings for a session, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Returns the reason in a server's message. */
  reason(message: string | null | undefined): string;
}

export class HiveSession {
  /** @param milliseconds that it may take */
  static async open(
    connection: HiveConnection,
    user: string,
    sessionOptions: SessionOptions,
    milliseconds: number = sessionMilliseconds,
  ): Promise<HiveSession> {
    const configuration = Object.fromEntries(
      Object.entries(sessionOptions.settings).map(([name, value]) => [`set:hiveconf:${name}`, value]),
    );
    const request = { client_protocol: protocolVersion, username: user, configuration };
    const { status, sessionHandle } = await connection.call("OpenSession", "TOpenSessionReq", request, milliseconds);
    requireSuccess(status, sessionOptions);
    return new HiveSession(connection, sessionHandle, sessionOptions);
  }

  /** Returns a session that was opened by another connection. It does not end with this one. */
  static attached(connection: HiveConnection, handle: Handle, sessionOptions: SessionOptions): HiveSession {
    return new HiveSession(connection, handle, sessionOptions);
  }

  private constructor(
    readonly connection: HiveConnection,
    readonly handle: Handle,
    private readonly sessionOptions: SessionOptions,
  ) {}

  /** Runs a statement to its end. @throws HiveServerError with the server's reason */
  async run(statement: string): Promise<void> {
    await this.#closeOperation(await this.#execute(statement, false));
  }

  /** Runs a statement to its end, and returns the columns of its result. @throws HiveServerError */
  async columnsOf(statement: string): Promise<readonly ResultColumn[]> {
    const operation = await this.#execute(statement, false);
    const request = { operationHandle: operation };
    const name = "TGetResultSetMetadataReq";
    const answer = await this.connection.call("GetResultSetMetadata", name, request, deadlines.other);
    requireSuccess(answer.status, this.sessionOptions);
    await this.#closeOperation(operation);
    return answer.schema?.columns ?? [];
  }

  /** Runs a statement to its end, and returns the first rows of its result as texts. @throws HiveServerError */
  async rowsOf(statement: string): Promise<readonly (readonly string[])[]> {
    const operationHandle = await this.#execute(statement, false);
    const request = { operationHandle, orientation: 0, maxRows: resultRows, fetchType: 0 };
    const answer = await this.connection.call("FetchResults", "TFetchResultsReq", request, deadlines.other);
    requireSuccess(answer.status, this.sessionOptions);
    await this.#closeOperation(operationHandle);
    const columns = (answer.results?.columns ?? []).map((column) => column.stringVal?.values ?? []);
    return (columns[0] ?? []).map((_, row) => columns.map((values) => values[row] ?? ""));
  }

  /** Returns the server's name and version, such as `Apache Hive` and `4.0.1`. */
  async server(): Promise<{ readonly name: string; readonly version: string }> {
    return { name: await this.#info(infoTypes.name), version: await this.#info(infoTypes.version) };
  }

  /** Resolves when the server has answered. @throws HiveServerError when it does not know the session any more */
  async answer(milliseconds: number): Promise<void> {
    await this.#info(infoTypes.name, milliseconds);
  }

  /** Starts a statement; Hive has compiled it, and Spark has not, when this resolves. @throws HiveServerError */
  start(statement: string): Promise<Handle> {
    return this.#execute(statement, true);
  }

  /**
   * Returns how far a started statement is.
   * @throws HiveServerError with the server's reason when it has failed; UnknownStatementError
   */
  async progress(operationHandle: Handle): Promise<OperationProgress> {
    const request = { operationHandle, getProgressUpdate: true };
    const answer = await this.connection.call("GetOperationStatus", "TGetOperationStatusReq", request, deadlines.other);
    if (!isSuccess(answer.status)) {
      throw new UnknownStatementError(this.sessionOptions.reason(answer.status.errorMessage), undefined);
    }
    const percent = 100 * (answer.progressUpdateResponse?.progressedPercentage ?? 0);
    switch (answer.operationState) {
      case operationState.finished:
        return { state: "finished", percent: 100 };
      case operationState.canceled:
      case operationState.closed:
        return { state: "canceled", percent };
      case operationState.error:
      case operationState.timedOut:
      case operationState.unknown:
        throw new HiveServerError(this.sessionOptions.reason(answer.errorMessage), answer.sqlState ?? undefined);
      default:
        return { state: "running", percent };
    }
  }

  /** Returns the lines that the server has logged for a statement since the last call. */
  async log(operationHandle: Handle): Promise<readonly string[]> {
    const request = { operationHandle, orientation: 0, maxRows: logLines, fetchType: 1 };
    const { status, results } = await this.connection.call(
      "FetchResults",
      "TFetchResultsReq",
      request,
      deadlines.other,
    );
    // A server may keep no logs of operations.
    return isSuccess(status) ? (results?.columns?.[0]?.stringVal?.values ?? []) : [];
  }

  /** Returns Hive's own name of a statement, such as `hive_20260101…`. */
  async queryId(operationHandle: Handle): Promise<string> {
    const { queryId } = await this.connection.call(
      "GetQueryId",
      "TGetQueryIdReq",
      { operationHandle },
      deadlines.other,
    );
    return queryId;
  }

  /**
   * Ends the session with its temporary tables, and closes the connection.
   * @param milliseconds for which the answer is awaited: Hive gives it when cancellations of the session's statements end
   */
  async close(milliseconds: number = deadlines.other): Promise<void> {
    try {
      await this.connection.call("CloseSession", "TCloseSessionReq", { sessionHandle: this.handle }, milliseconds);
    } catch {
      // The server ends a session when its connection closes.
    } finally {
      this.connection.close();
    }
  }

  async #info(infoType: number, milliseconds: number = deadlines.other): Promise<string> {
    const request = { sessionHandle: this.handle, infoType };
    const { status, infoValue } = await this.connection.call("GetInfo", "TGetInfoReq", request, milliseconds);
    requireSuccess(status, this.sessionOptions);
    return infoValue?.stringValue ?? "";
  }

  async #execute(statement: string, runAsync: boolean): Promise<Handle> {
    const request = { sessionHandle: this.handle, statement, runAsync, confOverlay: {}, queryTimeout: 0 };
    const { status, operationHandle } = await this.connection.call(
      "ExecuteStatement",
      "TExecuteStatementReq",
      request,
      deadlines.execute,
    );
    requireSuccess(status, this.sessionOptions);
    return operationHandle;
  }

  async #closeOperation(operationHandle: Handle): Promise<void> {
    await this.connection.call("CloseOperation", "TCloseOperationReq", { operationHandle }, deadlines.other);
  }
}

/** Cancels a statement of another connection's session. */
export async function cancelOperation(
  connection: HiveConnection,
  operationHandle: Handle,
  milliseconds: number,
): Promise<void> {
  await connection.call("CancelOperation", "TCancelOperationReq", { operationHandle }, milliseconds);
}

function requireSuccess(status: Status, { reason }: SessionOptions): void {
  if (!isSuccess(status))
    throw new HiveServerError(reason(status.errorMessage), status.sqlState ?? undefined, status.errorCode ?? undefined);
}
