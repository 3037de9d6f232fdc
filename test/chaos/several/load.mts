/** Submits queries to whichever process answers, waits for their ends, and notes what was answered. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Findings } from "./findings.mts";
import { splitInputs, type Processes } from "./processes.mts";

/** Callers, each with one query at a time: as many as the first cluster has slots, and one of the second cluster. */
const callers = ["c1", "c1", "c1", "c1", "c2"] as const;
/** Folders of results of a caller, which it uses again and again. */
const targetsOfCaller = 2;
/** Milliseconds after which a caller no longer waits for its query. */
const patience = 40_000;

/** The folders of all results. */
export const targets: readonly string[] = callers.flatMap((_, caller) =>
  [...Array(targetsOfCaller).keys()].map((number) => targetOf(caller, number)),
);

/** What was submitted and answered. */
export interface Ledger {
  /** Labels of the queries whose submission was answered with 202, by their ID. */
  readonly accepted: Map<number, string>;
  /** The output of each submission: a folder of `out`, or a table of `data`. */
  readonly targets: Map<string, string>;
  /** IDs of the queries whose cancellation was asked for, and of those for which it was confirmed. */
  readonly cancelAsked: Set<number>;
  readonly cancelled: Set<number>;
  /** How often a request was answered so: its name with a code. */
  readonly answers: Map<string, number>;
  readonly findings: Findings;
}

export const newLedger = (findings: Findings): Ledger => ({
  accepted: new Map(),
  targets: new Map(),
  cancelAsked: new Set(),
  cancelled: new Set(),
  answers: new Map(),
  findings,
});

/** Sends requests until the signal aborts. */
export async function load(
  processes: Processes,
  ledger: Ledger,
  random: () => number,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    callers.map(async (cluster, caller) => {
      while (!signal.aborted) {
        const id = await submit(processes, ledger, random, { cluster, caller });
        if (id === undefined) await sleep(200 + random() * 800);
        else await follow(processes, ledger, random, id, signal);
      }
    }),
  );
}

/** Asks for a log export or a restart of the second cluster, which a fault may interrupt. */
export async function manage(processes: Processes, ledger: Ledger, random: () => number): Promise<void> {
  const choice = random();
  if (choice < 0.3) {
    const body = { outputLogPath: `dag://out/logs-${choice < 0.15 ? "c1" : "c2"}`, compress: choice < 0.2 };
    note(
      ledger,
      "export",
      await processes.ask(random, "PUT", `/v1/${choice < 0.15 ? "c1" : "c2"}/log?clusterManagement`, body),
    );
  } else if (choice < 0.45) {
    const body = { force: true, debug: random() < 0.5 };
    note(ledger, "restart", await processes.ask(random, "PUT", "/v1/c2?clusterManagement", body));
  }
}

/** Counts an answer. An internal error is a finding. */
export function note(ledger: Ledger, what: string, answer: Awaited<ReturnType<Processes["ask"]>>): void {
  const code = answer === undefined ? "no answer" : String(answer.body["code"] ?? answer.status);
  const name = `${what} ${code}`;
  ledger.answers.set(name, (ledger.answers.get(name) ?? 0) + 1);
  if (answer?.status === 500) ledger.findings.push(`internal error: ${what}: ${String(answer.body["message"])}`);
}

/** Submits a query. Returns its ID when it was accepted. */
async function submit(
  processes: Processes,
  ledger: Ledger,
  random: () => number,
  { cluster, caller }: { readonly cluster: string; readonly caller: number },
): Promise<number | undefined> {
  const label = `q${ledger.targets.size}`;
  const isSplit = random() < 0.2;
  const target = isSplit ? `t_${label}` : targetOf(caller, Math.floor(random() * targetsOfCaller));
  // Before the request: without an answer, the query exists once or not at all.
  ledger.targets.set(label, target);
  const body = isSplit
    ? {
        inputObjectKeys: splitInputs.map((name) => `dag://raw/${name}`),
        outputDatabase: "data",
        outputTable: target,
        schema: "bigint id, string v",
      }
    : { query: statementOf(label, random()), outputResourcePath: `dag://out/${target}/` };
  const answer = await processes.ask(random, "POST", `/v1/?${isSplit ? "split" : "select"}`, {
    clusterName: cluster,
    label,
    ...body,
  });
  note(ledger, "submission", answer);
  const id =
    answer === undefined || answer.status === 503
      ? await find(processes, random, label)
      : answer.status === 202
        ? Number(answer.body["queryId"])
        : undefined;
  if (id === undefined) return undefined;
  const other = ledger.accepted.get(id);
  if (other !== undefined) ledger.findings.push(`twice: the ID ${id} was given to ${other} and ${label}`);
  ledger.accepted.set(id, label);
  return id;
}

/** Looks for the query of a submission whose answer was lost, as a client does. */
async function find(processes: Processes, random: () => number, label: string): Promise<number | undefined> {
  const answer = await processes.ask(random, "GET", `/v1/?query&labelPrefix=${label}`);
  const queries = answer?.status === 200 ? (answer.body["queries"] as { id: number; label: string }[]) : [];
  return queries.find((query) => query.label === label)?.id;
}

/** Waits for the end of a query, and cancels some. */
async function follow(
  processes: Processes,
  ledger: Ledger,
  random: () => number,
  id: number,
  signal: AbortSignal,
): Promise<void> {
  const cancelAt = random() < 0.15 ? Date.now() + random() * 4000 : Infinity;
  for (const end = Date.now() + patience; Date.now() < end && !signal.aborted; await sleep(100 + random() * 100)) {
    if (Date.now() > cancelAt && !ledger.cancelAsked.has(id)) {
      ledger.cancelAsked.add(id);
      const answer = await processes.ask(random, "DELETE", `/v1/${id}?query`);
      note(ledger, "cancellation", answer);
      if (answer?.status === 204) ledger.cancelled.add(id);
    }
    const answer = await processes.ask(random, "GET", `/v1/${id}?query`);
    if (answer?.status === 404) return void ledger.findings.push(`lost: query ${id}, which was accepted, is not found`);
    if (answer?.status === 200 && answer.body["status"] !== "running") return;
  }
}

/** Returns a statement that takes a moment, or some seconds. Its result is one row with the label. */
function statementOf(label: string, choice: number): string {
  const size = choice < 0.25 ? 10 : choice < 0.8 ? 500 : 2000;
  return `select '${label}' l, uuid() u, n from (select count(*) n from data.events a cross join data.events b where a.id < ${size} and (a.id + b.id) % 7 = 3) x`;
}

function targetOf(caller: number, number: number): string {
  return `f${caller}-${number}`;
}
