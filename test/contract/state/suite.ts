/** What every adapter of the state does. */
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseLocation, queryStatuses, queryTypes, type QueryStatus } from "../../../contract";
import type {
  AcceptConditions,
  AcceptedQuery,
  QueryAttempt,
  QueryFilter,
  State,
  StateListener,
  StoredQuery,
} from "../../../service/core/ports/state";

/** A store of states, which is empty at the beginning of each test. */
export interface StateStore {
  /** Opens the state, as the start of a service does. The suite closes it. */
  open(): Promise<State>;
  /** Deletes the store; every state is closed. */
  delete(): Promise<void>;
}

export const advance = { progress: 100, stage: 2, jobId: "job-1" };
export const duckdb = { type: "duckdb", debug: false };
const conditions = { slots: 1000, generation: 0 };

let paths = 0;

type Overrides = {
  readonly type?: AcceptedQuery["type"];
  readonly clusterName?: string;
  readonly label?: string | null;
  readonly folder?: string;
};

/** Returns a submission; without a folder, to one that no other has. */
export function submission({ type, folder = `r${(paths += 1)}`, ...overrides }: Overrides = {}): AcceptedQuery {
  const common = { clusterName: "c1", accessKeyId: "AK", label: null, startTime: 1_700_000_000_000, ...overrides };
  return type === "split"
    ? {
        ...common,
        type,
        inputObjectKeys: ["dag://data/a"],
        inputFormat: "csv",
        schema: null,
        outputDatabase: "data",
        outputTable: folder,
      }
    : { ...common, type: "select", query: "select 1", outputFormat: "csv", outputResourcePath: `dag://out/${folder}/` };
}

/** Accepts a query. @throws when it is refused */
export async function accept(
  state: State,
  given: AcceptedQuery = submission(),
  more: Partial<AcceptConditions> = {},
): Promise<StoredQuery> {
  const accepted = await state.accept(given, { ...conditions, ...more });
  if (accepted.refused) throw new Error(accepted.refused);
  return accepted.query;
}

/** A listener that records what it is told. */
export function recorder() {
  const told = {
    cancelled: [] as number[],
    lost: [] as QueryAttempt[],
    generations: new Map<string, number>(),
    orphaned: 0,
  };
  const listener: StateListener = {
    cancelled: (id) => void told.cancelled.push(id),
    lost: ({ id, epoch }) => void told.lost.push({ id, epoch }),
    orphaned: () => void (told.orphaned += 1),
    restarted: (name, { generation }) => void told.generations.set(name, generation),
  };
  return { told, listener };
}

