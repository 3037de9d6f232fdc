import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { State, StoredQuery } from "../../../../../service/core/ports/state";
import { openState } from "../../../../../service/state/sqlite";
import { EndedRecords } from "../../../../../service/state/sqlite/ended-records";

let directory: string;
let state: State;
let queries: StoredQuery[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "dag-ended-"));
  state = openState(join(directory, "state.sqlite"));
  await state.admission.registerCluster("c1", { type: "duckdb", debug: false });
  const common = { clusterName: "c1", accessKeyId: "AK", label: null, startTime: 1_700_000_000_000 } as const;
  const select = { type: "select", query: "select 1", outputFormat: "csv" } as const;
  queries = [];
  for (const name of ["a", "b", "c"]) {
    const submission = { ...common, ...select, outputResourcePath: `dag://out/${name}/` };
    const accepted = await state.admission.accept(submission, { slots: 9, generation: 0 });
    if (accepted.refused) throw new Error(accepted.refused);
    queries.push(accepted.query);
  }
  for (const query of queries.slice(0, 2))
    await state.attempts.end(query, "finished", { progress: 100, stage: 3, jobId: null });
});
afterEach(async () => {
  await state.close();
  rmSync(directory, { recursive: true });
});

const list = () => state.queries.list({ order: "asc", limit: 100 });

test("queries: an ended query has the same frozen record in every list, a running one a record of its own", async () => {
  const first = await list();
  const second = await list();
  expect(second).toEqual(first);
  expect(second.map((record, index) => record === first[index])).toEqual([true, true, false]);
  expect(first.map(Object.isFrozen)).toEqual([true, true, false]);
});

test("queries: a running query is shown with its progress, and one that ends as ended in the next list", async () => {
  state.attempts.reportProgress(queries[2]!, { progress: 20, stage: 1, jobId: null });
  expect((await list()).map(({ status, progress }) => [status, progress])).toEqual([
    ["finished", 100],
    ["finished", 100],
    ["running", 20],
  ]);
  await state.attempts.end(queries[2]!, "error", { progress: 30, stage: 2, jobId: "j" });
  expect((await list()).map(({ status, progress }) => [status, progress])).toEqual([
    ["finished", 100],
    ["finished", 100],
    ["error", 30],
  ]);
});

test("queries: a restart of the cluster, a deletion and a reset show in lists that were read before", async () => {
  await list();
  await state.admission.restartCluster("c1", { type: "duckdb", debug: false }, true);
  expect((await list()).map(({ clusterRebooted }) => clusterRebooted)).toEqual([true, true, true]);
  await state.retention.removeQueries([queries[0]!.id]);
  expect((await list()).map(({ id }) => id)).toEqual(queries.slice(1).map(({ id }) => id));
  await state.reset();
  expect(await list()).toEqual([]);
});

test("query: an ended query has the same frozen record every time, a running one its progress of now", async () => {
  const [ended, , running] = queries as [StoredQuery, StoredQuery, StoredQuery];
  const first = await state.queries.get(ended.id);
  expect(await state.queries.get(ended.id)).toBe(first);
  expect(Object.isFrozen(first)).toBe(true);
  expect((await state.queries.get(running.id))?.progress).toBe(0);
  state.attempts.reportProgress(running, { progress: 20, stage: 1, jobId: null });
  expect((await state.queries.get(running.id))?.progress).toBe(20);
  await state.attempts.end(running, "error", { progress: 30, stage: 2, jobId: "j" });
  expect(await state.queries.get(running.id)).toMatchObject({ status: "error", progress: 30, jobId: "j" });
});

test("query: a restart of the cluster, a deletion and a reset show in a record that was read before", async () => {
  const [kept, removed] = queries as [StoredQuery, StoredQuery];
  for (const { id } of [kept, removed]) expect((await state.queries.get(id))?.clusterRebooted).toBe(false);
  await state.admission.restartCluster("c1", { type: "duckdb", debug: false }, true);
  expect((await state.queries.get(kept.id))?.clusterRebooted).toBe(true);
  expect((await state.queries.get(removed.id))?.clusterRebooted).toBe(true);
  await state.retention.removeQueries([removed.id]);
  expect(await state.queries.get(removed.id)).toBeUndefined();
  expect((await state.queries.get(kept.id))?.id).toBe(kept.id);
  await state.reset();
  expect(await state.queries.get(kept.id)).toBeUndefined();
});

test("EndedRecords: keeps the records that were read last, up to its size", () => {
  const kept = new EndedRecords<{ readonly id: number; readonly status: string }>(100, () => 40);
  const reads: number[] = [];
  const read = (id: number) => kept.one(id, () => (reads.push(id), { id, status: "finished" }));
  for (const id of [1, 2, 2, 3, 3, 2, 1]) expect(read(id)?.id).toBe(id);
  expect(reads).toEqual([1, 2, 3, 1]);
  const large = new EndedRecords<{ readonly id: number; readonly status: string }>(10, () => 40);
  expect(large.one(1, () => ({ id: 1, status: "error" }))).toEqual({ id: 1, status: "error" });
  expect(large.one(1, () => undefined)).toBeUndefined();
});
