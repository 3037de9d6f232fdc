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
import { timePairs } from "./support/pairs.mts";
import { measureThroughput, type Throughput } from "./support/requests.mts";
import { compare, type BenchResult, type Growth, type Measurement } from "./support/results.mts";

/** Queries in the service's list. */
const queries = 100;
const cluster = { name: "c1", slots: 16, memory: "1GB" };

/** The requests, with the least answers a second. */
const requests = [
  { title: "get query", target: `/v1/${queries}?query`, atLeast: 12_000 },
  { title: `list of ${queries}`, target: "/v1/?query", atLeast: 4000 },
] as const;

/** Connections of callers at which 99 of 100 answers come within 100 ms. */
const manyConnections = 200;

/** Measures the answers a second, and the time of 99 of 100 answers. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      seconds: { type: "string", default: "3" },
      rounds: { type: "string", default: "5" },
      connections: { type: "string", default: "32" },
      growth: { type: "boolean", default: false },
    },
  });
  const directory = mkdtempSync(join(tmpdir(), "bench-get-"));
  const buckets = join(directory, "buckets");
  for (const bucket of ["data", "out"]) mkdirSync(join(buckets, bucket), { recursive: true });
  const service = await startService({ directory, buckets, clusters: [cluster] });
  try {
    for (let index = 0; index < queries; index += 1) await finishQuery(service, index);
    const measurements: Measurement[] = [];
    const load = { seconds: Number(values.seconds), rounds: Number(values.rounds) };
    const connections = Number(values.connections);
    for (const request of requests) {
      measurements.push(...(await compareWithBare(service, request, { ...load, connections })));
    }
    for (const { title, target } of requests) {
      const results: Throughput[] = [];
      const headers = signer(service, target);
      for (let round = 0; round < load.rounds; round += 1) {
        results.push(
          await measureThroughput({ ...load, url: service.url, target, headers, connections: manyConnections }),
        );
      }
      const times = { "dag-service": results.map(({ p99 }) => p99) };
      const heading = { title: `${title}, ${manyConnections} connections: 99 of 100 answers within`, unit: "ms" };
      measurements.push(compare({ ...heading, bars: [{ atMost: 100 }] }, times));
    }
    return { measurements, ...(values.growth ? { growths: [await growth(service)] } : {}) };
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

async function compareWithBare(
  service: Service,
  { title, target, atLeast }: (typeof requests)[number],
  { rounds, ...load }: { readonly seconds: number; readonly rounds: number; readonly connections: number },
): Promise<Measurement[]> {
  const answer = await call(service, "GET", target);
  const text = JSON.stringify(answer!.body);
  await using bare = await startForked(import.meta.url, text);
  const headers = signer(service, target);
  const run = (url: string) => () => measureThroughput({ ...load, url, target, headers });
  const warmUps = [service.url, bare.url].map(
    (url) => () => measureThroughput({ ...load, seconds: 1, url, target, headers }),
  );
  const contestants = [run(service.url), run(bare.url)];
  const [ours = [], reference = []] = await timePairs<Throughput>({ rounds, warmUps, contestants });
  const heading = `${title}, ${text.length} bytes, ${load.connections} connections`;
  return [
    compare(
      { title: heading, unit: "answers/s", bars: [{ atLeast }] },
      {
        "dag-service": ours.map(({ perSecond }) => perSecond),
        "bare Node server": reference.map(({ perSecond }) => perSecond),
      },
    ),
    compare(
      { title: `${heading}: 99 of 100 answers within`, unit: "ms" },
      { "dag-service": ours.map(({ p99 }) => p99), "bare Node server": reference.map(({ p99 }) => p99) },
    ),
  ];
}

/** Measures 1 to 32 connections. */
async function growth(service: Service): Promise<Growth> {
  const quantities = [1, 2, 4, 8, 16, 32];
  const series = [];
  for (const { title, target } of requests) {
    const values: number[] = [];
    const headers = signer(service, target);
    for (const connections of quantities) {
      const load = { url: service.url, target, headers, connections, seconds: 3 };
      values.push((await measureThroughput(load)).perSecond);
    }
    series.push({ name: title, values });
  }
  const title = "Answers a second to connections that ask one after another";
  return { name: "clients", title, quantity: "connections", unit: "answers/s", quantities, series };
}

/** Returns a function that gives the headers of a request, signed anew every second. */
function signer(service: Service, target: string): () => Readonly<Record<string, string>> {
  let headers: Record<string, string> = {};
  let second = 0;
  return () => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) headers = signedHeaders(service, "GET", target);
    second = now;
    return headers;
  };
}

// In a process of its own: a server that answers every request with the same text.
if (process.argv[2] === "serve") {
  await serveForked((_, response) => response.setHeader("content-type", "application/json").end(process.argv[3]));
}
