/** Looks at everything when nothing runs any more: what is lost, twice, half-written or left. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Faults } from "./faults.mts";
import type { Findings } from "./findings.mts";
import { note, type Ledger } from "./load.mts";
import { contentOf, type Outputs } from "./outputs.mts";
import { lines, splitInputs, type Processes } from "./processes.mts";
import type { StoredRecord } from "./records.mts";

/** Milliseconds in which the last queries end, and in which what they leave is deleted. */
const longestEnd = 120_000;
const longestSweep = 60_000;

/** What a run has counted. */
export interface Totals {
  readonly queries: number;
  readonly attempts: number;
  /** Lines of the logs that an execution has begun, and that a result is at its place. */
  readonly executions: number;
  readonly publications: number;
  readonly byStatus: ReadonlyMap<string, number>;
}

interface Run {
  readonly processes: Processes;
  readonly ledger: Ledger;
  readonly outputs: Outputs;
  readonly faults: Faults;
}

/** Waits until all queries have ended, and adds what is wrong to the findings. */
export async function judge(run: Run, findings: Findings): Promise<Totals> {
  const { processes, ledger } = run;
  let all = await processes.records.all();
  for (const end = Date.now() + longestEnd; all.some(isRunning) && Date.now() < end; await sleep(200)) {
    all = await processes.records.all();
  }
  const ids = new Map(all.map((query) => [query.id, query]));
  for (const [id, label] of ledger.accepted) {
    if (ids.get(id)?.label !== label) findings.push(`lost: query ${id} (${label})`);
  }
  const labels = Map.groupBy(all, ({ label }) => label);
  for (const [label, { length }] of labels)
    if (length > 1) findings.push(`twice: ${label} was accepted ${length} times`);
  for (const query of all) findings.push(...faultsOfEnd(query, run), ...faultsOfTable(query, run));
  findings.push(...faultsOfResults(all, run), ...(await leftovers(run)));
  const totals = await count(all, run, findings);
  // The last step, since a restart deletes the logs.
  findings.push(...(await faultsOfClusters(run)));
  return totals;
}

const isRunning = ({ status }: StoredRecord) => status === "running";

function faultsOfEnd({ id, label, status, cluster }: StoredRecord, { ledger, faults }: Run): string[] {
  if (status === "running") return [`lost: query ${id} (${label}) never ended`];
  if (ledger.cancelled.has(id) && status !== "canceled")
    return [`lost: the cancellation of query ${id}: it is ${status}`];
  // The second cluster is restarted, which cancels its queries.
  if (status === "canceled" && !ledger.cancelAsked.has(id) && cluster === "c1")
    return [`query ${id} is cancelled, unasked`];
  if (status === "error" && !faults.hasStruck(id)) return [`query ${id} (${label}) is error`];
  return [];
}

/** The result of a split: each of its objects once, or none. */
function faultsOfTable({ label, type, status }: StoredRecord, { processes, ledger }: Run): string[] {
  if (type !== "split") return [];
  const content = contentOf(join(processes.buckets, "data", ledger.targets.get(label)!));
  const expected = status === "finished" ? splitInputs.map(lines).join("") : undefined;
  return content === expected
    ? []
    : [`half-written: the table of ${label}, which is ${status}: ${content?.length} bytes`];
}

/** The result in each folder is that of the last query that finished. */
function faultsOfResults(all: readonly StoredRecord[], { ledger, outputs }: Run): string[] {
  const last = new Map<string, string>();
  for (const { label, type, status } of all) {
    if (type === "select" && status === "finished") last.set(ledger.targets.get(label)!, label);
  }
  return [...last].flatMap(([target, label]) => {
    const found = outputs.labelIn(target);
    return found === label ? [] : [`half-written: out/${target} should be of ${label} and is of ${found}`];
  });
}

