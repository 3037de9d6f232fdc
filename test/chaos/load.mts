/** Sends requests to the service until it is killed, and records the responses. */
import { call, everyQuery, type Answer, type Service } from "./service.mts";

/**
 * What a select does: it ends at once; it takes a second or two, in DuckDB or in JavaScript; it does not end; or it needs
 * more memory than the cluster has.
 */
type Work = "quick" | "slow" | "script" | "endless" | "hog";

/** One submission, which has a unique label that ends with its work. */
interface Submission {
  readonly label: string;
  readonly kind: "select" | "split";
  /** The output: a folder in `out`, or a table of `data`. */
  readonly target: string;
  /** The query id of a 202 response; undefined without a response. */
  id?: number;
}

/** The requests that were sent and not refused. */
export interface Ledger {
  readonly submissions: Submission[];
  /** The ids of queries whose cancellation was answered with 204. */
  readonly cancelled: Set<number>;
  /** The ids of queries whose cancellation was requested. */
  readonly cancelRequested: Set<number>;
  /** Restarts that may have cancelled queries, since the last inspection. */
  forcedRestarts: number;
  /** The number of refused submissions by code. */
  readonly refusals: Map<string, number>;
  /** Answers that blame the service, since the last inspection. */
  failures: string[];
}

/** Returns a ledger without requests. */
export function newLedger(): Ledger {
  return {
    submissions: [],
    cancelled: new Set(),
    cancelRequested: new Set(),
    forcedRestarts: 0,
    refusals: new Map(),
    failures: [],
  };
}

/** Sends requests from four concurrent callers until the signal aborts. */
export async function load(service: Service, ledger: Ledger, random: () => number, signal: AbortSignal): Promise<void> {
  const caller = async () => {
    while (!signal.aborted) {
      const choice = random();
      if (choice < 0.4) await select(service, ledger, random, "quick");
      else if (choice < 0.5) await select(service, ledger, random, "slow");
      else if (choice < 0.56) await select(service, ledger, random, "script");
      else if (choice < 0.6) await selectAndCancel(service, ledger, random, "endless");
      else if (choice < 0.63) await select(service, ledger, random, "hog");
      else if (choice < 0.85) await split(service, ledger);
      else if (choice < 0.97) await cancelOne(service, ledger, random);
      else await restart(service, ledger, random() < 0.5);
      await pause(random() * 30);
    }
  };
  // A killed service resumes the queries that do not end.
  await cancelEndless(service, ledger);
  await Promise.all(Array.from({ length: 4 }, caller));
}

/** Cancels the running queries that do not end by themselves. */
export async function cancelEndless(service: Service, ledger: Ledger): Promise<void> {
  const running = await everyQuery(service, "running").catch(() => []);
  await Promise.all(
    running.filter(({ label }) => label.endsWith("-endless")).map(({ id }) => cancel(service, ledger, id)),
  );
}

/** Cancels a query, and records an acknowledged cancellation. */
export async function cancel(service: Service, ledger: Ledger, id: number): Promise<void> {
  ledger.cancelRequested.add(id);
  const answer = await call(service, "DELETE", `/v1/${id}?query`);
  if (answer?.status === 204) ledger.cancelled.add(id);
  else noteFailure(ledger, "a cancellation", answer);
}

/** Returns a statement whose result, if it ends, has the submission's label in every row. */
function statementOf(label: string, work: Work): string {
  const events = (condition: string, value: string) =>
    `select '${label}' l, a.id id from data.events a cross join (select ${value} n from data.events b cross join data.events c where ${condition}) x`;
  switch (work) {
    case "quick":
      return `select '${label}' l, id from data.events`;
    case "slow":
      return events("b.id < 4000 and b.id + c.id >= 0", "count(*)");
    case "script":
      return events("b.id < 10", "max(cast(b.id as decimal(30,10)) / cast(c.id + 1 as decimal(30,10)))");
    case "endless":
      return events("b.id < 1 and concat(repeat('a', 40), c.v) rlike '(?=a)(a+)+$'", "count(*)");
    case "hog":
      return events("b.id < 1", "max(length(repeat(c.v, 100000000)))");
  }
}

async function select(service: Service, ledger: Ledger, random: () => number, work: Work): Promise<Submission> {
  const submission: Submission = {
    label: `s${ledger.submissions.length}-${work}`,
    kind: "select",
    target: `f${Math.floor(random() * 8)}`,
  };
  await submit(service, ledger, submission, "/v1/?select", {
    query: statementOf(submission.label, work),
    outputResourcePath: `dag://out/${submission.target}/`,
  });
  return submission;
}

async function selectAndCancel(service: Service, ledger: Ledger, random: () => number, work: Work): Promise<void> {
  const { id } = await select(service, ledger, random, work);
  await pause(random() * 1500);
  if (id !== undefined) await cancel(service, ledger, id);
}

async function split(service: Service, ledger: Ledger): Promise<void> {
  const number = ledger.submissions.length;
  const submission: Submission = { label: `s${number}-split`, kind: "split", target: `t${number}` };
  await submit(service, ledger, submission, "/v1/?split", {
    inputObjectKeys: ["dag://raw/in.csv"],
    outputDatabase: "data",
    outputTable: submission.target,
    schema: "bigint id, string v",
  });
}

async function submit(service: Service, ledger: Ledger, submission: Submission, target: string, body: object) {
  // Recorded before the request: without a response, the query may exist once or not at all, but never twice.
  ledger.submissions.push(submission);
  const answer = await call(service, "POST", target, { clusterName: "c1", label: submission.label, ...body });
  if (answer?.status === 202) submission.id = Number(answer.body.queryId);
  else if (answer) {
    ledger.submissions[ledger.submissions.indexOf(submission)] = { ...submission, label: "" };
    const code = String(answer.body.code);
    ledger.refusals.set(code, (ledger.refusals.get(code) ?? 0) + 1);
    noteFailure(ledger, submission.label, answer);
  }
}

async function cancelOne(service: Service, ledger: Ledger, random: () => number): Promise<void> {
  const known = ledger.submissions.flatMap(({ id }) => (id === undefined ? [] : [id])).slice(-12);
  const id = known[Math.floor(random() * known.length)];
  if (id !== undefined) await cancel(service, ledger, id);
}

async function restart(service: Service, ledger: Ledger, force: boolean): Promise<void> {
  if (force) ledger.forcedRestarts += 1;
  noteFailure(ledger, "a restart", await call(service, "PUT", "/v1/c1?clusterManagement", { force }));
}

/** Records an answer that blames the service. */
function noteFailure(ledger: Ledger, what: string, answer: Answer | undefined): void {
  if (answer?.status === 500) ledger.failures.push(`${what}: ${String(answer.body.message)}`);
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
