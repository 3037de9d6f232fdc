/** Sends requests to the service until it is killed, and records the responses. */
import { call, type Service } from "./service.mts";

/** One submission, which has a unique label. */
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
}

/** Sends requests from four concurrent callers until the signal aborts. */
export async function load(service: Service, ledger: Ledger, random: () => number, signal: AbortSignal): Promise<void> {
  const caller = async () => {
    while (!signal.aborted) {
      const choice = random();
      if (choice < 0.5) await select(service, ledger, random, false);
      else if (choice < 0.6) await select(service, ledger, random, true);
      else if (choice < 0.85) await split(service, ledger);
      else if (choice < 0.97) await cancel(service, ledger, random);
      else await call(service, "PUT", "/v1/c1?clusterManagement", { force: random() < 0.5 });
      await new Promise((resolve) => setTimeout(resolve, random() * 30));
    }
  };
  await Promise.all(Array.from({ length: 4 }, caller));
}

/** Returns a statement whose result has the submission's label in every row; a slow one takes one or two seconds. */
function statementOf(label: string, slow: boolean): string {
  if (!slow) return `select '${label}' l, id from data.events`;
  const slowly = "select count(*) n from data.events b cross join data.events c where b.id < 4000 and b.id + c.id >= 0";
  return `select '${label}' l, a.id id from data.events a cross join (${slowly}) x`;
}

async function select(service: Service, ledger: Ledger, random: () => number, slow: boolean): Promise<void> {
  const submission: Submission = {
    label: `s${ledger.submissions.length}-${slow ? "slow" : "quick"}`,
    kind: "select",
    target: `f${Math.floor(random() * 8)}`,
  };
  await submit(service, ledger, submission, "/v1/?select", {
    query: statementOf(submission.label, slow),
    outputResourcePath: `dag://out/${submission.target}/`,
  });
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
  else if (answer) ledger.submissions[ledger.submissions.indexOf(submission)] = { ...submission, label: "" };
}

async function cancel(service: Service, ledger: Ledger, random: () => number): Promise<void> {
  const known = ledger.submissions.flatMap(({ id }) => (id === undefined ? [] : [id])).slice(-12);
  const id = known[Math.floor(random() * known.length)];
  if (id === undefined) return;
  const answer = await call(service, "DELETE", `/v1/${id}?query`);
  if (answer?.status === 204) ledger.cancelled.add(id);
}
