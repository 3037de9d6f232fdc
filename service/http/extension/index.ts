/** The routes of the extension (`contract/extension.ts`): what the console shows besides the API. */
import { Readable } from "node:stream";
import type { Hono, MiddlewareHandler } from "hono";
import * as z from "zod";
import { checkRequest, errors, fields, formatLocation, validate } from "../../../contract";
import { checkStatement } from "../../core/inspection/check";
import { listObjects, openObject } from "../../core/inspection/objects";
import { putObject } from "../../core/inspection/uploads";
import { describeTable, listDatabases, listTables } from "../../core/inspection/tables";
import type { UsageHistory } from "../../core/inspection/usage";
import type { Inspection } from "../../core/ports/inspection";
import type { ServiceContext } from "../../core/service-context";
import { readBody } from "../body";
import type { Env } from "../env";
import { addQueryPaths } from "./queries";
import { callerOf, download, segmentsOf } from "./requests";
import { requireLoopback } from "../loopback";
import type { SignInLinks } from "../console/sign-in";

export interface ExtensionOptions {
  readonly context: ServiceContext;
  readonly inspection: Inspection;
  readonly usage: UsageHistory;
  readonly links: SignInLinks;
  /** Returns the secret of a caller, for a sign-in link; undefined when a reload has removed the key meanwhile. */
  readonly secretOf: (accessKeyId: string) => string | undefined;
}

const listing = z.strictObject({
  prefix: z.string({ error: "it must be a folder such as dag://bucket/folder/" }),
  max: fields.max.optional(),
  marker: z.string().optional(),
});

const uploadQuery = z.strictObject({ overwrite: z.enum(["true", "false"], 'it must be "true" or "false"').optional() });

const sinceRule = "it must be a time in milliseconds since 1970, such as 1790000000000";
const usageQuery = z.strictObject({
  since: z
    .string()
    .regex(/^\d{1,15}$/, sinceRule)
    .optional(),
});

/** Adds the routes. Each is signed like an operation. */
export function addExtension(app: Hono<Env>, authenticated: MiddlewareHandler<Env>, options: ExtensionOptions): void {
  const { context, inspection, usage, links, secretOf } = options;
  app.get("/catalog", authenticated, async (c) => c.json(await listDatabases(context, inspection)));
  app.get("/catalog/:database", authenticated, async (c) =>
    c.json(await listTables(context, inspection, c.req.param("database"), callerOf(c))),
  );
  app.get("/catalog/:database/:table", authenticated, async (c) =>
    c.json(await describeTable(context, inspection, c.req.param(), callerOf(c))),
  );
  app.get("/objects", authenticated, async (c) => {
    const { max, ...query } = c.req.query();
    const given = { ...query, ...(max === undefined ? {} : { max: /^\d{1,9}$/.test(max) ? Number(max) : max }) };
    return c.json(await listObjects(context, validate(listing, given)));
  });
  app.get("/objects/:bucket/*", authenticated, async (c) => {
    const [bucket = "", ...key] = segmentsOf(c);
    const { size, name, body } = await openObject(context, formatLocation({ bucket, key: key.join("/") }));
    return c.body(Readable.toWeb(body) as ReadableStream, 200, {
      ...download("application/octet-stream", name),
      "Content-Length": String(size),
    });
  });
  app.put("/objects/:bucket/*", authenticated, async (c) => {
    const { overwrite } = validate(uploadQuery, c.req.query());
    const [bucket = "", ...key] = segmentsOf(c);
    const { incoming } = c.env;
    const length = incoming.headers["content-length"];
    const size = length === undefined ? undefined : Number(length);
    const text = formatLocation({ bucket, key: key.join("/") });
    return c.json(await putObject(context, { text, body: incoming, size, overwrite: overwrite === "true" }));
  });
  addQueryPaths(app, authenticated, context);
  app.post("/check", authenticated, async (c) => {
    const body = validate(checkRequest, parseJson(await readBody(c.env.incoming)));
    return c.json(await checkStatement(context, body, callerOf(c)));
  });
  app.get("/usage", authenticated, async (c) => {
    const { since = "0" } = validate(usageQuery, c.req.query());
    return c.json(await usage.read(Number(since)));
  });
  app.post("/console/links", authenticated, (c) => {
    requireLoopback(c.env.incoming);
    const { accessKeyId } = c.var.caller!;
    const secretAccessKey = secretOf(accessKeyId);
    if (secretAccessKey === undefined) throw new errors.InvalidAccessKeyId("the access key ID is no longer accepted");
    return c.json({ path: links.create({ accessKeyId, secretAccessKey }) });
  });
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    throw new errors.MalformedJSON("the request body is not valid JSON");
  }
}
