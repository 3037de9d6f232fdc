import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Retention } from "../../../../service/core/retention";
import { startHarness, type Harness } from "./harness";

const day = 86_400_000;

/** Runs a select to its end. */
async function run(h: Harness, query = "select 1"): Promise<number> {
  const id = await h.select({ query, outputResourcePath: `dag://out/r${query.length}` });
  (await h.working(id)).finish();
  await h.ended(id);
  return id;
}

const logOf = (h: Harness, id: number) => join(h.directory, "logs/c1/queries/0", `${id}.log`);

const isKept = async (h: Harness, id: number) => (await h.context.state.queries.get(id)) !== undefined;

test("retention: deletes a query with its log so many days after its end, and keeps its result", async () => {
  const h = await startHarness({ retention: { days: 30 } });
  const id = await run(h);
  expect(existsSync(logOf(h, id))).toBe(true);
  h.clock.advance(29 * day);
  const later = await run(h, "select 22");
  h.clock.advance(2 * day);
  await h.until("the old query is deleted", async () => !(await isKept(h, id)));
  expect(existsSync(logOf(h, id))).toBe(false);
  expect(await isKept(h, later)).toBe(true);
  expect(existsSync(logOf(h, later))).toBe(true);
  expect(h.get("dag://out/r8/000000_0")).toBe(`result of ${id}\n`);
  expect(await run(h)).toBeGreaterThan(later);
});

test("retention: keeps a query that runs, and counts from its end", async () => {
  const h = await startHarness({ retention: { days: 1 } });
  const long = await h.select();
  const job = await h.working(long);
  const short = await run(h);
  h.clock.advance(40 * day);
  await h.until("the other is deleted", async () => !(await isKept(h, short)));
  expect(await h.status(long)).toBe("running");
  job.finish();
  await h.ended(long);
  h.clock.advance(day / 2);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await isKept(h, long)).toBe(true);
  h.clock.advance(day);
  await h.until("it is deleted a day after its end", async () => !(await isKept(h, long)));
});

/** Starts to delete queries of more than 30 days. */
function startRetention(h: Harness): { readonly warnings: unknown[]; readonly retention: Retention } {
  const warnings: unknown[] = [];
  const { platform, state, clusters } = h.context;
  const log = { ...platform.log, warn: (fields: unknown) => void warnings.push(fields) };
  const retention = new Retention({ platform: { ...platform, log }, state, clusters }, { days: 30 });
  onTestFinished(() => retention.stop());
  retention.start();
  return { warnings, retention };
}

test("retention: a start with a clock days ahead of the newest query deletes a day later, and logs both times", async () => {
  const h = await startHarness();
  const id = await run(h);
  const { startTime } = (await h.context.state.queries.get(id))!;
  h.clock.advance(40 * day);
  const wrong = startRetention(h);
  await h.until("it is logged", () => wrong.warnings.length > 0);
  expect(wrong.warnings).toEqual([{ clock: expect.any(Date), newestQuery: new Date(startTime) }]);
  await wrong.retention.stop();
  expect(await isKept(h, id)).toBe(true);

  const right = startRetention(h);
  await h.until("it is logged again", () => right.warnings.length > 0);
  h.clock.advance(day);
  await h.until("it is deleted", async () => !(await isKept(h, id)));
  expect(right.warnings).toHaveLength(1);
});

test("retention: a start deletes at once beside a query of the last days", async () => {
  const h = await startHarness();
  const id = await run(h);
  h.clock.advance(38 * day);
  await run(h, "select 22");
  h.clock.advance(2 * day);
  const { warnings } = startRetention(h);
  await h.until("it is deleted", async () => !(await isKept(h, id)));
  expect(warnings).toEqual([]);
});

test("retention: deletes hundreds of queries", async () => {
  const h = await startHarness({ retention: { days: 1 } });
  const { state } = h.context;
  for (let count = 0; count < 450; count += 1) {
    const common = { clusterName: "c1", accessKeyId: "AK", label: null, startTime: h.clock.now() } as const;
    const submission = { ...common, type: "select", query: "q", outputFormat: "csv" } as const;
    const accepted = await state.admission.accept(
      { ...submission, outputResourcePath: "dag://out/x/" },
      { slots: 2, generation: 0 },
    );
    if (accepted.refused) throw new Error(accepted.refused);
    await state.attempts.end(accepted.query, "finished", { progress: 100, stage: 1, jobId: null });
  }
  h.clock.advance(2 * day);
  await h.until("all are deleted", async () => (await state.queries.list({ order: "asc", limit: 1 })).length === 0);
});

test("retention: deletes the oldest queries above the limit of bytes, and no more", async () => {
  const h = await startHarness({ retention: { days: 1000, bytes: 1_000_000 } });
  const ids: number[] = [];
  for (let count = 0; count < 30; count += 1) ids.push(await run(h, `select '${"x".repeat(50_000)}'`));
  h.clock.advance(day);
  await h.until("the first is deleted", async () => !(await isKept(h, ids[0]!)));
  h.clock.advance(day);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await isKept(h, ids.at(-1)!)).toBe(true);
  expect(existsSync(logOf(h, ids.at(-1)!))).toBe(true);
  const found = await Promise.all(ids.map((id) => isKept(h, id)));
  const kept = ids.filter((_, index) => found[index]);
  expect(kept.length).toBeGreaterThan(3);
  expect(kept).toEqual(ids.slice(-kept.length));
  expect(ids.filter((id) => existsSync(logOf(h, id)))).toEqual(kept);
});

test("retention: deletes copies of objects that a killed writer left behind a day ago", async () => {
  const h = await startHarness({ retention: { days: 30 } });
  const uploads = join(h.directory, "buckets/data/.uploads");
  mkdirSync(uploads);
  writeFileSync(join(uploads, "old"), "half");
  writeFileSync(join(uploads, "new"), "half");
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  utimesSync(join(uploads, "old"), yesterday, yesterday);
  h.clock.advance(3_600_000);
  await h.until("the old copy is deleted", () => !existsSync(join(uploads, "old")));
  expect(existsSync(join(uploads, "new"))).toBe(true);
  h.clock.advance(day);
  await h.until("the folder is deleted with the last copy", () => !existsSync(uploads));
});
