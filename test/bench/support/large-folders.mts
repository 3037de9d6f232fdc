/**
 * Measures how long a service keeps others waiting while it works on a folder of many objects: the longest answer time
 * of `GET /healthz`, asked without a pause from this process, which is the longest time for which the service's event
 * loop was held, and a little more.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { call } from "../../chaos/service.mts";
import { cluster, finish, type Door } from "./door.mts";
import { compare, type Measurement } from "./results.mts";

/** Callers that list a folder at the same time. */
const callers = 32;

/** Measures each kind of work over folders of so many objects. */
export async function measureLargeFolders(service: Door, count: number): Promise<Measurement[]> {
  for (let index = 0; index < count; index += 1) {
    const name = String((index * 7919) % count).padStart(6, "0");
    write(service, `data/t/part-${name}.csv`);
    write(service, `data/p/k=${name}/a.csv`);
    write(service, `out/old/part-${name}`);
  }
  const page = "/objects?prefix=dag://data/t/&max=100";
  const works: Readonly<Record<string, () => Promise<unknown>>> = {
    "a page of the folder is listed": () => get(service, page),
    [`${callers} callers list the folder`]: () =>
      Promise.all(Array.from({ length: callers }, () => get(service, page))),
    "the table is described": () => get(service, "/catalog/data/t"),
    "a table with as many partitions is described": () => get(service, "/catalog/data/p"),
    "statistics are measured": () => get(service, `/v1/${cluster}/statistics?clusterManagement`),
    "a select reads one of as many partitions": () =>
      run(service, "select count(*) from data.p where k = '000001'", "dag://out/one"),
    "a result of as many objects is replaced": () => run(service, "select 1", "dag://out/old"),
  };
  const measurements: Measurement[] = [];
  for (const [title, work] of Object.entries(works)) {
    const longest = await longestAnswer(service, work());
    const measured = { title: `longest answer of /healthz while ${title} (${count.toLocaleString("en")} objects)` };
    measurements.push(compare({ ...measured, unit: "ms", bars: [{ atMost: 50 }] }, { "dag-service": [longest] }));
  }
  return measurements;
}

function write({ buckets }: Door, key: string): void {
  const path = join(buckets, key);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "1,2\n");
}

async function get(service: Door, target: string): Promise<Record<string, unknown>> {
  const answer = await call(service, "GET", target);
  if (answer?.status !== 200) throw new Error(`GET ${target} was answered with ${JSON.stringify(answer)}`);
  return answer.body;
}

async function run(service: Door, query: string, outputResourcePath: string): Promise<void> {
  await finish(service, "select", { query, outputResourcePath });
}

async function longestAnswer({ url }: Door, work: Promise<unknown>): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const done = new AbortController();
  let longest = 0;
  const ended = work.finally(() => done.abort());
  ended.catch(() => undefined);
  while (!done.signal.aborted) {
    const started = performance.now();
    await new Promise<void>((resolve, reject) => {
      const asked = request(`${url}/healthz`, { agent }, (answer) => answer.resume().once("end", resolve));
      asked.once("error", reject).end();
    });
    longest = Math.max(longest, performance.now() - started);
  }
  agent.destroy();
  await ended;
  return longest;
}
