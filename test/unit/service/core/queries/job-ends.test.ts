import { expect, test } from "vitest";
import { cancelQuery } from "../../../../../service/core/queries/query-operations";
import { type Harness, startHarness } from "../harness";

const day = 24 * 3_600_000;
const left = (h: Harness) => h.context.state.jobsToEnd.claim(["c1"], 0);
const clusterLog = async (h: Harness) => {
  const [file] = await h.context.platform.logs.list("c1");
  return Buffer.concat(await file!.open().toArray()).toString();
};

/** Starts a select whose job has a handle. */
async function keeping(h: Harness, handle: string): Promise<number> {
  const id = await h.select();
  await (
    await h.working(id)
  ).context.keep!(handle);
  return id;
}

test("jobs to end: the job of a cancelled query, and that in whose place another one ran; not that of a finished one", async () => {
  const h = await startHarness();
  const finished = await keeping(h, "finished");
  (await h.working(finished)).finish();
  await h.ended(finished);
  const id = await keeping(h, "first");
  await (
    await h.working(id)
  ).context.keep!("second");
  await h.until("the first job is ended", () => h.family.endedJobs.includes("first"));
  await cancelQuery(h.context, id);
  await h.until("the second job is ended", () => h.family.endedJobs.includes("second"));
  expect(h.family.endedJobs).toEqual(["first", "second"]);
  await h.until("nothing is left", async () => (await left(h)).length === 0);
});

test("jobs to end: a server that does not answer is asked again until the job has ended, and the log says so", async () => {
  const h = await startHarness();
  h.family.failedEnds = 1;
  const id = await keeping(h, "job");
  await cancelQuery(h.context, id);
  await h.until("it was tried", () => h.family.endedJobs.length === 1);
  expect(await left(h)).toMatchObject([{ queryId: id, handle: "job" }]);
  expect(h.context.jobEnds.count("c1")).toBe(1);
  await expect.poll(() => h.context.jobEnds.count("c1")).toBe(0);
  expect(h.family.endedJobs).toEqual(["job", "job"]);
  expect(await left(h)).toEqual([]);
  const log = await clusterLog(h);
  expect(log).toContain(`the job of query ${id} on the server could not be ended yet: the server does not answer`);
  expect(log).toContain(`the job of query ${id} on the server has ended`);
});

test("jobs to end: the next start of the service ends what an earlier one could not", async () => {
  const first = await startHarness();
  first.family.failedEnds = Infinity;
  const id = await keeping(first, "job");
  await cancelQuery(first.context, id);
  await first.until("it was tried", () => first.family.endedJobs.length > 0);
  await first.service.stop();
  const second = await startHarness({ directory: first.directory });
  await second.until("it is ended", () => second.family.endedJobs.length > 0);
  expect(second.family.endedJobs).toEqual(["job"]);
  await second.until("nothing is left", async () => (await left(second)).length === 0);
});

test("jobs to end: a job whose server does not say that it has ended is given up after a day", async () => {
  const h = await startHarness();
  h.family.failedEnds = Infinity;
  const id = await keeping(h, "job");
  await cancelQuery(h.context, id);
  await h.until("it was tried", () => h.family.endedJobs.length > 0);
  h.clock.advance(day);
  await expect.poll(() => left(h)).toEqual([]);
  expect(await clusterLog(h)).toContain(`the job of query ${id} on the server is given up after 24 hours`);
});
