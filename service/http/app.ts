/** The steps of a request: ID, authentication, routing, fault injection, decoding, handler, response, log line. */
import type { IncomingMessage } from "node:http";
import { randomUUID } from "node:crypto";
import { Hono, type Context, type ErrorHandler, type MiddlewareHandler } from "hono";
import { dateHeaderName, errors, operations, type OperationName } from "../../contract";
import type { Clock, Logger } from "../core/ports/platform";
import type { Caller, ServiceContext } from "../core/service-context";
import { addConsole, type ConsoleOptions } from "./console/routes";
import { crossOrigin, type CrossOriginOptions } from "./console/cross-origin";
import { addExtension, type ExtensionOptions } from "./extension";
import { authenticator, type AuthenticationOptions } from "./authenticate";
import { readBody } from "./body";
import { callerLeft } from "./caller-left";
import { markCaller } from "./connections";
import { addTestControls, type TestControls } from "./test-controls";
import { decode, type AnyRequest } from "./decode";
import { operationOf, type Env } from "./env";
import { toErrorBody, toApiError } from "./error-response";
import type { Faults } from "./faults";
import { handlers } from "./handlers";
import { isSmall, jsonOfRecords, jsonStream, sizeOfJson } from "./json-stream";
import { requireLoopback } from "./loopback";
import type { Metrics } from "./metrics";
import { allowedMethods, resourceOf, route } from "./route";
import { SlowReaders } from "./slow-readers";
import { checkRequestLine } from "./target";

export interface AppOptions {
  readonly context: ServiceContext;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly faults: Faults;
  readonly authentication: Omit<AuthenticationOptions, "now" | "headerPrefix">;
  /** Prefix of the service's own response headers, such as `x-svc-`. */
  readonly headerPrefix: string;
  /** Dependencies of the test controls; without them `/_faults`, `/_reset` and `/_clock` do not exist. */
  readonly controls?: TestControls;
  /** The console and what it shows besides the API; without them only the API is served. */
  readonly console?: ConsoleOptions & Omit<ExtensionOptions, "context"> & Pick<CrossOriginOptions, "allowedOrigins">;
}

/** Any handler: the compiler cannot relate `handlers` and `decode` by an operation name that is a variable. */
type AnyHandler = (context: ServiceContext, request: AnyRequest, caller: Caller) => unknown;

/**
 * Creates the application between the socket and the core. A request passes the steps from top to bottom. Hono's router
 * does not find the operation, because that also depends on the operation key ({@link route}).
 */
export function createApp(options: AppOptions): Hono<Env> {
  const { context, metrics, controls } = options;
  const app = new Hono<Env>();
  app.use(requestLog(options));
  app.onError(errorHandler(options));
  app.use(async (c, next) => {
    checkRequestLine(c.env.incoming);
    await next();
  });

  app.get("/healthz", (c) => {
    requireLoopback(c.env.incoming);
    const clusters = [...context.clusters.values()].map(({ name, status }) => ({ name, status }));
    const problem = context.state.problem();
    return problem === undefined
      ? c.json({ status: "ok", clusters })
      : c.json({ status: "failed", problem, clusters }, 503);
  });
  app.get("/metrics", async (c) => {
    requireLoopback(c.env.incoming);
    return c.body(await metrics.text(), 200, { "Content-Type": metrics.contentType });
  });
  if (controls) addTestControls(app, controls);

  const authenticated = authentication(options);
  if (options.console) {
    app.use(crossOrigin({ ...options.console, headerPrefix: options.headerPrefix }));
    addConsole(app, options.console);
    addExtension(app, authenticated, { ...options.console, context });
  }
  app.use(authenticated, routing, faultInjection(options));
  app.all("*", async (c) => {
    const found = c.get("route")!;
    const handler = handlers[found.operation] as AnyHandler;
    const request = { ...c.get("caller")!, signal: () => callerLeft(c.env.outgoing) };
    return respond(c, found.operation, await handler(context, decode(found, c.get("body")), request));
  });
  return app;
}

/** Assigns the request ID, sets the response headers, writes the request log and watches the sending of the answer. */
function requestLog(options: AppOptions): MiddlewareHandler<Env> {
  const readers = new SlowReaders();
  return async (c, next) => {
    const started = performance.now();
    const requestId = randomUUID();
    c.set("requestId", requestId);
    c.set("code", "");
    await next();
    const { incoming, outgoing } = c.env;
    // Set on Node's response: Hono's would be made anew for each header.
    outgoing.setHeader("Server", "dag-service");
    outgoing.setHeader("Date", new Date(options.clock.now()).toUTCString());
    outgoing.setHeader(`${options.headerPrefix}request-id`, requestId);
    // Reading the rest of a body that was refused costs more than a new connection.
    if (!incoming.complete) outgoing.setHeader("Connection", "close");
    readers.watch(outgoing, c.get("answerSize") ?? 0);
    logRequest(options, c, performance.now() - started);
  };
}

