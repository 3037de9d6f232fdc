/**
 * Compares the answers a second of the service, for the record of a query and for a list of 100, with those of a Node
 * server that checks nothing and answers the same bytes. Each server has one core; the requests come from this process.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { call, killService, signedHeaders, startService, type Service } from "../chaos/service.mts";
import { serveForked, startForked } from "./support/forked-server.mts";
import { median, timePairs } from "./support/pairs.mts";
import { measureThroughput, type Throughput } from "./support/requests.mts";

/** Queries in the service's list. */
const queries = 100;
const cluster = { name: "c1", slots: 16, memory: "1GB" };

/** Prints the answers a second, and the ratios to the bare server. */
export async function bench(options: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      seconds: { type: "string", default: "3" },
      rounds: { type: "string", default: "5" },
      connections: { type: "string", default: "32" },
    },
  });
  const directory = mkdtempSync(join(tmpdir(), "bench-get-"));
  const buckets = join(directory, "buckets");
  for (const bucket of ["data", "out"]) mkdirSync(join(buckets, bucket), { recursive: true });
  const service = await startService({ directory, buckets, clusters: [cluster] });
  try {
    for (let index = 0; index < queries; index += 1) await finishQuery(service, index);
    for (const [title, target] of [
      ["get query", `/v1/${queries}?query`],
      [`list of ${queries}`, "/v1/?query"],
    ] as const) {
      await compare(title, service, target, {
        seconds: Number(values.seconds),
        rounds: Number(values.rounds),
        connections: Number(values.connections),
      });
    }
  } finally {
    await killService(service);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function finishQuery(service: Service, index: number): Promise<void> {
  const body = { clusterName: "c1", query: `select ${index} n`, outputResourcePath: `dag://out/r${index}/` };
  const accepted = await call(service, "POST", "/v1/?select", body);
  if (accepted?.status !== 202) throw new Error(`the submission was answered with ${accepted?.status}`);
  const target = `/v1/${String(accepted.body["queryId"])}?query`;
  while ((await call(service, "GET", target))?.body["status"] === "running")
    await new Promise((done) => setTimeout(done, 5));
}

async function compare(
  title: string,
  service: Service,
  target: string,
  { rounds, ...load }: { readonly seconds: number; readonly rounds: number; readonly connections: number },
): Promise<void> {
  const answer = await call(service, "GET", target);
  const text = JSON.stringify(answer!.body);
  await using bare = await startForked(import.meta.url, text);
  const run = (url: string) => () =>
    measureThroughput({ ...load, url, target, headers: () => signedHeaders(service, "GET", target) });
  const warmUps = [service.url, bare.url].map(
    (url) => () =>
      measureThroughput({ ...load, seconds: 1, url, target, headers: () => signedHeaders(service, "GET", target) }),
  );
  const [ours = [], reference = []] = await timePairs<Throughput>({
    rounds,
    warmUps,
    contestants: [run(service.url), run(bare.url)],
  });
  const ratios = ours.map(({ perSecond }, round) => perSecond / reference[round]!.perSecond);
  console.log(`${title}, ${text.length} bytes, ${load.connections} connections`);
  for (const [name, results] of [
    ["dag-service", ours],
    ["bare Node server", reference],
  ] as const) {
    const rate = median(results.map(({ perSecond }) => perSecond)).toFixed(0);
    const p99 = median(results.map((result) => result.p99)).toFixed(1);
    console.log(`  ${name.padEnd(18)} ${rate.padStart(7)} answers/s   99 of 100 within ${p99} ms`);
  }
  console.log(`  ratio ${spread(ratios)}`);
}

const spread = (values: readonly number[]) =>
  `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)})`;

// In a process of its own: a server that answers every request with the same text.
if (process.argv[2] === "serve") {
  await serveForked((_, response) => response.setHeader("content-type", "application/json").end(process.argv[3]));
}
