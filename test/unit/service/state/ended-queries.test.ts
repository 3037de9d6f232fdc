import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { State } from "../../../../service/core/ports/state";
import { openState } from "../../../../service/state/sqlite";

let directory: string;
let state: State;
let ids: number[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "dag-ended-"));
  state = openState(join(directory, "state.sqlite"));
  state.registerCluster("c1", { type: "duckdb", debug: false });
  const common = { clusterName: "c1", accessKeyId: "AK", label: null, startTime: 1_700_000_000_000 } as const;
  const select = { type: "select", query: "select 1", outputFormat: "csv", outputResourcePath: "dag://o/r/" } as const;
  ids = Array.from({ length: 3 }, () => state.accept({ ...common, ...select }));
  for (const id of ids.slice(0, 2)) state.end(id, "finished", { progress: 100, stage: 3, jobId: null });
});
afterEach(() => {
  state.close();
  rmSync(directory, { recursive: true });
});

const list = () => state.queries({ order: "asc", limit: 100 });

test("queries: an ended query has the same frozen record in every list, a running one a record of its own", () => {
  const first = list();
  const second = list();
  expect(second).toEqual(first);
  expect(second.map((record, index) => record === first[index])).toEqual([true, true, false]);
  expect(first.map(Object.isFrozen)).toEqual([true, true, false]);
});

test("queries: a query that ends is shown as ended in the next list", () => {
  list();
  state.end(ids[2]!, "error", { progress: 30, stage: 2, jobId: "j" });
  expect(list().map(({ status, progress }) => [status, progress])).toEqual([
    ["finished", 100],
    ["finished", 100],
    ["error", 30],
  ]);
});

test("queries: a restart of the cluster, a deletion and a reset show in lists that were read before", () => {
  list();
  state.restartCluster("c1", { type: "duckdb", debug: false });
  expect(list().map(({ clusterRebooted }) => clusterRebooted)).toEqual([true, true, true]);
  state.remove([ids[0]!]);
  expect(list().map(({ id }) => id)).toEqual(ids.slice(1));
  state.reset();
  expect(list()).toEqual([]);
});