/** Runs the suite with a store for each test. */
export function stateSuite(create: () => Promise<StateStore>): void {
  let store: StateStore;
  let state: State;
  const opened: State[] = [];
  const open = async () => {
    const next = await store.open();
    opened.push(next);
    return next;
  };
  const reopen = async () => {
    await state.close();
    return (state = await open());
  };

  beforeEach(async () => {
    store = await create();
    state = await open();
    for (const cluster of ["c1", "c2", "d1"]) await state.registerCluster(cluster, duckdb);
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    await store.delete();
  });

  test("accept: stores the submission, also when the state is opened again", async () => {
    const hostile = "it's; DROP TABLE queries -- \u0000 \u{1F989}";
    const given = submission({ label: hostile });
    const { id: select } = await accept(state, given);
    const split = await accept(state, submission({ type: "split", folder: "t" }));
    await state.end(split, "finished", advance);
    await reopen();
    expect(await state.query(select)).toEqual({
      ...given,
      id: select,
      epoch: 1,
      status: "running",
      publishing: false,
      publishedEpoch: 0,
      engineHandle: null,
      clusterRebooted: false,
      progress: 0,
      stage: 0,
      jobId: null,
      columns: null,
      checked: false,
    });
    expect(await state.query(split.id)).toMatchObject({
      ...submission({ type: "split", folder: "t" }),
      status: "finished",
      ...advance,
    });
    expect(await state.query(split.id + 1)).toBeUndefined();
  });

  test("accept: keeps the text of a statement, and lists a short form of a long one", async () => {
    const query = `select '\u0000 \u{1F989} ${"x".repeat(20_000)}'`;
    const { id } = await accept(state, { ...submission(), type: "select", query } as AcceptedQuery);
    expect(await state.query(id)).toMatchObject({ query });
    const [listed] = await state.queries({ order: "desc", limit: 1 });
    expect(listed!.excerpt!.length).toBeLessThan(query.length);
    expect(query.startsWith(listed!.excerpt!.slice(0, 100))).toBe(true);
  });

  test("accept: never gives an ID again, not even after a reset", async () => {
    const first = await accept(state);
    await state.end(first, "finished", advance);
    await state.reset();
    await reopen();
    expect((await accept(state)).id).toBeGreaterThan(first.id);
  });

  test("accept: takes exactly as many queries as there are slots, however many come at once", async () => {
    const all = await Promise.all(
      Array.from({ length: 60 }, () => state.accept(submission(), { ...conditions, slots: 4 })),
    );
    const taken = all.flatMap((one) => (one.refused ? [] : [one.query]));
    expect(taken).toHaveLength(4);
    expect(all.filter(({ refused }) => refused === "slots")).toHaveLength(56);
    expect(await state.running("c1")).toEqual(taken.map(({ id }) => id).sort((a, b) => a - b));
    await state.end(taken[0]!, "finished", advance);
    const next = await Promise.all(
      Array.from({ length: 9 }, () => state.accept(submission(), { ...conditions, slots: 4 })),
    );
    expect(next.filter(({ refused }) => refused === undefined)).toHaveLength(1);
    const other = await state.accept(submission({ clusterName: "c2" }), { ...conditions, slots: 4 });
    expect(other.refused).toBeUndefined();
  });

  test("accept: of concurrent queries with equal or nested folders, takes exactly one on all clusters", async () => {
    const folders = ["a/b", "a/b", "a", "a/b/c", "a/b"];
    const all = await Promise.all(
      folders.map((folder, index) =>
        state.accept(submission({ folder, clusterName: index % 2 === 0 ? "c1" : "c2" }), conditions),
      ),
    );
    const [taken, ...more] = all.flatMap((one) => (one.refused ? [] : [one.query]));
    expect(more).toEqual([]);
    const refused = all.filter((one) => one.refused);
    expect(refused).toHaveLength(4);
    for (const one of refused) expect(one).toMatchObject({ refused: "overlap", owner: `query ${taken!.id}` });
    expect((await state.accept(submission({ folder: "a/bc" }), conditions)).refused).toBe(
      taken!.type === "select" && taken!.outputResourcePath === "dag://out/a/" ? "overlap" : undefined,
    );
    await state.end(taken!, "error", advance);
    await accept(state, submission({ folder: "a/b/c/d" }));
  });

  test("reserve: keeps a folder from every writer until it is released or a query takes it over", async () => {
    const reservation = await state.reserve(parseLocation("dag://data/t/"), "a submission");
    if (reservation.refused) throw new Error("refused");
    const given = submission({ type: "split", folder: "t" });
    expect(await state.reserve(parseLocation("dag://data/t/x/"), "another")).toMatchObject({
      refused: "overlap",
      owner: "a submission",
      folder: { bucket: "data", key: "t/" },
    });
    expect((await state.accept(given, conditions)).refused).toBe("overlap");
    const query = await accept(state, given, { reservation });
    expect(await state.reserve(parseLocation("dag://data/t/"), "another")).toMatchObject({
      owner: `query ${query.id}`,
    });
    await state.end(query, "finished", advance);
    const again = await state.reserve(parseLocation("dag://data/t/"), "another");
    if (again.refused) throw new Error("refused");
    await again.release();
    await accept(state, given);
  });

  test("reserve: of concurrent calls for one folder, exactly one has it", async () => {
    const folder = parseLocation("dag://out/one/");
    const all = await Promise.all(Array.from({ length: 20 }, (_, index) => state.reserve(folder, `writer ${index}`)));
    expect(all.filter(({ refused }) => refused === undefined)).toHaveLength(1);
  });

  test("beginExport: one at a time on each cluster, exact under concurrency", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => state.beginExport("c1")));
    const [running, ...more] = all.filter((one) => one !== undefined);
    expect(more).toEqual([]);
    expect(await state.beginExport("c2")).toBeDefined();
    await running!.release();
    expect(await state.beginExport("c1")).toBeDefined();
  });

  test("end: of two at the same time, exactly one counts", async () => {
    const query = await accept(state);
    const ends = [{ status: "canceled", progress: 100 } as const, { status: "finished", progress: 1 } as const];
    const stored = await Promise.all(
      ends.map(({ status, progress }) => state.end(query, status, { ...advance, progress })),
    );
    expect(stored.toSorted()).toEqual([false, true]);
    expect(await state.query(query.id)).toMatchObject(ends[stored.indexOf(true)]!);
    expect(await state.end(query, "error", advance)).toBe(false);
  });

  test("end: changes query and catalog in one step, and not at all when it comes second", async () => {
    const query = await accept(state, submission({ type: "split", folder: "t" }));
    const columns = [{ name: "a", type: "int" }];
    expect(await state.markPublishing(query, { columns, checked: true })).toBe("marked");
    expect(await state.query(query.id)).toMatchObject({
      publishing: true,
      publishedEpoch: 1,
      columns,
      checked: true,
    });
    const put = { database: "data", table: "t", format: "csv", columns, fingerprint: "f" } as const;
    await state.end(query, "finished", advance, { put });
    expect(await state.table("data", "t")).toEqual(put);
    expect(await state.tables()).toEqual([put]);
    const overwritten = { database: "data", table: "t" };
    expect(await state.end(query, "finished", advance, { overwritten })).toBe(false);
    expect(await state.table("data", "t")).toEqual(put);
    const select = await accept(state);
    await state.end(select, "finished", advance, { overwritten });
    expect(await state.table("data", "t")).toBeUndefined();
  });

  test("cancel against markPublishing: exactly one of them wins, in every order", async () => {
    const orders = fc.shuffledSubarray(["cancel", "mark", "cancel again"] as const, { minLength: 3 });
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        const query = await accept(state);
        const steps = {
          cancel: () => state.cancel(query.id),
          "cancel again": () => state.cancel(query.id),
          mark: () => state.markPublishing(query, { columns: null, checked: false }),
        };
        const results = new Map(await Promise.all(order.map(async (step) => [step, await steps[step]()] as const)));
        const isMarked = results.get("mark") === "marked";
        expect(results.get("mark")).toBe(isMarked ? "marked" : "cancelled");
        const cancels = [results.get("cancel"), results.get("cancel again")];
        expect(cancels.includes(true)).toBe(!isMarked);
        expect(await state.query(query.id)).toMatchObject({ status: "running", publishing: isMarked });
        await state.end(query, "canceled", advance);
        expect(await state.cancel(query.id)).toBe(false);
      }),
      { numRuns: 20 },
    );
  });

  test("progress: is shown by single queries and lists, and replaced by the end", async () => {
    state.listen(recorder().listener);
    const query = await accept(state);
    state.progress(query, { progress: 41.5, stage: 2, jobId: "j" });
    await expect.poll(async () => (await state.query(query.id))!.progress).toBe(41.5);
    expect(await state.queries({ order: "asc", limit: 1 })).toMatchObject([{ progress: 41.5, stage: 2, jobId: "j" }]);
    await state.end(query, "finished", advance);
    expect(await state.query(query.id)).toMatchObject(advance);
  });

  test("takeOver: returns what an earlier start has left, with a later epoch, and the earlier attempt stores nothing", async () => {
    const ended = await accept(state);
    await state.end(ended, "finished", advance);
    const first = await accept(state);
    const marked = await accept(state);
    await state.markPublishing(marked, { columns: null, checked: false });
    await reopen();
    const taken = await state.takeOver();
    expect(taken).toMatchObject([
      { id: first.id, epoch: 2, publishing: false },
      { id: marked.id, epoch: 2, publishing: true, publishedEpoch: 1 },
    ]);
    expect(await state.takeOver()).toEqual([]);
    expect(await state.markPublishing(first, { columns: null, checked: false })).toBe("lost");
    expect(await state.end(first, "finished", advance)).toBe(false);
    expect(await state.query(first.id)).toMatchObject({ status: "running", publishing: false });
    expect(await state.end(taken[0]!, "finished", advance)).toBe(true);
  });

  test("setEngineHandle: is given to the attempt that takes the query over, stored by the last attempt only, and ends with the query", async () => {
    const query = await accept(state);
    expect(await state.setEngineHandle(query, "first")).toBe(true);
    expect(await state.setEngineHandle(query, "second")).toBe(true);
    await reopen();
    const [taken] = await state.takeOver();
    expect(taken).toMatchObject({ id: query.id, epoch: 2, engineHandle: "second" });
    expect(await state.setEngineHandle(query, "late")).toBe(false);
    expect(await state.query(query.id)).toMatchObject({ engineHandle: "second" });
    await state.end(taken!, "finished", advance);
    expect(await state.query(query.id)).toMatchObject({ engineHandle: null });
    expect(await state.setEngineHandle(taken!, "after its end")).toBe(false);
  });

  test("takeOver: what an earlier start has left holds its slot and its folder before it is taken over", async () => {
    const left = await accept(state, submission({ folder: "kept" }));
    await reopen();
    expect(await state.running("c1")).toEqual([left.id]);
    expect((await state.accept(submission(), { ...conditions, slots: 1 })).refused).toBe("slots");
    expect((await state.accept(submission({ folder: "kept/below" }), conditions)).refused).toBe("overlap");
  });

  test("registerCluster: keeps a restart's settings until the config changes", async () => {
    expect(await state.registerCluster("new", duckdb)).toMatchObject(duckdb);
    await state.restartCluster("new", { type: "hive", debug: true }, false);
    expect(await state.registerCluster("new", duckdb)).toMatchObject({ type: "hive", debug: true });
    await reopen();
    expect(await state.registerCluster("new", duckdb)).toMatchObject({ type: "hive", debug: true });
    const changed = { type: "duckdb", debug: true };
    expect(await state.registerCluster("new", changed)).toMatchObject(changed);
  });

  test("restartCluster: refuses while queries run, marks earlier queries as rebooted and cancels them with force", async () => {
    const { listener, told } = recorder();
    state.listen(listener);
    const running = await accept(state);
    const elsewhere = await accept(state, submission({ clusterName: "c2" }));
    expect(await state.restartCluster("c1", duckdb, false)).toEqual({ refused: true, running: [running.id] });
    expect(await state.query(running.id)).toMatchObject({ clusterRebooted: false });
    const restarted = await state.restartCluster("c1", duckdb, true);
    expect(restarted).toMatchObject({ cancelled: [running.id] });
    await expect.poll(() => told.cancelled).toContain(running.id);
    expect(await state.markPublishing(running, { columns: null, checked: false })).toBe("cancelled");
    expect(await state.query(running.id)).toMatchObject({ clusterRebooted: true });
    expect(await state.query(elsewhere.id)).toMatchObject({ clusterRebooted: false });
    await state.end(running, "canceled", advance);
    // What was checked before the restart is not accepted after it.
    expect((await state.accept(submission(), conditions)).refused).toBe("restarted");
    const { generation } = restarted.refused ? { generation: 0 } : restarted.cluster;
    expect((await accept(state, submission(), { generation })).clusterRebooted).toBe(false);
  });

  test("restartCluster against accept: a query is refused, accepted after the restart, or forbids it", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { generation } = await state.registerCluster("c1", duckdb);
      const [accepted, restarted] = await Promise.all([
        state.accept(submission(), { slots: 1000, generation }),
        state.restartCluster("c1", duckdb, false),
      ]);
      const forbids = accepted.refused ? [] : [accepted.query.id];
      expect(accepted.refused).toBe(restarted.refused ? undefined : "restarted");
      expect(restarted.refused ? restarted.running : []).toEqual(forbids);
      if (!accepted.refused) await state.end(accepted.query, "finished", advance);
    }
  });

  test("kept and remove: page through the queries, and never delete one that runs", async () => {
    const ids: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      const query = await accept(state);
      ids.push(query.id);
      if (count !== 3) await state.end(query, "finished", advance);
    }
    const first = await state.kept(0, 3);
    expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect(first[0]).toMatchObject({ clusterName: "c1", status: "finished", startTime: 1_700_000_000_000 });
    expect((await state.kept(ids[2]!, 3)).map(({ id }) => id)).toEqual(ids.slice(3));
    expect(await state.bytes()).toBeGreaterThan(0);
    await state.remove(ids);
    expect((await state.kept(0, 9)).map(({ id }) => id)).toEqual([ids[3]]);
  });

  test("queries: returns the same pages as a simple filter over all queries", async () => {
    const letter = fc.constantFrom("a", "b", "c", "%", "_", "\\", "é", "\ud7ff", "\ue000", "\u{10ffff}");
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
    let generation = (await state.registerCluster("c1", duckdb)).generation;
    await fc.assert(
      fc.asyncProperty(
        fc.array(query, { maxLength: 25 }),
        fc.nat(25),
        filter,
        fc.constantFrom("asc", "desc"),
        fc.integer({ min: 1, max: 7 }),
        async (all, restartAt, given, order, max) => {
          const ids: StoredQuery[] = [];
          for (const [index, { status, ...rest }] of all.entries()) {
            if (index === restartAt) {
              const restarted = await state.restartCluster("c1", duckdb, true);
              if (!restarted.refused) generation = restarted.cluster.generation;
            }
            const own = rest.clusterName === "c1" ? generation : 0;
            const accepted = await accept(state, submission(rest), { generation: own });
            if (status !== "running") await state.end(accepted, status, advance);
            ids.push(accepted);
          }
          const current = await Promise.all(ids.map(async ({ id }) => (await state.query(id))!));
          const expected = current.filter((found) => matches(given, found)).map(({ id }) => id);
          if (order === "desc") expected.reverse();
          const pages: number[] = [];
          for (let marker: number | undefined; ;) {
            const page = await state.queries({
              ...given,
              order,
              limit: max,
              ...(marker === undefined ? {} : { marker }),
            });
            pages.push(...page.map(({ id }) => id));
            marker = page.at(-1)?.id;
            if (marker === undefined) break;
          }
          expect(pages).toEqual(expected);
          for (const { id, epoch, status } of current) {
            if (status === "running") await state.end({ id, epoch }, "canceled", advance);
          }
          await state.remove(ids.map(({ id }) => id));
        },
      ),
      { numRuns: 30 },
    );
  });

  test("queries: pages neither repeat nor miss queries while others are added and end", async () => {
    const before: StoredQuery[] = [];
    for (let count = 0; count < 25; count += 1) before.push(await accept(state));
    const seen: number[] = [];
    for (let marker: number | undefined; ;) {
      const more = marker === undefined ? {} : { marker };
      const page = await state.queries({ order: "desc", limit: 4, clusterName: "c1", ...more });
      if (page.length === 0) break;
      seen.push(...page.map(({ id }) => id));
      marker = page.at(-1)!.id;
      await accept(state);
      await state.end(before[seen.length % before.length]!, "finished", advance);
    }
    expect(seen).toEqual(before.map(({ id }) => id).toReversed());
  });
}

function matches(filter: Partial<QueryFilter>, query: StoredQuery): boolean {
  return (
    (filter.statuses?.includes(query.status as QueryStatus) ?? true) &&
    (filter.type ?? query.type) === query.type &&
    (filter.labelPrefix === undefined ||
      filter.labelPrefix === "" ||
      (query.label ?? "").startsWith(filter.labelPrefix)) &&
    (filter.clusterName ?? query.clusterName) === query.clusterName &&
    query.clusterName.startsWith(filter.clusterNamePrefix ?? "") &&
    (filter.clusterRebooted ?? query.clusterRebooted) === query.clusterRebooted
  );
}
