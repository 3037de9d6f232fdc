/** What every answer has: the headers of the service, a line of the log, its metrics, and a limit on slow readers. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { OperationName } from "../../contract";
import type { Clock, Logger } from "../core/ports/platform";
import { keepAliveHeader } from "./connections";
import type { Metrics } from "./metrics";
import { resourceOf } from "./route";
import { SlowReaders } from "./slow-readers";

export interface RequestLogOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Prefix of the service's own response headers, such as `x-svc-`. */
  readonly headerPrefix: string;
}

/** A request whose handling has begun. */
export interface BegunRequest {
  readonly requestId: string;
  readonly started: number;
}

/** What is known of a request when its answer is ready to be sent. */
export interface AnsweredRequest extends BegunRequest {
  readonly status: number;
  /** Error code; empty for a success. */
  readonly code: string;
  readonly operation: OperationName | undefined;
  /** The query that a submission was accepted as. */
  readonly queryId: number | undefined;
  readonly accessKeyId: string | undefined;
  /** Size of the answer, for {@link SlowReaders}; 0 for a small one. */
  readonly answerSize: number;
}

export class RequestLog {
  readonly #readers = new SlowReaders();
  readonly #requestIdHeader: string;
  #second = 0;
  #date = "";

  constructor(private readonly options: RequestLogOptions) {
    this.#requestIdHeader = `${options.headerPrefix}request-id`;
  }

  begin(): BegunRequest {
    return { requestId: randomUUID(), started: performance.now() };
  }

  /**
   * Logs an answer and records its metrics, before it is sent. Never logs the query string or headers, which may hold
   * secrets.
   * @returns the names and values of the headers that every answer has.
   */
  answered(incoming: IncomingMessage, outgoing: ServerResponse, answer: AnsweredRequest): string[] {
    this.#readers.watch(outgoing, answer.answerSize);
    this.#write(incoming, answer);
    const headers = ["Server", "dag-service", "Date", this.#now(), this.#requestIdHeader, answer.requestId];
    // Reading the rest of a body that was refused costs more than a new connection.
    if (!incoming.complete) headers.push("Connection", "close");
    else headers.push(...keepAliveHeader(incoming.socket));
    return headers;
  }

  #write(
    incoming: IncomingMessage,
    { requestId, started, status, code, operation, queryId, accessKeyId }: AnsweredRequest,
  ) {
    const { log, metrics } = this.options;
    const milliseconds = performance.now() - started;
    metrics.request(operation ?? "", status, code, milliseconds / 1000);
    const fields = {
      requestId,
      method: incoming.method,
      resource: resourceOf(incoming.url ?? ""),
      operation,
      queryId,
      status,
      code: code || undefined,
      accessKeyId,
      remoteAddress: incoming.socket.remoteAddress,
      durationMs: Math.round(milliseconds * 10) / 10,
    };
    if (status >= 500) log.error(fields, "request");
    else log.info(fields, "request");
  }

  /** The time as a header; it is the same for a whole second. */
  #now(): string {
    const now = this.options.clock.now();
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = new Date(now).toUTCString();
    }
    return this.#date;
  }
}
