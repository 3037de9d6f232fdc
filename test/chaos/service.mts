/** Runs a real service process and sends signed requests to it. */
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { authorization } = createRequire(import.meta.url)(
  join(root, "service/dist/contract/index.js"),
) as typeof import("../../contract/index.ts");

/** Where a service keeps its data, and its clusters. */
export interface ServiceOptions {
  /** The folder of its state, its logs and its clusters. */
  readonly directory: string;
  /** The folder of its buckets. */
  readonly buckets: string;
  /** Value of `--storage`. @default the folder of the buckets */
  readonly storage?: string;
  /** Environment of the service besides this process's. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly clusters: readonly { readonly name: string; readonly slots: number; readonly memory: string }[];
}

export interface Service extends ServiceOptions {
  readonly process: ChildProcess;
  readonly url: string;
  /** What the process has written to its standard error. */
  readonly errors: () => string;
}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Starts a service and waits until it listens. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { directory, buckets, storage = `file:${buckets}` } = options;
  const clusters = options.clusters.map(({ name, slots, memory }) => ({
    name,
    memory,
    instances: [{ grade: "small", quantity: slots + 1 }],
  }));
  const schema = "bigint id, string v";
  const tables = [
    { database: "data", table: "events", schema },
    { database: "data", table: "big", schema },
  ];
  const args = ["--listen", "127.0.0.1:0", "--data", directory, "--storage", storage];
  const declared = ["--clusters", JSON.stringify(clusters), "--tables", JSON.stringify(tables)];
  const main = join(root, "service/dist/service/main.js");
  const child = spawn(process.execPath, [main, ...args, ...declared], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...options.environment },
  });
  const killWithParent = () => child.kill("SIGKILL");
  process.once("exit", killWithParent);
  child.once("exit", () => process.off("exit", killWithParent));
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  const first = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`the service ended with exit code ${code}: ${errors}`)));
  });
  child.stdout.resume();
  const { url } = JSON.parse(first) as { url: string };
  return { ...options, process: child, url, errors: () => errors };
}

export function killService({ process: child }: Service): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });
}

/** Sends one request; returns undefined when the connection breaks before the response is complete. */
export async function call(...request: Parameters<typeof answerOf>): Promise<Answer | undefined> {
  try {
    return await answerOf(...request);
  } catch {
    return undefined;
  }
}

async function answerOf(
  service: Pick<Service, "url" | "directory">,
  method: string,
  target: string,
  body?: object,
): Promise<Answer> {
  const headers = signedHeaders(service, method, target, body === undefined ? undefined : "application/json");
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(service.url + target, { method, headers, ...init });
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

/** Returns the headers of a request, signed now. */
export function signedHeaders(
  { directory }: Pick<Service, "directory">,
  method: string,
  target: string,
  contentType?: string,
): Record<string, string> {
  const credentials = JSON.parse(readFileSync(join(directory, "credentials.json"), "utf8"));
  const date = new Date().toUTCString();
  return {
    Date: date,
    Authorization: authorization({ method, target, contentType, date }, credentials),
    ...(contentType === undefined ? {} : { "Content-Type": contentType }),
  };
}

/** A query as the list shows it. */
export interface Query {
  readonly id: number;
  readonly label: string;
  readonly status: string;
}

/** Returns every query, or those that run, in the order of their submission. */
export async function everyQuery(service: Service, status?: "running"): Promise<Query[]> {
  const queries: Query[] = [];
  const filter = status === undefined ? "" : `&status=${status}`;
  for (let marker = ""; ;) {
    const target = `/v1/?query&order=asc${filter}${marker}`;
    const { body } = await answerOf(service, "GET", target).catch((error: unknown) => {
      throw new Error(`GET ${target} was not answered ${stateOf(service)}`, { cause: error });
    });
    queries.push(...(body.queries as Query[]));
    if (body.isTruncated !== true) return queries;
    marker = `&marker=${String(body.nextMarker)}`;
  }
}

/** Describes a service that does not answer. */
function stateOf({ process: child, errors }: Service): string {
  const ended = child.exitCode ?? child.signalCode;
  return `by a service that ${ended === null ? "runs" : `has ended with ${ended}`}: ${errors()}`;
}

/** Returns a seeded pseudo-random generator (mulberry32) of numbers from 0 (inclusive) to 1 (exclusive). */
export function generator(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
