import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { State, StoredQuery } from "../../../../../service/core/ports/state";
import { openState } from "../../../../../service/state/sqlite";

let directory: string;
let state: State;
let queries: StoredQuery[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "dag-ended-"));
  state = openState(join(directory, "state.sqlite"));
  await state.registerCluster("c1", { type: "duckdb", debug: false });
  const common = { clusterName: "c1", accessKeyId: "AK", label: null, startTime: 1_700_000_000_000 } as const;
  const select = { type: "select", query: "select 1", outputFormat: "csv" } as const;
  queries = [];
  for (const name of ["a", "b", "c"]) {
    const submission = { ...common, ...select, outputResourcePath: `dag://out/${name}/` };
    const accepted = await state.accept(submission, { slots: 9, generation: 0 });
    if (accepted.refused) throw new Error(accepted.refused);
    queries.push(accepted.query);
  }
  for (const query of queries.slice(0, 2)) await state.end(query, "finished", { progress: 100, stage: 3, jobId: null });
});
afterEach(async () => {
  await state.close();
  rmSync(directory, { recursive: true });
});

const list = () => state.queries({ order: "asc", limit: 100 });

test("queries: an ended query has the same frozen record in every list, a running one a record of its own", async () => {
  const first = await list();
  const second = await list();
  expect(second).toEqual(first);
  expect(second.map((record, index) => record === first[index])).toEqual([true, true, false]);
  expect(first.map(Object.isFrozen)).toEqual([true, true, false]);
});

test("queries: a running query is shown with its progress, and one that ends as ended in the next list", async () => {
  state.progress(queries[2]!, { progress: 20, stage: 1, jobId: null });
  expect((await list()).map(({ status, progress }) => [status, progress])).toEqual([
    ["finished", 100],
    ["finished", 100],
    ["running", 20],
  ]);
  await state.end(queries[2]!, "error", { progress: 30, stage: 2, jobId: "j" });
  expect((await list()).map(({ status, progress }) => [status, progress])).toEqual([
    ["finished", 100],
    ["finished", 100],
    ["error", 30],
  ]);
});

test("queries: a restart of the cluster, a deletion and a reset show in lists that were read before", async () => {
  await list();
  await state.restartCluster("c1", { type: "duckdb", debug: false }, true);
  expect((await list()).map(({ clusterRebooted }) => clusterRebooted)).toEqual([true, true, true]);
  await state.remove([queries[0]!.id]);
  expect((await list()).map(({ id }) => id)).toEqual(queries.slice(1).map(({ id }) => id));
  await state.reset();
  expect(await list()).toEqual([]);
});
