/**
 * Answers the requests of operations, whose paths begin with `/v1/`: authentication, routing, fault injection, decoding,
 * handler, answer. They are written to Node's response directly, because a framework's request, response and context
 * take as long as all of this.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import {
  errors,
  operations,
  parentRunHeader,
  parseParentRun,
  type OperationName,
  type ParentRun,
  type ResponseBody,
} from "../../contract";
import type { Clock } from "../core/ports/platform";
import type { Caller, ServiceContext } from "../core/service-context";
import type { Authenticate } from "./authenticate";
import { readBody } from "./body";
import { callerLeft } from "./caller-left";
import type { CrossOrigin } from "./console/cross-origin";
import { decode, type AnyRequest } from "./decode";
import { errorAnswer, type ErrorLog } from "./error-response";
import type { Faults } from "./faults";
import { handlers } from "./handlers";
import { idempotencyKeyOf, type IdempotencyKeys } from "./idempotency-keys";
import { jsonStream, jsonText, sizeOfJson } from "./json-stream";
import type { RequestLog } from "./request-log";
import { route, type Route } from "./route";
import { checkRequestLine } from "./target";

export interface OperationRequestOptions {
  readonly context: ServiceContext;
  readonly clock: Clock;
  readonly log: ErrorLog;
  readonly requests: RequestLog;
  readonly faults: Faults;
  readonly repeated: IdempotencyKeys;
  readonly authenticate: Authenticate;
  /** Allows pages of other origins; without it, none. */
  readonly crossOrigin: CrossOrigin | undefined;
}

/** An answer that is ready to be sent. */
interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  /** A small answer as text, or a large one as the value to write as JSON. */
  readonly body: string | object | undefined;
  readonly size?: number;
  readonly code?: string;
}

/** What the steps of a request have found. */
interface Steps {
  caller?: Pick<Caller, "accessKeyId">;
  route?: Route;
  queryId?: number;
}

/** Any handler: the compiler cannot relate `handlers` and `decode` by an operation name that is a variable. */
type AnyHandler = (context: ServiceContext, request: AnyRequest, caller: Caller) => unknown;

/** Returns true for the path of an operation. */
export function isOperationPath(target: string): boolean {
  return target.startsWith("/v1/");
}

/** Creates the function that answers a request. */
export function operationRequests(
  options: OperationRequestOptions,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> {
  const { requests, crossOrigin } = options;
  return async (incoming, outgoing) => {
    const begun = requests.begin();
    const steps: Steps = {};
    let answer: Answer;
    let originHeaders: readonly string[] = [];
    try {
      checkRequestLine(incoming);
      const origin = crossOrigin?.(incoming);
      if (origin) originHeaders = origin.headers;
      answer = origin?.isPreflight
        ? { status: 204, headers: [], body: undefined }
        : await answerOf(options, incoming, outgoing, steps);
    } catch (error) {
      answer = errorAnswer(error, { log: options.log, requestId: begun.requestId, target: incoming.url ?? "" });
    }
    const { status, code = "", headers, body, size = 0 } = answer;
    const own = requests.answered(incoming, outgoing, {
      ...begun,
      status,
      code,
      operation: steps.route?.operation,
      queryId: steps.queryId,
      accessKeyId: steps.caller?.accessKeyId,
      answerSize: size,
    });
    const all = own.concat(originHeaders, headers);
    if (typeof body === "string") return sendText(outgoing, status, all, body);
    outgoing.writeHead(status, all);
    if (body === undefined) outgoing.end();
    // A reader that leaves is no error.
    else await pipeline(jsonStream(body), outgoing).catch(() => undefined);
  };
}

function sendText(outgoing: ServerResponse, status: number, headers: string[], text: string): void {
  const bytes = Buffer.byteLength(text);
  headers.push("Content-Length", String(bytes));
  outgoing.writeHead(status, headers);
  // Text of ASCII only, which is nearly all, is written in half the time when nothing is encoded.
  outgoing.end(text, bytes === text.length ? "latin1" : "utf8");
}

/** Passes a request through all steps. */
async function answerOf(
  { context, clock, faults, repeated, authenticate }: OperationRequestOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  steps: Steps,
): Promise<Answer> {
  const caller = (steps.caller = authenticate(incoming));
  const found = (steps.route = route(incoming.method ?? "", incoming.url ?? ""));
  const body = await readBody(incoming);
  const fault = faults.pick(found.operation);
  if (fault) await clock.sleep(fault.latencyMs);
  if (fault?.drop === "before") {
    incoming.socket.destroy();
    throw new errors.ServiceUnavailable("the connection was dropped by a fault rule");
  }
  if (fault?.error) throw fault.error;
  const handler = handlers[found.operation] as AnyHandler;
  const request = decode(found, body);
  const run = async () =>
    handler(context, request, {
      ...caller,
      signal: () => callerLeft(outgoing),
      parentRun: () => parentRunOf(incoming),
    });
  // A request with a body changes something. One that is cancelled twice says so.
  const key = "body" in operations[found.operation] ? idempotencyKeyOf(incoming.headers) : undefined;
  const target = incoming.url ?? "";
  const value = await (key === undefined
    ? run()
    : repeated.answer({ ...caller, operation: found.operation, key, target, body }, run));
  if (operations[found.operation].success === 202) steps.queryId = (value as ResponseBody<"submitSelect">).queryId;
  // A request that was refused has its answer: no work was done.
  if (fault?.drop === "after") incoming.socket.destroy();
  return successAnswer(found.operation, value);
}

/** What the caller says of the run of which a query is a part; a value that is none is ignored. */
function parentRunOf({ headers }: IncomingMessage): ParentRun | undefined {
  const value = headers[parentRunHeader];
  return typeof value === "string" ? parseParentRun(value) : undefined;
}

const json = ["Content-Type", "application/json"];

function successAnswer(operation: OperationName, value: unknown): Answer {
  const { success: status } = operations[operation];
  if (status === 204) {
    // The empty response of cancelQuery has a Content-Type (specification §4.5).
    return { status, headers: operation === "cancelQuery" ? ["Content-Type", "text/plain"] : [], body: undefined };
  }
  const text = jsonText(value as object);
  if (text !== undefined) return { status, headers: json, body: text };
  return { status, headers: json, body: value as object, size: sizeOfJson(value) };
}
