import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { QueryFilter, State } from "../../../../../service/core/ports/state";
import { pageStatements } from "../../../../../service/state/sqlite/query-pages";
import { openState } from "../../../../../service/state/sqlite";

let directory: string;
let file: string;
let state: State;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "dag-state-"));
  file = join(directory, "state.sqlite");
  state = openState(file);
});
afterEach(async () => {
  await state.close();
  rmSync(directory, { recursive: true });
});

test("openState: refuses the file of a newer version", async () => {
  await state.close();
  const database = new DatabaseSync(file);
  database.exec("PRAGMA user_version = 99");
  database.close();
  expect(() => openState(file)).toThrow("version 99");
  const again = new DatabaseSync(file);
  again.exec("PRAGMA user_version = 4");
  again.close();
});

test("openState: writes are synchronous and logged ahead", async () => {
  const database = new DatabaseSync(file);
  expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  database.close();
});

test("queries: no page statement scans the table", async () => {
  const database = new DatabaseSync(file);
  const values = {
    block: 3,
    low: 0,
    high: 1e9,
    limit: 101,
    cluster: "c1",
    status: "running",
    type: "select",
    label: "a",
    labelEnd: "b",
    status0: "running",
    status1: "",
    status2: "",
    status3: "",
    type0: "select",
    type1: "",
  };
  for (const [order, statements] of Object.entries(pageStatements)) {
    for (const [name, sql] of Object.entries(statements)) {
      const used = Object.fromEntries(Object.entries(values).filter(([key]) => new RegExp(`:${key}\\b`).test(sql)));
      const plan = (database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(used) as { detail: string }[]).map(
        ({ detail }) => detail,
      );
      expect(plan.join("\n"), `${order} ${name}`).not.toMatch(/SCAN/);
      expect(plan.join("\n"), `${order} ${name}`).toMatch(
        /SEARCH queries($| USING (INTEGER PRIMARY KEY|(COVERING )?INDEX))/,
      );
      expect(plan.join("\n"), `${order} ${name}`).not.toMatch(/TEMP B-TREE/);
    }
  }
  for (const sql of [
    "SELECT * FROM queries WHERE id = 1",
    "SELECT * FROM queries WHERE cluster_name = 'c' AND status = 'running'",
  ]) {
    expect(JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all())).not.toMatch(/SCAN/);
  }
  database.close();
});

test("queries: finds a frequent label anywhere in the ID range", async () => {
  await state.admission.registerCluster("c1", { type: "duckdb", debug: false });
  const database = new DatabaseSync(file);
  const insert = database.prepare(
    `INSERT INTO queries (id, type, status, cluster_name, access_key_id, label, start_time, request)
     VALUES (?, 'select', 'finished', 'c1', 'AK', ?, 0, '{"query":"select 1"}')`,
  );
  database.exec("BEGIN");
  for (let id = 1; id <= 80_000; id += 1) insert.run(id, id <= 12_000 ? "old" : id > 70_000 ? "oldest" : "new");
  database.exec("COMMIT");
  database.close();
  const page = async (filter: Partial<QueryFilter>) =>
    (await state.queries.list({ order: "desc", limit: 2, ...filter })).map(({ id }) => id);
  expect(await page({ labelPrefix: "old" })).toEqual([80_000, 79_999]);
  expect(await page({ labelPrefix: "old", marker: 70_001 })).toEqual([12_000, 11_999]);
  expect(await page({ labelPrefix: "old", order: "asc" })).toEqual([1, 2]);
  expect(await page({ labelPrefix: "old", order: "asc", marker: 12_000 })).toEqual([70_001, 70_002]);
  expect(await page({ labelPrefix: "new", order: "asc" })).toEqual([12_001, 12_002]);
  expect(await page({ labelPrefix: "new", statuses: ["error"] })).toEqual([]);
  let turns = 0;
  const turn = () => {
    turns += 1;
    immediate = setImmediate(turn);
  };
  let immediate = setImmediate(turn);
  // No split is known: the labels are not read.
  expect(await page({ labelPrefix: "n", type: "split" })).toEqual([]);
  expect(turns).toBe(0);
  const many = new DatabaseSync(file);
  many.exec("UPDATE queries SET type = 'split' WHERE label <> 'new'");
  many.close();
  // Other requests are answered between two blocks.
  expect(await page({ labelPrefix: "n", type: "split" })).toEqual([]);
  clearImmediate(immediate);
  expect(turns).toBeGreaterThanOrEqual(9);
});
