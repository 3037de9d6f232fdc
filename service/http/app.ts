/**
 * The application between the socket and the core. Requests of operations are answered by `operation-requests.ts`;
 * everything else, such as the console, its extension and `/healthz`, by Hono.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono, type ErrorHandler, type MiddlewareHandler } from "hono";
import { errors } from "../../contract";
import type { Clock, Logger } from "../core/ports/platform";
import type { ServiceContext } from "../core/service-context";
import { addConsole, type ConsoleOptions } from "./console/routes";
import { crossOrigin, type CrossOrigin, type CrossOriginOptions } from "./console/cross-origin";
import { addExtension, type ExtensionOptions } from "./extension/index";
import { incomingAuthenticator, type Authenticate, type AuthenticationOptions } from "./authenticate";
import { addTestControls, type TestControls } from "./test-controls";
import type { Env } from "./env";
import { errorAnswer, toErrorBody } from "./error-response";
import type { Faults } from "./faults";
import type { IdempotencyKeys } from "./idempotency-keys";
import { requireLoopback } from "./loopback";
import type { Metrics } from "./metrics";
import { isOperationPath, operationRequests } from "./operation-requests";
import { RequestLog } from "./request-log";
import { route } from "./route";
import { checkRequestLine } from "./target";

export interface AppOptions {
  readonly context: ServiceContext;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly faults: Faults;
  readonly repeated: IdempotencyKeys;
  readonly authentication: Omit<AuthenticationOptions, "now" | "headerPrefix">;
  /** Prefix of the service's own response headers, such as `x-svc-`. */
  readonly headerPrefix: string;
  /** Dependencies of the test controls; without them `/_faults`, `/_reset` and `/_clock` do not exist. */
  readonly controls?: TestControls;
  /** The console and what it shows besides the API; without them only the API is served. */
  readonly console?: ConsoleOptions & Omit<ExtensionOptions, "context"> & Pick<CrossOriginOptions, "allowedOrigins">;
}

/** Answers requests. */
export type App = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/** What the requests of operations and all others share. */
interface Steps {
  readonly requests: RequestLog;
  readonly authenticate: Authenticate;
  readonly crossOrigin: CrossOrigin | undefined;
}

/** Creates the application. */
export function createApp(options: AppOptions): App {
  const { context, clock, log, faults, repeated, headerPrefix } = options;
  const steps: Steps = {
    requests: new RequestLog(options),
    authenticate: incomingAuthenticator({ ...options.authentication, headerPrefix, now: () => clock.now() }),
    crossOrigin: options.console && crossOrigin({ ...options.console, headerPrefix }),
  };
  const answerOperation = operationRequests({ context, clock, log, faults, repeated, ...steps });
  const other = otherRequests(options, steps);
  // A listener for each request: Hono does not tell its errorHandler which one it could not convert.
  const answerOther: App = (incoming, outgoing) =>
    getRequestListener(other.fetch, {
      errorHandler: () => badRequest(steps.requests, incoming, outgoing),
      // Connections has limits on what is read after an answer.
      autoCleanupIncoming: false,
    })(incoming, outgoing);
  return (incoming, outgoing) =>
    isOperationPath(incoming.url ?? "") ? answerOperation(incoming, outgoing) : answerOther(incoming, outgoing);
}

/** Creates the routes besides the operations. A request passes the steps from top to bottom. */
function otherRequests(options: AppOptions, { requests, authenticate, crossOrigin: originOf }: Steps): Hono<Env> {
  const { context, metrics, controls } = options;
  const app = new Hono<Env>();
  app.use(requestLog(requests));
  app.onError(errorHandler(options));
  app.use(async (c, next) => {
    checkRequestLine(c.env.incoming);
    await next();
  });

  app.get("/healthz", (c) => {
    requireLoopback(c.env.incoming);
    const clusters = [...context.clusters.values()].map(({ name, status }) => ({ name, status }));
    const problem = context.state.problem() ?? context.storage.problem?.();
    return problem === undefined
      ? c.json({ status: "ok", clusters })
      : c.json({ status: "failed", problem, clusters }, 503);
  });
  app.get("/metrics", async (c) => {
    requireLoopback(c.env.incoming);
    return c.body(await metrics.text(), 200, { "Content-Type": metrics.contentType });
  });
  if (controls) addTestControls(app, controls);

  const authenticated: MiddlewareHandler<Env> = async (c, next) => {
    c.set("caller", authenticate(c.env.incoming));
    await next();
  };
  if (options.console && originOf) {
    app.use(allowOrigins(originOf));
    addConsole(app, options.console);
    addExtension(app, authenticated, { ...options.console, context });
  }
  app.all("*", authenticated, ({ env: { incoming } }) => {
    // Finds no operation, and says so.
    route(incoming.method ?? "", incoming.url ?? "");
    throw new errors.ResourceNotFound("no operation has this path");
  });
  return app;
}

/** Assigns the request ID, sets the response headers, writes the request log and watches the sending of the answer. */
function requestLog(requests: RequestLog): MiddlewareHandler<Env> {
  return async (c, next) => {
    const begun = requests.begin();
    c.set("requestId", begun.requestId);
    c.set("code", "");
    await next();
    const { incoming, outgoing } = c.env;
    const answered = {
      ...begun,
      status: c.res.status,
      code: c.get("code"),
      operation: undefined,
      queryId: undefined,
      accessKeyId: c.get("caller")?.accessKeyId,
      answerSize: 0,
    };
    // Set on Node's response: Hono's would be rebuilt for each header.
    for (const [name, value] of pairsOf(requests.answered(incoming, outgoing as ServerResponse, answered)))
      outgoing.setHeader(name, value);
  };
}

/** Converts an error of any step to a response. */
function errorHandler({ log }: AppOptions): ErrorHandler<Env> {
  return (error, c) => {
    const target = c.env.incoming.url ?? "";
    const { status, code, headers, body } = errorAnswer(error, { log, requestId: c.get("requestId"), target });
    c.set("code", code);
    return c.body(body, status as 400, Object.fromEntries(pairsOf(headers)));
  };
}

function allowOrigins(originOf: CrossOrigin): MiddlewareHandler<Env> {
  return async (c, next) => {
    const answer = originOf(c.env.incoming);
    if (answer?.isPreflight) return c.body(null, 204, Object.fromEntries(pairsOf(answer.headers)));
    await next();
    for (const [name, value] of pairsOf(answer?.headers ?? [])) c.header(name, value);
  };
}

/** Answers a request that cannot be converted for Hono, for instance because its Host header is invalid. */
function badRequest(requests: RequestLog, incoming: IncomingMessage, outgoing: ServerResponse): Response {
  const begun = requests.begin();
  const answer = new errors.InvalidParameter("the request line or the Host header is not valid");
  const { status, code } = answer;
  const headers = requests.answered(incoming, outgoing, {
    ...begun,
    status,
    code,
    operation: undefined,
    queryId: undefined,
    accessKeyId: undefined,
    answerSize: 0,
  });
  return Response.json(toErrorBody(answer, begun.requestId, ""), {
    status,
    headers: { ...Object.fromEntries(pairsOf(headers)), Connection: "close" },
  });
}

/** Returns names and values that are one after another as pairs. */
function pairsOf(headers: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: headers.length / 2 }, (_, index) => [headers[2 * index]!, headers[2 * index + 1]!]);
}
