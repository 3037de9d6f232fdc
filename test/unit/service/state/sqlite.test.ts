import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { queryStatuses, queryTypes, type QueryStatus } from "../../../../contract";
import type { QueryFilter, State, StoredQuery, AcceptedQuery } from "../../../../service/core/ports/state";
import { pageStatements } from "../../../../service/state/query-pages";
import { openState } from "../../../../service/state/sqlite";

let directory: string;
let file: string;
let state: State;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "dag-state-"));
  file = join(directory, "state.sqlite");
  state = openState(file);
});
afterEach(() => {
  state.close();
  rmSync(directory, { recursive: true });
});

const advance = { progress: 100, stage: 2, jobId: "job-1" };

function submission(
  overrides: { type?: AcceptedQuery["type"]; clusterName?: string; label?: string | null } = {},
): AcceptedQuery {
  const common = { clusterName: "c1", accessKeyId: "AK", label: null, startTime: 1_700_000_000_000, ...overrides };
  return overrides.type === "split"
    ? {
        ...common,
        type: "split",
        inputObjectKeys: ["dag://data/a"],
        inputFormat: "csv",
        schema: null,
        outputDatabase: "data",
        outputTable: "t",
      }
    : { ...common, type: "select", query: "select 1", outputFormat: "csv", outputResourcePath: "dag://out/r/" };
}

test("accept: stores the submission, also when the file is opened again", () => {
  state.registerCluster("c1", { type: "duckdb", debug: false });
  const select = state.accept(submission({ label: "it's; DROP TABLE queries -- \u0000 \u{1F989}" }));
  const split = state.accept(submission({ type: "split" }));
  state.end(split, "finished", advance);
  state.close();
  state = openState(file);
  expect(state.query(select)).toEqual({
    ...submission({ label: "it's; DROP TABLE queries -- \u0000 \u{1F989}" }),
    id: select,
    status: "running",
    publishing: false,
    clusterRebooted: false,
    progress: 0,
    stage: 0,
    jobId: null,
    columns: null,
    checked: false,
  });
  expect(state.query(split)).toMatchObject({ ...submission({ type: "split" }), status: "finished", ...advance });
  expect(state.query(split + 1)).toBeUndefined();
});

test("accept: never reuses IDs, not even after a reset", () => {
  const first = state.accept(submission());
  state.reset();
  state.close();
  state = openState(file);
  expect(state.accept(submission())).toBe(first + 1);
});

test("end: only the first end counts", () => {
  const id = state.accept(submission());
  state.end(id, "canceled", advance);
  state.end(id, "finished", { ...advance, progress: 1 });
  expect(state.query(id)).toMatchObject({ status: "canceled", progress: 100 });
});

test("end: changes query and catalog in one step", () => {
  const id = state.accept(submission({ type: "split" }));
  const columns = [{ name: "a", type: "int" }];
  state.markPublishing(id, { columns, checked: true });
  expect(state.query(id)).toMatchObject({ publishing: true, columns, checked: true });
  const put = { database: "data", table: "t", format: "csv", columns, fingerprint: "f" } as const;
  state.end(id, "finished", advance, { put });
  expect(state.table("data", "t")).toEqual(put);
  expect(state.tables()).toEqual([put]);
  const select = state.accept(submission());
  state.end(select, "finished", advance, { overwritten: { database: "data", table: "t" } });
  expect(state.table("data", "t")).toBeUndefined();
});

test("registerCluster: keeps a restart's settings until the config changes", () => {
  const configured = { type: "duckdb", debug: false };
  expect(state.registerCluster("c1", configured)).toEqual(configured);
  state.restartCluster("c1", { type: "hive", debug: true });
  expect(state.registerCluster("c1", configured)).toEqual({ type: "hive", debug: true });
  expect(state.registerCluster("c1", { type: "duckdb", debug: true })).toEqual({ type: "duckdb", debug: true });
});

test("openState: refuses the file of a newer version", () => {
  state.close();
  const database = new DatabaseSync(file);
  database.exec("PRAGMA user_version = 99");
  database.close();
  expect(() => openState(file)).toThrow("version 99");
  const again = new DatabaseSync(file);
  again.exec("PRAGMA user_version = 3");
  again.close();
});

test("openState: writes are synchronous and logged ahead", () => {
  const database = new DatabaseSync(file);
  expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  database.close();
});

