/** What the service is asked to do until it is killed, and what it answered. */
import { call, type Service } from "./service.mts";

/** One submission; its label is its own. */
interface Submission {
  readonly label: string;
  readonly kind: "select" | "split";
  /** Folder below `out` or table of `data`. */
  readonly target: string;
  /** Given with a 202; undefined where no answer came. */
  id?: number;
}

/** Everything that was asked for and not refused. */
export interface Ledger {
  readonly submissions: Submission[];
  /** Queries whose cancellation was answered with 204. */
  readonly cancelled: Set<number>;
}

/** Uses the service with a few callers at once until the signal aborts. */
export async function load(service: Service, ledger: Ledger, random: () => number, signal: AbortSignal): Promise<void> {
  const caller = async () => {
    while (!signal.aborted) {
      const dice = random();
      if (dice < 0.5) await select(service, ledger, random, false);
      else if (dice < 0.6) await select(service, ledger, random, true);
      else if (dice < 0.85) await split(service, ledger);
      else if (dice < 0.97) await cancel(service, ledger, random);
      else await call(service, "PUT", "/v1/c1?clusterManagement", { force: random() < 0.5 });
      await new Promise((resolve) => setTimeout(resolve, random() * 30));
    }
  };
  await Promise.all(Array.from({ length: 4 }, caller));
}

/** A statement whose result tells which submission it is of, in every row; a slow one takes a second or two. */
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
  // Written down first: where no answer comes, the query may be there or not, but not twice.
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
