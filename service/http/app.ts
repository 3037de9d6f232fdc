/** The way of a request: id, authentication, route, decoding, faults, handler, answer, log. */
import type { IncomingMessage } from "node:http";
import { randomUUID } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import { Hono, type Context } from "hono";
import { errors, operations, type OperationName } from "../../provider/api";
import type { Clock, Logger } from "../core/environment";
import type { Caller, World } from "../core/world";
import { authenticator, type AuthenticationOptions } from "./authenticate";
import { readBody } from "./body";
import { testControls, type Controls } from "./controls";
import { decode, type AnyRequest } from "./decode";
import { errorBody, toApiError } from "./errors";
import type { Faults } from "./faults";
import { handlers } from "./handlers";
import { requireLoopback } from "./loopback";
import type { Metrics } from "./metrics";
import { allowedMethods, resourceOf, route } from "./route";

export interface AppOptions {
  readonly world: World;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly faults: Faults;
  readonly authentication: Omit<AuthenticationOptions, "now">;
  /** Start of the names of the service's own response headers, such as `x-svc-`. */
  readonly headerPrefix: string;
  /** What `/_faults`, `/_reset` and `/_clock` act on; absent where they are not to be there. */
  readonly controls?: Controls;
}

export interface Env {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    operation: OperationName | undefined;
    accessKeyId: string | undefined;
    /** Error code of the answer, for log and metrics. */
    code: string;
  };
}

/** `handlers` and `decode` agree by the operation's name, which the compiler cannot follow through a variable. */
type AnyHandler = (world: World, request: AnyRequest, caller: Caller) => unknown;

/** Makes the application: everything that is between the socket and the core. */
export function createApp(options: AppOptions): Hono<Env> {
  const { world, clock, metrics, faults, controls } = options;
  const authenticate = authenticator({ ...options.authentication, now: () => clock.now() });
  const app = new Hono<Env>();

  app.use(async (c, next) => {
    const started = performance.now();
    const requestId = randomUUID();
    c.set("requestId", requestId);
    c.set("code", "");
    await next();
    c.header("Server", "dag-service");
    c.header("Date", new Date(clock.now()).toUTCString());
    c.header(`${options.headerPrefix}request-id`, requestId);
    record(options, c, performance.now() - started);
  });

  app.onError((error, c) => {
    const answer = toApiError(error);
    if (answer.code === "InternalError") {
      options.log.error({ requestId: c.get("requestId"), err: answer.cause ?? error }, "request failed");
    }
    c.set("code", answer.code);
    // What is left of a refused body is not worth keeping the connection for.
    if (answer.code === "EntityTooLarge") c.header("Connection", "close");
    if (answer.code === "MethodNotAllowed") c.header("Allow", allowedMethods(c.env.incoming.url ?? ""));
    const body = errorBody(answer, c.get("requestId"), resourceOf(c.env.incoming.url ?? ""));
    return c.json(body, answer.status as 400);
  });

  app.get("/healthz", (c) => {
    requireLoopback(c.env.incoming);
    const clusters = [...world.clusters.values()].map(({ name, status }) => ({ name, status }));
    return c.json({ status: "ok", clusters });
  });
  app.get("/metrics", async (c) => {
    requireLoopback(c.env.incoming);
    return c.body(await metrics.text(), 200, { "Content-Type": metrics.contentType });
  });
  if (controls) testControls(app, controls);

  app.all("*", async (c) => {
    const { incoming } = c.env;
    const caller = authenticate(claims(incoming));
    c.set("accessKeyId", caller.accessKeyId);
    const found = route(incoming.method ?? "", incoming.url ?? "");
    const { operation } = found;
    c.set("operation", operation);
    const body = await readBody(incoming);

    const fault = faults.pick(operation);
    if (fault) await clock.sleep(fault.latencyMs);
    if (fault?.drop === "before") {
      incoming.socket.destroy();
      throw new errors.ServiceUnavailable("the connection was dropped by a fault rule");
    }
    if (fault?.error) throw fault.error;

    const handler = handlers[operation] as AnyHandler;
    const answer = await handler(world, decode(found, body), caller);
    if (fault?.drop === "after") incoming.socket.destroy();
    return respond(c, operation, answer);
  });
  return app;
}

function claims({ method = "", url = "", headers }: IncomingMessage) {
  const contentType = headers["content-type"];
  return { method, target: url, contentType, authorization: headers.authorization, date: headers.date };
}

function respond(c: Context<Env>, operation: OperationName, answer: unknown): Response {
  const { success } = operations[operation];
  if (success !== 204) return c.json(answer as object, success);
  // The specification (§4.5) gives the empty answer of a cancel a type.
  return c.body(null, 204, operation === "cancelQuery" ? { "Content-Type": "text/plain" } : {});
}

/** One line of the request log, and the request's figures. Never the query string or a header: they may tell too much. */
function record({ log, metrics }: AppOptions, c: Context<Env>, milliseconds: number): void {
  const { incoming } = c.env;
  const operation = c.get("operation") ?? "";
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
    accessKeyId: c.get("accessKeyId"),
    remoteAddress: incoming.socket.remoteAddress,
    durationMs: Math.round(milliseconds * 10) / 10,
  };
  if (status >= 500) log.error(fields, "request");
  else log.info(fields, "request");
}
