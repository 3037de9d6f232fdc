/** The routes of the extension on queries: how they ran, their results, and what was made of what. */
import { Readable } from "node:stream";
import type { Hono, MiddlewareHandler } from "hono";
import * as z from "zod";
import { validate } from "../../contract";
import { lineageOf } from "../core/inspection/lineage";
import { openResult, resultOf } from "../core/inspection/results";
import { describeRun, listRuns, listStale } from "../core/inspection/runs";
import type { ServiceContext } from "../core/service-context";
import { decodeParameters } from "./decode";
import type { Env } from "./env";
import { callerOf, download, queryIdOf, segmentsOf } from "./extension-requests";

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

/** Adds the routes. */
export function addQueryPaths(app: Hono<Env>, authenticated: MiddlewareHandler<Env>, context: ServiceContext): void {
  app.get("/queries", authenticated, async (c) => {
    const { stale, ...given } = c.req.query();
    if (stale !== undefined) validate(staleQuery, { stale, ...given });
    const parameters = decodeParameters("listQueries", new Map(Object.entries(given)));
    return c.json(await (stale === undefined ? listRuns(context, parameters) : listStale(context, parameters)));
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
  app.get("/lineage/:bucket/*", authenticated, async (c) => {
    const { levels } = validate(lineageQuery, c.req.query());
    const path = segmentsOf(c).join("/");
    return c.json(
      await lineageOf(context, { path, levels: levels === undefined ? levels : Number(levels) }, callerOf(c)),
    );
  });
}
