/** What the routes of the extension read from requests. */
import type { Context } from "hono";
import * as z from "zod";
import { errors, fields, validate } from "../../../contract";
import type { Caller } from "../../core/service-context";
import { callerLeft } from "../caller-left";
import type { Env } from "../env";

export function callerOf(c: Context<Env>): Caller {
  return { ...c.var.caller!, signal: () => callerLeft(c.env.outgoing) };
}

/** Returns the segments of the path behind the first one. @throws InvalidParameter */
export function segmentsOf(c: Context<Env>): string[] {
  return c.req.path.split("/").slice(2).map(decoded);
}

/** Returns the query that a path names. @throws InvalidQueryId */
export function queryIdOf(c: Context<Env>): number {
  const text = c.req.param("queryId") ?? "";
  const queryId = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : text;
  return validate(z.strictObject({ queryId: fields.queryId }), { queryId }).queryId;
}

/** The headers of an answer that browsers store as a file. */
export function download(type: string, name: string): Record<string, string> {
  return {
    "Content-Type": type,
    "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    "X-Content-Type-Options": "nosniff",
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new errors.InvalidParameter("the path has an invalid percent-encoding", { field: "path" });
  }
}
