/**
 * Kills, stops and shuts down service processes that share one PostgreSQL database, and the database itself, under load,
 * and counts what was lost, ended or published twice, half-written or taken over late.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startPostgres } from "../contract/state/postgres-server.mts";
import {
  call,
  everyQuery,
  generator,
  killService,
  startService,
  type Service,
  type ServiceOptions,
} from "./service.mts";

/** Service processes at a time, and the queries that run at a time on all of them together. */
const processes = 3;
const slots = 6;
/** Milliseconds within which a query of a dead process begins again. */
const longestTakeover = 25_000;
/** Milliseconds for which a process is stopped: longer than its lease. */
const stopped = 13_000;

const statements = [
  "select count(*) n from data.events",
  "select count(*) n from data.events a join data.events b on a.id % 3000 = b.id % 2999 where a.v <> b.v",
];
const faults = ["kill -9", "kill -9", "SIGSTOP", "SIGTERM", "kill -9 of the database"] as const;

/** Runs some rounds. Returns true when nothing was lost, twice, half-written or late. */
export async function runSeveral({
  rounds,
  seed,
}: {
  readonly rounds: number;
  readonly seed: number;
}): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), "dag-several-"));
  const random = generator(seed);
  const server = await startPostgres();
  const clusters = [{ name: "c1", slots, memory: "512MB" }];
  const buckets = join(directory, "buckets");
  const options: ServiceOptions = {
    directory: join(directory, "state"),
    buckets,
    clusters,
    environment: { DAG_SERVICE_STATE: await server.createDatabase() },
  };
  mkdirSync(join(buckets, "data/events"), { recursive: true });
  mkdirSync(join(buckets, "out"));
  writeFileSync(
    join(buckets, "data/events/a.csv"),
    Array.from({ length: 20_000 }, (_, id) => `${id},v${id}\n`).join(""),
  );

  const services: Service[] = [];
  const accepted = new Set<number>();
  const cancelled = new Set<number>();
  const findings: string[] = [];
  const counts = new Map<string, number>();
  const takeovers: number[] = [];
  let count = 0;
  let mostRunning = 0;

  const any = () => services[Math.floor(random() * services.length)]!;
  const load = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const query = statements[random() < 0.5 ? 0 : 1]!;
      const body = { clusterName: "c1", query, outputResourcePath: `dag://out/q${(count += 1)}`, label: `q${count}` };
      const answer = await call(any(), "POST", "/v1/?select", body);
      if (answer?.status === 202) {
        const id = Number(answer.body["queryId"]);
        if (accepted.has(id)) findings.push(`query ${id} was accepted twice`);
        accepted.add(id);
        if (random() < 0.2 && (await call(any(), "DELETE", `/v1/${id}?query`))?.status === 204) cancelled.add(id);
      }
      const list = await call(any(), "GET", "/v1/?query&status=running&max=100");
      if (list?.status === 200) mostRunning = Math.max(mostRunning, (list.body["queries"] as unknown[]).length);
      await sleep(30 + random() * 100);
    }
  };

  try {
    while (services.length < processes) services.push(await startService(options));
    for (let round = 1; round <= rounds; round += 1) {
      const stop = new AbortController();
      const loading = Promise.all([load(stop.signal), load(stop.signal), load(stop.signal)]);
      await sleep(500 + random() * 2000);
      const fault = faults[Math.floor(random() * faults.length)]!;
      counts.set(fault, (counts.get(fault) ?? 0) + 1);
      const victim = any();
      if (fault === "kill -9 of the database") {
        await server.kill();
        await sleep(random() * 3000);
        await server.start();
      } else if (fault === "SIGSTOP") {
        services.splice(services.indexOf(victim), 1);
        victim.process.kill("SIGSTOP");
        await sleep(stopped);
        victim.process.kill("SIGCONT");
        services.push(victim);
      } else {
        services.splice(services.indexOf(victim), 1);
        if (fault === "SIGTERM") {
          const ended = new Promise((resolve) => victim.process.once("exit", resolve));
          victim.process.kill("SIGTERM");
          await ended;
        } else await killService(victim);
        const gone = performance.now();
        const left = (await everyQuery(any(), "running")).map(({ id }) => id);
        services.push(await startService(options));
        stop.abort();
        await loading;
        const late = await waitForEnd(any(), left, longestTakeover + 60_000);
        for (const id of late) findings.push(`query ${id} did not end after its process had`);
        takeovers.push(performance.now() - gone);
      }
      stop.abort();
      await loading;
      console.error(`round ${round} of ${rounds}: ${fault}, ${accepted.size} accepted`);
    }
    const running = (await everyQuery(services[0]!, "running")).map(({ id }) => id);
    for (const id of await waitForEnd(services[0]!, running, 90_000)) findings.push(`query ${id} never ended`);
    const stored = new Map((await everyQuery(services[0]!)).map((query) => [query.id, query]));
    for (const id of accepted) if (!stored.has(id)) findings.push(`query ${id} is lost`);
    for (const { id, label, status } of stored.values())
      findings.push(...faultsOf(options, { id, label, status }, cancelled));
    if (mostRunning > slots) findings.push(`${mostRunning} queries ran at a time, the maximum is ${slots}`);
    await sleep(2000);
    for (const name of readdirSync(join(buckets, "out"))) if (name.startsWith("tmp")) findings.push(`${name} is left`);
    console.log(
      `seed ${seed}: ${rounds} rounds (${[...counts].map(([name, times]) => `${name} ${times}`).join(", ")}), ` +
        `${accepted.size} accepted, ${stored.size} stored, at most ${mostRunning} at a time, ` +
        `all ended ${takeovers.map((time) => (time / 1000).toFixed(1)).join(", ")} s after the end of their process: ` +
        `${findings.length} findings`,
    );
    for (const finding of findings) console.log(finding);
    return findings.length === 0;
  } finally {
    await Promise.all(services.map(killService));
    await server.delete();
    if (findings.length === 0) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    else console.log(`the services' data is kept for inspection: ${directory}`);
  }
}