/** Converts an error of any step to a response. */
function errorHandler({ log }: AppOptions): ErrorHandler<Env> {
  return (error, c) => {
    const answer = toApiError(error);
    if (answer.code === "InternalError" || (answer.status >= 500 && answer.cause !== undefined)) {
      log.error({ requestId: c.get("requestId"), err: answer.cause ?? error }, "request failed");
    }
    c.set("code", answer.code);
    if (answer.retryAfter !== undefined) c.header("Retry-After", String(Math.ceil(answer.retryAfter / 1000)));
    if (answer.code === "MethodNotAllowed") c.header("Allow", allowedMethods(c.env.incoming.url ?? ""));
    const body = toErrorBody(answer, c.get("requestId"), resourceOf(c.env.incoming.url ?? ""));
    return c.json(body, answer.status as 400);
  };
}

/** Authenticates the request. */
function authentication({
  authentication: options,
  clock,
  headerPrefix,
}: Pick<AppOptions, "authentication" | "clock" | "headerPrefix">): MiddlewareHandler<Env> {
  const authenticate = authenticator({ ...options, headerPrefix, now: () => clock.now() });
  return async (c, next) => {
    c.set("caller", authenticate(signedParts(c.env.incoming, dateHeaderName(headerPrefix))));
    markCaller(c.env.incoming.socket);
    await next();
  };
}

/** Finds the operation and reads the body. */
const routing: MiddlewareHandler<Env> = async (c, next) => {
  const { incoming } = c.env;
  c.set("route", route(incoming.method ?? "", incoming.url ?? ""));
  c.set("body", await readBody(incoming));
  await next();
};

/** Applies the fault rules: delays, fails, or drops the connection before or after the operation. */
function faultInjection({ faults, clock }: AppOptions): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { socket } = c.env.incoming;
    const fault = faults.pick(c.get("route")!.operation);
    if (fault) await clock.sleep(fault.latencyMs);
    if (fault?.drop === "before") {
      socket.destroy();
      throw new errors.ServiceUnavailable("the connection was dropped by a fault rule");
    }
    if (fault?.error) throw fault.error;
    await next();
    // A request that was refused has its answer: no work was done.
    if (fault?.drop === "after" && !c.error) socket.destroy();
  };
}

function signedParts({ method = "", url = "", headers }: IncomingMessage, ownHeader: string) {
  const contentType = headers["content-type"];
  const ownDate = headers[ownHeader] as string | undefined;
  return { method, target: url, contentType, authorization: headers.authorization, date: headers.date, ownDate };
}

function respond(c: Context<Env>, operation: OperationName, answer: unknown): Response {
  const { success } = operations[operation];
  if (success !== 204) {
    const size = sizeOfJson(answer);
    if (isSmall(size)) {
      const text = jsonOfRecords(answer as object);
      if (text === undefined) return c.json(answer as object, success);
      return c.body(text, success, { "Content-Type": "application/json" });
    }
    c.set("answerSize", size);
    return c.body(jsonStream(answer as object), success, { "Content-Type": "application/json" });
  }
  // The empty response of cancelQuery has a Content-Type (specification §4.5).
  return c.body(null, 204, operation === "cancelQuery" ? { "Content-Type": "text/plain" } : {});
}

/**
 * Logs one line for the request and records its metrics. Never logs the query string or headers, which may hold
 * secrets.
 */
function logRequest({ log, metrics }: AppOptions, c: Context<Env>, milliseconds: number): void {
  const { incoming } = c.env;
  const operation = operationOf(c) ?? "";
  const code = c.get("code");
  const { status } = c.res;
  metrics.request(operation, status, code, milliseconds / 1000);
  const fields = {
    requestId: c.get("requestId"),
    method: incoming.method,
    resource: resourceOf(incoming.url ?? ""),
    operation: operation || undefined,
    status,
    code: code || undefined,
    accessKeyId: c.get("caller")?.accessKeyId,
    remoteAddress: incoming.socket.remoteAddress,
    durationMs: Math.round(milliseconds * 10) / 10,
  };
  if (status >= 500) log.error(fields, "request");
  else log.info(fields, "request");
}
