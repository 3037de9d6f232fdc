/**
 * A service whose queries finish as soon as they are submitted, so that a benchmark measures the provider alone. It has a
 * process of its own, whose CPU time is not the provider's.
 */
import type { IncomingMessage } from "node:http";
import { type ForkedServer, serveForked, startForked } from "./forked-server.mts";

/** The fields that are equal in all query records. */
const finishedQuery = {
  type: "select",
  processEngine: "mapreduce",
  dsl: "hive",
  status: "finished",
  clusterName: "demo",
  clusterRebooted: false,
  accessKeyId: "bench",
  startTime: "2026-11-20 00:00:00",
  progress: "100%",
  stage: 1,
  outputFormat: "csv",
};

/** Starts the service on a free port. It accepts any access key. */
export function startInstantService(): Promise<ForkedServer> {
  return startForked(import.meta.url);
}

if (process.argv[2] === "serve") await serve();

async function serve(): Promise<void> {
  const queries: { readonly query: string; readonly outputResourcePath: string; readonly label?: string }[] = [];
  const recordOf = (id: number) => ({ ...finishedQuery, id, ...queries[id - 1] });
  await serveForked(async (request, response) => {
    const { pathname } = new URL(request.url!, "http://localhost");
    const [, id, log] = /^\/v1\/(\d+)?(\/log)?/.exec(pathname) ?? [];
    const body = JSON.stringify(
      request.method === "POST"
        ? { queryId: queries.push(await bodyOf(request)) }
        : log !== undefined
          ? { log: "" }
          : id !== undefined
            ? recordOf(Number(id))
            : { isTruncated: false, queries: [] },
    );
    response.writeHead(request.method === "POST" ? 202 : 200, { "content-type": "application/json" }).end(body);
  });
}

async function bodyOf(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}