test("queries: no page statement scans the table", () => {
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

test("queries: returns the same pages as a simple filter over all queries", () => {
  const letter = fc.constantFrom("a", "b", "c", "%", "_", "é", "\ud7ff", "\ue000", "\u{10ffff}");
  const label = fc.option(fc.string({ unit: letter, maxLength: 4 }), { nil: null });
  const clusterName = fc.constantFrom("c1", "c2", "d1");
  const query = fc.record({
    type: fc.constantFrom(...queryTypes),
    clusterName,
    label,
    status: fc.constantFrom(...queryStatuses),
  });
  const filter = fc.record(
    {
      statuses: fc.uniqueArray(fc.constantFrom(...queryStatuses), { minLength: 1 }),
      type: fc.constantFrom(...queryTypes),
      labelPrefix: fc.string({ unit: letter, maxLength: 2 }),
      clusterName,
      clusterNamePrefix: fc.constantFrom("", "c", "c1", "x"),
      clusterRebooted: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      fc.array(query, { maxLength: 40 }),
      fc.nat(40),
      filter,
      fc.constantFrom("asc", "desc"),
      fc.integer({ min: 1, max: 7 }),
      (all, restartAt, given, order, max) => {
        state.reset();
        for (const name of ["c1", "c2", "d1"]) state.registerCluster(name, { type: "duckdb", debug: false });
        const stored: StoredQuery[] = [];
        for (const [index, { status, ...rest }] of all.entries()) {
          if (index === restartAt) state.restartCluster("c1", { type: "duckdb", debug: false });
          const id = state.accept(submission(rest));
          if (status !== "running") state.end(id, status as Exclude<QueryStatus, "running">, advance);
          stored.push(state.query(id)!);
        }
        const current = stored.map(({ id }) => state.query(id)!);
        const expected = current.filter((found) => matches(given, found)).map(({ id }) => id);
        if (order === "desc") expected.reverse();
        const pages: number[] = [];
        for (let marker: number | undefined; ;) {
          const page = state.queries({ ...given, order, limit: max, ...(marker === undefined ? {} : { marker }) });
          pages.push(...page.map(({ id }) => id));
          marker = page.at(-1)?.id;
          if (marker === undefined) break;
        }
        expect(pages).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
});

function matches(filter: Partial<QueryFilter>, query: StoredQuery): boolean {
  return (
    (filter.statuses?.includes(query.status) ?? true) &&
    (filter.type ?? query.type) === query.type &&
    (filter.labelPrefix === undefined ||
      filter.labelPrefix === "" ||
      (query.label ?? "").startsWith(filter.labelPrefix)) &&
    (filter.clusterName ?? query.clusterName) === query.clusterName &&
    query.clusterName.startsWith(filter.clusterNamePrefix ?? "") &&
    (filter.clusterRebooted ?? query.clusterRebooted) === query.clusterRebooted
  );
}

test("queries: finds a frequent label anywhere in the ID range", () => {
  state.registerCluster("c1", { type: "duckdb", debug: false });
  const database = new DatabaseSync(file);
  const insert = database.prepare(
    `INSERT INTO queries (id, type, status, cluster_name, access_key_id, label, start_time, request)
     VALUES (?, 'select', 'finished', 'c1', 'AK', ?, 0, '{"query":"select 1"}')`,
  );
  database.exec("BEGIN");
  for (let id = 1; id <= 80_000; id += 1) insert.run(id, id <= 12_000 ? "old" : id > 70_000 ? "oldest" : "new");
  database.exec("COMMIT");
  database.close();
  const page = (filter: Partial<QueryFilter>) =>
    state.queries({ order: "desc", limit: 2, ...filter }).map(({ id }) => id);
  expect(page({ labelPrefix: "old" })).toEqual([80_000, 79_999]);
  expect(page({ labelPrefix: "old", marker: 70_001 })).toEqual([12_000, 11_999]);
  expect(page({ labelPrefix: "old", order: "asc" })).toEqual([1, 2]);
  expect(page({ labelPrefix: "old", order: "asc", marker: 12_000 })).toEqual([70_001, 70_002]);
  expect(page({ labelPrefix: "new", order: "asc" })).toEqual([12_001, 12_002]);
  expect(page({ labelPrefix: "new", statuses: ["error"] })).toEqual([]);
});

test("queries: pages neither repeat nor miss queries while others are added and end", () => {
  state.registerCluster("c1", { type: "duckdb", debug: false });
  const before = Array.from({ length: 25 }, () => state.accept(submission()));
  const seen: number[] = [];
  for (let marker: number | undefined; ;) {
    const page = state.queries({
      order: "desc",
      limit: 4,
      clusterName: "c1",
      ...(marker === undefined ? {} : { marker }),
    });
    if (page.length === 0) break;
    seen.push(...page.map(({ id }) => id));
    marker = page.at(-1)!.id;
    state.accept(submission());
    state.end(before[seen.length % before.length]!, "finished", advance);
  }
  expect(seen).toEqual(before.toReversed());
});
