/**
 * A service as `npm run service` starts it, with its defaults, and a client that waits as its users do: everything is
 * asked over HTTP from another process.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { call, signedHeaders, type Answer } from "../../chaos/service.mts";
import { Connections } from "./connections.mts";

const main = fileURLToPath(new URL("../../../service/dist/service/main.js", import.meta.url));

/** The cluster of a service without a config. */
export const cluster = "demo";

export interface DoorOptions {
  /** Folder of the service; a new one that is deleted when the service is closed unless it is given. */
  readonly directory?: string;
  /** Tables that the config declares. */
  readonly tables?: readonly object[];
  /** Clusters besides the defaults. @default one named {@link cluster} */
  readonly clusters?: readonly object[];
  /** Parent of the folder. @default the system's folder for temporary files */
  readonly parent?: string;
}

export interface Door extends AsyncDisposable {
  readonly url: string;
  readonly directory: string;
  /** Folder of the buckets `data`, `lake` and `out`. */
  readonly buckets: string;
  readonly pid: number;
  readonly connections: Connections;
  /** Milliseconds from the start of the process to the answer to its first signed request. */
  readonly startMilliseconds: number;
}

/** Starts a service. */
export async function openDoor({ directory, tables, clusters, parent = tmpdir() }: DoorOptions = {}): Promise<Door> {
  const folder = directory ?? mkdtempSync(join(parent, "bench-"));
  const buckets = join(folder, "buckets");
  for (const bucket of ["data", "lake", "out"]) mkdirSync(join(buckets, bucket), { recursive: true });
  const declared = [
    ...(tables ? ["--tables", JSON.stringify(tables)] : []),
    ...(clusters ? ["--clusters", JSON.stringify(clusters)] : []),
  ];
  const started = performance.now();
  const child = spawn(process.execPath, [main, "--listen", "127.0.0.1:0", "--data", folder, ...declared], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const killWithParent = () => child.kill("SIGKILL");
  process.once("exit", killWithParent);
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  const first = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`the service ended with exit code ${code}: ${errors}`)));
  });
  child.stdout.resume();
  const { url } = JSON.parse(first) as { url: string };
  const answer = await call({ url, directory: folder }, "GET", "/v1/?clusterManagement");
  if (answer?.status !== 200) throw new Error(`the service answered ${JSON.stringify(answer)}: ${errors}`);
  const connections = new Connections(url);
  return {
    url,
    directory: folder,
    buckets,
    pid: child.pid!,
    connections,
    startMilliseconds: performance.now() - started,
    async [Symbol.asyncDispose]() {
      connections[Symbol.dispose]();
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      process.off("exit", killWithParent);
      if (directory === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Codes of answers after which a client submits again, and how often it does. */
const retried: ReadonlySet<string> = new Set(["TooManyQueries", "ServiceUnavailable"]);
const maxTries = 20;

/**
 * Submits a query and returns its ID when it has finished.
 * @param pause milliseconds between two questions for its status; by default a part of the time that has passed
 * @throws Error when it ends otherwise
 */
export async function finish(door: Door, kind: "select" | "split", body: object, pause?: number): Promise<number> {
  const submit = () => ask(door, "POST", `/v1/?${kind}`, { clusterName: cluster, ...body });
  let accepted = await submit();
  // As clients do: the service says that the submission may be repeated.
  for (let tries = 1; retried.has(String(accepted.body["code"])) && tries < maxTries; tries += 1) {
    await sleep(100);
    accepted = await submit();
  }
  if (accepted.status !== 202) throw new Error(`the submission was answered with ${JSON.stringify(accepted)}`);
  const id = Number(accepted.body["queryId"]);
  const submitted = performance.now();
  for (;;) {
    const { status } = (await ask(door, "GET", `/v1/${id}?query`)).body;
    if (status === "finished") return id;
    if (status !== "running") throw new Error(`query ${id} ended as ${String(status)}: ${await logOf(door, id)}`);
    // Each question takes half a millisecond of the processors from the query: asking after a hundredth of what has passed
    // already makes a select longer by a tenth, and after a thirtieth by a thirtieth, of which half is the wait itself.
    await sleep(pause ?? Math.max(2, (performance.now() - submitted) / 30));
  }
}

/** Sends a signed request over a kept connection. */
export function ask(door: Door, method: string, target: string, body?: object): Promise<Answer> {
  const { connections } = door;
  if (body === undefined) return connections.ask({ method, target, headers: signedHeaders(door, method, target) });
  const headers = signedHeaders(door, method, target, "application/json");
  return connections.ask({ method, target, headers, body: JSON.stringify(body) });
}

async function logOf(door: Door, id: number): Promise<string> {
  const answer: Answer | undefined = await call(door, "GET", `/v1/${id}/log?query`);
  return JSON.stringify(answer?.body);
}

/** CPU time in seconds that the service's processes have taken, with those that have ended. */
export function cpuSeconds({ pid }: Door): number {
  let ticks = 0;
  for (const each of processesBelow(pid)) {
    const fields = readFileSync(`/proc/${each}/stat`, "utf8").split(") ")[1]!.split(" ");
    // utime, stime and those of the children that have ended.
    ticks += fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  }
  return ticks / 100;
}

/** Memory of the service's processes, in MiB. `pss` counts what they share once. */
export interface Memory {
  readonly rss: number;
  readonly pss: number;
}

export function memoryOf({ pid }: Door): Memory {
  let [rss, pss] = [0, 0];
  for (const each of processesBelow(pid)) {
    const text = readFileSync(`/proc/${each}/smaps_rollup`, "utf8");
    rss += Number(/^Rss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
    pss += Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) / 1024;
  }
  return { rss, pss };
}

/** Returns the greatest memory while work runs. */
export async function greatestMemory(door: Door, work: Promise<unknown>): Promise<Memory> {
  let greatest: Memory = { rss: 0, pss: 0 };
  const ended = work.then(
    () => true,
    () => true,
  );
  for (let isEnded = false; !isEnded;) {
    const { rss, pss } = memoryOf(door);
    greatest = { rss: Math.max(greatest.rss, rss), pss: Math.max(greatest.pss, pss) };
    isEnded = await Promise.race([ended, sleep(20, false)]);
  }
  await work;
  return greatest;
}

function processesBelow(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
    return [pid, ...children.flatMap(processesBelow)];
  } catch (error) {
    // A process or thread that has ended meanwhile.
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}
