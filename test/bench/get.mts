/**
 * Compares the answers a second of the service, for the record of a query and for a list of 100, with those of a Node
 * server that checks nothing and answers the same bytes. The service has 20,000 queries, the IDs are asked at random,
 * each request has a signature of its own, and they come from a process of their own.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { call, signedHeaders } from "../chaos/service.mts";
import { openDoor, type Door } from "./support/door.mts";
import { fillState } from "./support/filled-state.mts";
import { serveForked, startForked } from "./support/forked-server.mts";
import {
  startLoadClient,
  type Load,
  type LoadClient,
  type SignedGet,
  type Throughput,
} from "./support/load-client.mts";
import { timePairs } from "./support/pairs.mts";
import { compare, type BenchResult, type Growth, type Measurement } from "./support/results.mts";

/** Requests that differ, of each kind: more would not fit into one message to the client. */
const differentRequests = 10_000;

interface Kind {
  readonly title: string;
  /** The least answers a second. */
  readonly atLeast: number;
  target(id: number): string;
}

const kinds: readonly Kind[] = [
  { title: "get query", atLeast: 10_000, target: (id) => `/v1/${id}?query` },
  { title: "list of 100", atLeast: 4000, target: (id) => `/v1/?query&marker=${id + 100}` },
];

/** Connections of callers at which 99 of 100 answers come within 100 ms. */
const manyConnections = 200;

/** Measures the answers a second, and the time of 99 of 100 answers. */
export async function bench(options: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...options],
    options: {
      queries: { type: "string", default: "20000" },
      seconds: { type: "string", default: "3" },
      rounds: { type: "string", default: "5" },
      connections: { type: "string", default: "32" },
      growth: { type: "boolean", default: false },
    },
  });
  const directory = mkdtempSync(join(tmpdir(), "bench-get-"));
  try {
    const queries = Number(values.queries);
    await fillState({ directory }, queries);
    await using door = await openDoor({ directory });
    await using client = await startLoadClient();
    const measurements: Measurement[] = [];
    const load = { seconds: Number(values.seconds), connections: Number(values.connections) };
    const rounds = Number(values.rounds);
    for (const kind of kinds)
      measurements.push(...(await compareWithBare(door, client, { kind, queries, rounds, load })));
    for (const kind of kinds) {
      const results: Throughput[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const requests = signedRequests(door, kind, queries);
        results.push(await client.measure({ ...load, connections: manyConnections, url: door.url, requests }));
      }
      const heading = { title: `${kind.title}, ${manyConnections} connections: 99 of 100 answers within`, unit: "ms" };
      measurements.push(
        compare({ ...heading, bars: [{ atMost: 100 }] }, { "dag-service": results.map(({ p99 }) => p99) }),
      );
    }
    return { measurements, ...(values.growth ? { growths: [await growth(door, client, queries)] } : {}) };
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Comparison {
  readonly kind: Kind;
  readonly queries: number;
  readonly rounds: number;
  readonly load: Pick<Load, "seconds" | "connections">;
}

async function compareWithBare(
  door: Door,
  client: LoadClient,
  { kind, queries, rounds, load }: Comparison,
): Promise<Measurement[]> {
  const text = JSON.stringify((await call(door, "GET", kind.target(Math.ceil(queries / 2))))!.body);
  await using bare = await startForked(import.meta.url, text);
  const run = (url: string) => async () =>
    await client.measure({ ...load, url, requests: signedRequests(door, kind, queries) });
  const contestants = [run(door.url), run(bare.url)];
  const [ours = [], reference = []] = await timePairs({ rounds, warmUps: contestants, contestants });
  const heading = `${kind.title} of ${queries}, ${text.length} bytes, ${load.connections} connections`;
  const values = (of: (result: Throughput) => number) => ({
    "dag-service": ours.map(of),
    "bare Node server": reference.map(of),
  });
  return [
    compare(
      { title: heading, unit: "answers/s", bars: [{ atLeast: kind.atLeast }] },
      values(({ perSecond }) => perSecond),
    ),
    compare(
      { title: `${heading}: 99 of 100 answers within`, unit: "ms" },
      values(({ p99 }) => p99),
    ),
  ];
}

/** Returns requests for IDs at random, each signed now. */
function signedRequests(door: Door, { target }: Kind, queries: number): SignedGet[] {
  return Array.from({ length: differentRequests }, () => {
    const own = target(1 + Math.floor(Math.random() * (queries - 100)));
    return { target: own, headers: signedHeaders(door, "GET", own) };
  });
}

/** Measures 1 to 32 connections. */
async function growth(door: Door, client: LoadClient, queries: number): Promise<Growth> {
  const quantities = [1, 2, 4, 8, 16, 32];
  const series = [];
  for (const kind of kinds) {
    const values: number[] = [];
    for (const connections of quantities) {
      const requests = signedRequests(door, kind, queries);
      values.push((await client.measure({ url: door.url, requests, connections, seconds: 3 })).perSecond);
    }
    series.push({ name: kind.title, values });
  }
  const title = "Answers a second to connections that ask one after another";
  return { name: "clients", title, quantity: "connections", unit: "answers/s", quantities, series };
}

// In a process of its own: a server that answers every request with the same text.
if (process.argv[2] === "serve") {
  await serveForked((_, response) => response.setHeader("content-type", "application/json").end(process.argv[3]));
}