/** Waits until the queries have ended. Returns those that have not in time. */
async function waitForEnd(service: Service, ids: readonly number[], milliseconds: number): Promise<readonly number[]> {
  let left = ids;
  for (const end = Date.now() + milliseconds; left.length > 0 && Date.now() < end; await sleep(200)) {
    const running = new Set((await everyQuery(service, "running").catch(() => undefined))?.map(({ id }) => id) ?? ids);
    left = left.filter((id) => running.has(id));
  }
  return left;
}

/** Says what is wrong with an ended query: its end, its log or its output. */
function faultsOf(
  { directory, buckets }: ServiceOptions,
  { id, label, status }: { readonly id: number; readonly label: string; readonly status: string },
  cancelled: ReadonlySet<number>,
): string[] {
  const found: string[] = [];
  const output = join(buckets, "out", label, "000000_0");
  const text = existsSync(output) ? readFileSync(output, "utf8") : undefined;
  if (status === "finished" ? !/^\d+\n$/.test(text ?? "") : text !== undefined) {
    found.push(`query ${id} is ${status} and its output is ${JSON.stringify(text)}`);
  }
  if (cancelled.has(id) && status !== "canceled") found.push(`query ${id} was cancelled and is ${status}`);
  if (!["finished", "canceled"].includes(status)) found.push(`query ${id} is ${status}`);
  const log = join(directory, "logs/c1/queries", String(Math.floor(id / 1000)), `${id}.log`);
  const ends = existsSync(log) ? (readFileSync(log, "utf8").match(/Z (?:finished|error|canceled) after /g) ?? []) : [];
  // The process that wrote the end may have been killed before the line, and one that ends another's query writes none.
  if (ends.length > 1) found.push(`query ${id} ended ${ends.length} times`);
  return found;
}
