/** Lets the console of one service call another: answers the browser's questions about requests of other origins. */
import type { IncomingMessage } from "node:http";
import { idempotencyKeyHeader } from "../../../contract";

export interface CrossOriginOptions {
  /** Origins besides those of this machine, such as `https://console.example.com`. */
  readonly allowedOrigins: readonly string[];
  readonly headerPrefix: string;
}

/** What an answer to a page of an allowed origin needs. */
interface OriginAnswer {
  /** True for a browser's question, which is answered with these headers and the status 204. */
  readonly isPreflight: boolean;
  /** Names and values, one after another. */
  readonly headers: readonly string[];
}

/** Decides for a request; undefined when it has no origin that is allowed. */
export type CrossOrigin = (incoming: IncomingMessage) => OriginAnswer | undefined;

/**
 * Allows signed requests of pages of the allowed origins and of consoles that run on the caller's own machine. A page
 * without a secret access key gains nothing: no cookie or other credential of the browser counts here.
 */
export function crossOrigin({ allowedOrigins, headerPrefix }: CrossOriginOptions): CrossOrigin {
  const requestHeaders = ["Authorization", "Content-Type", idempotencyKeyHeader, `${headerPrefix}date`].join(", ");
  const responseHeaders = ["Date", "Retry-After", "Content-Disposition", `${headerPrefix}request-id`].join(", ");
  return ({ method, url = "", headers: { origin, "access-control-request-method": asked } }) => {
    if (origin === undefined || !isPublic(url)) return undefined;
    if (!isOnThisMachine(origin) && !allowedOrigins.includes(origin)) return undefined;
    const headers = ["Access-Control-Allow-Origin", origin, "Vary", "Origin"];
    if (method !== "OPTIONS" || asked === undefined) {
      return { isPreflight: false, headers: [...headers, "Access-Control-Expose-Headers", responseHeaders] };
    }
    headers.push("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE");
    headers.push("Access-Control-Allow-Headers", requestHeaders, "Access-Control-Max-Age", "600");
    return { isPreflight: true, headers };
  };
}

function isPublic(target: string): boolean {
  const [path = ""] = target.split("?", 1);
  return /^\/(?:v1\/|catalog|objects|outputs\/|results\/|queries|lineage|check$|usage$|console\/(?:config|openapi)\.json$)/.test(
    path,
  );
}

function isOnThisMachine(origin: string): boolean {
  return /^https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/.test(origin);
}
