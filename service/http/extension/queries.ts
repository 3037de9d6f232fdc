/** The routes of the extension on queries: how they ran, their results, and what was made of what. */
import { Readable } from "node:stream";
import type { Hono, MiddlewareHandler } from "hono";
import * as z from "zod";
import { errors, formatLocation, validate } from "../../../contract";
import { lineageOf } from "../../core/inspection/lineage";
import { describeOutput } from "../../core/inspection/output";
import { openResult, resultOf } from "../../core/inspection/results";
import { describeRun, findRuns, listRuns, listStale } from "../../core/inspection/runs";
import type { ServiceContext } from "../../core/service-context";
import { decodeParameters } from "../decode";
import type { Env } from "../env";
import { callerOf, download, queryIdOf, segmentsOf } from "./requests";

const resultQuery = z.strictObject({ after: z.string().optional() });
const levelsRule = "it must be a whole number from 1 to 999";
const lineageQuery = z.strictObject({
  levels: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, levelsRule)
    .optional(),
});
const staleRule = 'it must be "true", with no other parameters than max and marker';
const staleQuery = z.strictObject({
  stale: z.literal("true", staleRule),
  max: z.string().optional(),
  marker: z.string().optional(),
});

const timeRule = "it must be a time in milliseconds since 1970, such as 1790000000000";
const time = z
  .string()
  .regex(/^\d{1,15}$/, timeRule)
  .transform(Number)
  .optional();
const searchQuery = z
  .strictObject({
    text: z.string().min(1, "it must not be empty").max(1000, "it must have at most 1,000 characters"),
    since: time,
    until: time,
    sort: z.literal("duration", 'it must be "duration"'),
  })
  .partial();
const searchNames: ReadonlySet<string> = new Set(Object.keys(searchQuery.shape));

/** Adds the routes. */
export function addQueryPaths(app: Hono<Env>, authenticated: MiddlewareHandler<Env>, context: ServiceContext): void {
  app.get("/queries", authenticated, async (c) => {
    const { stale, ...given } = c.req.query();
    if (stale !== undefined) {
      validate(staleQuery, { stale, ...given });
      return c.json(await listStale(context, decodeParameters("listQueries", new Map(Object.entries(given)))));
    }
    const isSearch = ([name]: [string, string]) => searchNames.has(name);
    const search = Object.entries(given).filter(isSearch);
    const parameters = decodeParameters(
      "listQueries",
      new Map(Object.entries(given).filter((parameter) => !isSearch(parameter))),
    );
    if (search.length === 0) return c.json(await listRuns(context, parameters));
    if (parameters.order === "asc") {
      throw new errors.InvalidParameter("order cannot be asc together with text, since, until or sort: leave it out", {
        field: "order",
      });
    }
    return c.json(await findRuns(context, parameters, validate(searchQuery, Object.fromEntries(search))));
  });
  app.get("/queries/:queryId", authenticated, async (c) => c.json(await describeRun(context, queryIdOf(c))));
  app.get("/results/:queryId", authenticated, async (c) => {
    const { after } = validate(resultQuery, c.req.query());
    return c.json(await resultOf(context, { queryId: queryIdOf(c), after }, callerOf(c)));
  });
  app.get("/results/:queryId/download", authenticated, async (c) => {
    const { name, type, body } = await openResult(context, queryIdOf(c), callerOf(c));
    return c.body(Readable.toWeb(body) as ReadableStream, 200, download(type, name));
  });
  app.get("/outputs/:bucket/*", authenticated, async (c) => {
    const [bucket = "", ...key] = segmentsOf(c);
    return c.json(await describeOutput(context, formatLocation({ bucket, key: key.join("/") })));
  });
  app.get("/lineage/:bucket/*", authenticated, async (c) => {
    const { levels } = validate(lineageQuery, c.req.query());
    const path = segmentsOf(c).join("/");
    return c.json(
      await lineageOf(context, { path, levels: levels === undefined ? levels : Number(levels) }, callerOf(c)),
    );
  });
}
