/** Lets the console of one service call another: answers the browser's questions about requests of other origins. */
import type { MiddlewareHandler } from "hono";
import type { Env } from "../env";

export interface CrossOriginOptions {
  /** Origins besides those of this machine, such as `https://console.example.com`. */
  readonly allowedOrigins: readonly string[];
  readonly headerPrefix: string;
}

/**
 * Allows signed requests of pages of the allowed origins and of consoles that run on the caller's own machine. A page
 * without a secret access key gains nothing: no cookie or other credential of the browser counts here.
 */
export function crossOrigin({ allowedOrigins, headerPrefix }: CrossOriginOptions): MiddlewareHandler<Env> {
  const requestHeaders = ["Authorization", "Content-Type", `${headerPrefix}date`].join(", ");
  const responseHeaders = ["Date", "Retry-After", "Content-Disposition", `${headerPrefix}request-id`].join(", ");
  return async (c, next) => {
    const { origin } = c.env.incoming.headers;
    const path = c.req.path;
    const isPublic = /^\/(?:v1\/|catalog|objects|results\/|check$|usage$|console\/(?:config|openapi)\.json$)/.test(
      path,
    );
    const allowed = origin !== undefined && isPublic && (isOnThisMachine(origin) || allowedOrigins.includes(origin));
    if (!allowed) return next();
    const headers = { "Access-Control-Allow-Origin": origin, Vary: "Origin" };
    if (c.req.method === "OPTIONS" && c.req.header("access-control-request-method") !== undefined) {
      return c.body(null, 204, {
        ...headers,
        "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
        "Access-Control-Allow-Headers": requestHeaders,
        "Access-Control-Max-Age": "600",
      });
    }
    await next();
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    c.header("Access-Control-Expose-Headers", responseHeaders);
  };
}

function isOnThisMachine(origin: string): boolean {
  return /^https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/.test(origin);
}