/** No export or restart that a fault has interrupted stands in the way of the next one, and all processes agree. */
async function faultsOfClusters({ processes, ledger }: Run): Promise<string[]> {
  const found: string[] = [];
  const first = () => 0;
  for (const name of ["c1", "c2"]) {
    const body = { outputLogPath: `dag://out/logs-${name}`, compress: false };
    const exported = await processes.ask(first, "PUT", `/v1/${name}/log?clusterManagement`, body);
    note(ledger, "export", exported);
    if (exported?.status !== 204)
      found.push(`the log of ${name} cannot be exported: ${JSON.stringify(exported?.body)}`);
    const restarted = await processes.ask(first, "PUT", `/v1/${name}?clusterManagement`, { debug: name === "c1" });
    if (restarted?.status !== 204) found.push(`${name} cannot be restarted: ${JSON.stringify(restarted?.body)}`);
  }
  for (const index of processes.members.keys()) {
    const ask = () => processes.ask(() => index / processes.members.length, "GET", "/v1/?clusterManagement&order=asc");
    const expected = [
      { name: "c1", status: "norm", debug: true },
      { name: "c2", status: "norm", debug: false },
    ];
    let clusters: unknown;
    for (const end = Date.now() + longestSweep; Date.now() < end; await sleep(200)) {
      const answer = await ask();
      clusters = (answer?.body["clusters"] as typeof expected | undefined)?.map(({ name, status, debug }) => ({
        name,
        status,
        debug,
      }));
      if (JSON.stringify(clusters) === JSON.stringify(expected)) break;
    }
    if (JSON.stringify(clusters) !== JSON.stringify(expected)) {
      found.push(`process ${index} shows after a restart: ${JSON.stringify(clusters)}`);
    }
  }
  return found;
}

/** Temporary objects, and the notes of attempts that have written to S3, are gone a minute after the last end. */
async function leftovers({ processes }: Run): Promise<string[]> {
  const find = async () => {
    const folders = ["out", "data"].flatMap((bucket) =>
      readdirSync(join(processes.buckets, bucket))
        .filter((name) => name.startsWith("tmp"))
        .map(
          (name) =>
            `${bucket}/${name}: ${readdirSync(join(processes.buckets, bucket, name))
              .slice(0, 5)
              .join(", ")}`,
        ),
    );
    const attempts = await processes.records.attempts();
    return attempts === 0 ? folders : [...folders, `the notes of ${attempts} attempts`];
  };
  let left = await find();
  for (const end = Date.now() + longestSweep; left.length > 0 && Date.now() < end; await sleep(500))
    left = await find();
  return left.map((what) => `left: ${what}`);
}

/** Counts what the logs say. A log may miss the end of an attempt whose process was killed. */
async function count(all: readonly StoredRecord[], { processes }: Run, findings: Findings): Promise<Totals> {
  let executions = 0;
  let publications = 0;
  for (const { id, status, epoch, cluster } of all) {
    const answer = await processes.ask(() => 0, "GET", `/v1/${id}/log?query`);
    // A restart of the second cluster has deleted the logs of before.
    const log = String(answer?.body["log"] ?? "");
    const begun = log.match(/ running on duckdb: /g)?.length ?? 0;
    const ends = log.match(/Z (?:finished|error|canceled) after /g)?.length ?? 0;
    executions += begun;
    publications += log.match(/Z (?:result|table) is at /g)?.length ?? 0;
    if (begun > epoch) findings.push(`twice: query ${id} was executed ${begun} times in ${epoch} attempts`);
    // The process that stored the end may have been killed before this line.
    if (ends > 1) findings.push(`twice: query ${id} on ${cluster} (${status}) ended ${ends} times`);
  }
  const byStatus = new Map(
    [...Map.groupBy(all, ({ status }) => status)].map(([status, { length }]) => [status, length]),
  );
  return {
    queries: all.length,
    attempts: all.reduce((sum, { epoch }) => sum + epoch, 0),
    executions,
    publications,
    byStatus,
  };
}
