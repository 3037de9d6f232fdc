/** From the attempts of a query to its end, and restarts of its cluster. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { PublishedFolder, State, TablePage } from "../../../service/core/ports/state";
import { accept, advance, duckdb, submission, conditions, recorder, useState, type StateStore } from "./state-store";

/** Tests of ends, cancels, takeovers and restarts. */
export function lifecycleSuite(create: () => Promise<StateStore>): void {
  let state: State;
  const { reopen } = useState(create, (opened) => (state = opened));

  test("end: of two at the same time, exactly one counts", async () => {
    const query = await accept(state);
    const ends = [{ status: "canceled", progress: 100 } as const, { status: "finished", progress: 1 } as const];
    const stored = await Promise.all(
      ends.map(({ status, progress }) => state.attempts.end(query, status, { ...advance, progress })),
    );
    expect(stored.toSorted()).toEqual([false, true]);
    expect(await state.queries.get(query.id)).toMatchObject(ends[stored.indexOf(true)]!);
    expect(await state.attempts.end(query, "error", advance)).toBe(false);
  });

  test("end: changes query and catalog in one step, and not at all when it comes second", async () => {
    const query = await accept(state, submission({ type: "split", folder: "t" }));
    const columns = [{ name: "a", type: "int" }];
    expect(await state.attempts.markPublishing(query, { columns, checked: true })).toBe("marked");
    expect(await state.queries.get(query.id)).toMatchObject({
      publishing: true,
      publishedEpoch: 1,
      columns,
      checked: true,
    });
    const put = { database: "data", table: "t", format: "csv", columns, fingerprint: "f" } as const;
    await state.attempts.end(query, "finished", advance, { put });
    expect(await state.catalog.getTable("data", "t")).toEqual(put);
    expect(await state.catalog.listTables({ limit: 10 })).toEqual([put]);
    const overwritten = { database: "data", table: "t" };
    expect(await state.attempts.end(query, "finished", advance, { overwritten })).toBe(false);
    expect(await state.catalog.getTable("data", "t")).toEqual(put);
    const select = await accept(state);
    await state.attempts.end(select, "finished", advance, { overwritten });
    expect(await state.catalog.getTable("data", "t")).toBeUndefined();
  });

  test("tables: pages in the order of databases and names, of one database or of all", async () => {
    const names = ["b.x", "a_b.z", "a.y_1", "a.y", "a.x2", "ab.q"];
    for (const name of names) {
      const [database = "", table = ""] = name.split(".");
      const put = { database, table, format: "csv", columns: [], fingerprint: null } as const;
      await state.attempts.end(await accept(state), "finished", advance, { put });
    }
    const read = async (page: TablePage) =>
      (await state.catalog.listTables(page)).map(({ database, table }) => `${database}.${table}`);
    const all = ["a.x2", "a.y", "a.y_1", "a_b.z", "ab.q", "b.x"];
    expect(await read({ limit: 10 })).toEqual(all);
    expect(await read({ limit: 2 })).toEqual(all.slice(0, 2));
    expect(await read({ limit: 3, after: { database: "a", table: "y" } })).toEqual(all.slice(2, 5));
    expect(await read({ limit: 10, database: "a" })).toEqual(all.slice(0, 3));
    expect(await read({ limit: 10, database: "a", after: { database: "a", table: "x2" } })).toEqual(all.slice(1, 3));
    expect(await read({ limit: 10, database: "c" })).toEqual([]);
  });

  test("published: the last publication to each folder, and those with a content, as the ends of queries store them", async () => {
    const publish = async (key: string, more: Partial<PublishedFolder> = {}) => {
      const query = await accept(state);
      const columns = [{ name: "n \0", type: "int" }];
      const folder = { bucket: "out", key };
      const known = { type: "select", format: "csv", columns, fingerprint: "f", content: null } as const;
      const published: PublishedFolder = { ...known, queryId: query.id, folder, ...more };
      expect(await state.attempts.end(query, "finished", advance, { published })).toBe(true);
      expect(await state.attempts.end(query, "finished", advance, { published })).toBe(false);
      return published;
    };
    const first = await publish("a/", { content: "same" });
    const other = await publish("a/dt=1/", { type: "split", format: "json", columns: null, fingerprint: null });
    const beside = await publish("ab/", { folder: { bucket: "out", key: "ab/\u{1F989}/" } });
    const elsewhere = await publish("a/", { folder: { bucket: "other", key: "a/" }, content: "same" });
    await publish("again/", { folder: { bucket: "other", key: "again/" }, content: "same" });
    const renamed = [{ name: "m", type: "int" }];
    const others = { bucket: "other", key: "b/" };
    const withOthers = await publish("b/", { folder: others, content: "same", columns: renamed });
    const last = await publish("a/");
    expect(await state.catalog.listPublished({ bucket: "out", key: "a/" })).toEqual([last, other]);
    expect(await state.catalog.listPublished({ bucket: "out", key: "" })).toEqual([last, other, beside]);
    expect(await state.catalog.listPublished({ bucket: "out", key: "" }, 2)).toEqual([last, beside]);
    expect(await state.catalog.listPublishedAs("same")).toEqual([first, withOthers]);
    expect(await state.catalog.listPublishedAs("none")).toEqual([]);
    // What was published last is known also without its query.
    await state.retention.removeQueries([first.queryId, last.queryId, other.queryId]);
    expect(await state.catalog.listPublished({ bucket: "out", key: "a/" })).toEqual([last, other]);
    expect(await state.catalog.listPublishedAs("same")).toEqual([elsewhere, withOthers]);
    await state.reset();
    expect(await state.catalog.listPublished({ bucket: "out", key: "" })).toEqual([]);
  });

  test("cancel against markPublishing: exactly one of them wins, in every order", async () => {
    const orders = fc.shuffledSubarray(["cancel", "mark", "cancel again"] as const, { minLength: 3 });
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        const query = await accept(state);
        const steps = {
          cancel: () => state.admission.cancel(query.id),
          "cancel again": () => state.admission.cancel(query.id),
          mark: () => state.attempts.markPublishing(query, { columns: null, checked: false }),
        };
        const results = new Map(await Promise.all(order.map(async (step) => [step, await steps[step]()] as const)));
        const isMarked = results.get("mark") === "marked";
        expect(results.get("mark")).toBe(isMarked ? "marked" : "cancelled");
        const cancels = [results.get("cancel"), results.get("cancel again")];
        expect(cancels.includes(true)).toBe(!isMarked);
        expect(await state.queries.get(query.id)).toMatchObject({ status: "running", publishing: isMarked });
        await state.attempts.end(query, "canceled", advance);
        expect(await state.admission.cancel(query.id)).toBe(false);
      }),
      { numRuns: 20 },
    );
  });

  test("progress: is shown by single queries and lists, and replaced by the end", async () => {
    state.leases.listen(recorder().listener);
    const query = await accept(state);
    state.attempts.reportProgress(query, { progress: 41.5, stage: 2, jobId: "j" });
    await expect.poll(async () => (await state.queries.get(query.id))!.progress).toBe(41.5);
    expect(await state.queries.list({ order: "asc", limit: 1 })).toMatchObject([
      { progress: 41.5, stage: 2, jobId: "j" },
    ]);
    await state.attempts.end(query, "finished", advance);
    expect(await state.queries.get(query.id)).toMatchObject(advance);
  });

  test("rows, times: are kept with the query, and shown by lists", async () => {
    state.leases.listen(recorder().listener);
    const query = await accept(state);
    expect(await state.queries.get(query.id)).toMatchObject({ rows: null, endTime: null });
    state.attempts.reportProgress(query, { progress: 1, stage: 1, jobId: null, movedTime: 1_700_000_000_123 });
    await expect.poll(async () => (await state.queries.get(query.id))!.movedTime).toBe(1_700_000_000_123);
    await state.attempts.markPublishing(query, { columns: null, checked: false, rows: 5000 });
    await state.attempts.end(query, "finished", advance);
    const kept = { rows: 5000, endTime: expect.any(Number) };
    expect(await state.queries.get(query.id)).toMatchObject(kept);
    expect(await state.queries.list({ order: "asc", limit: 1 })).toMatchObject([kept]);
  });

  test("takeOver: returns what an earlier start has left, with a later epoch, and the earlier attempt stores nothing", async () => {
    const ended = await accept(state);
    await state.attempts.end(ended, "finished", advance);
    const first = await accept(state);
    const marked = await accept(state);
    await state.attempts.markPublishing(marked, { columns: null, checked: false });
    await reopen();
    const taken = await state.leases.takeOver();
    expect(taken).toMatchObject([
      { id: first.id, epoch: 2, publishing: false },
      { id: marked.id, epoch: 2, publishing: true, publishedEpoch: 1 },
    ]);
    expect(await state.leases.takeOver()).toEqual([]);
    expect(await state.attempts.markPublishing(first, { columns: null, checked: false })).toBe("lost");
    expect(await state.attempts.end(first, "finished", advance)).toBe(false);
    expect(await state.queries.get(first.id)).toMatchObject({ status: "running", publishing: false });
    expect(await state.attempts.end(taken[0]!, "finished", advance)).toBe(true);
  });

  test("setEngineHandle: is given to the attempt that takes the query over, stored by the last attempt only, and ends with the query", async () => {
    const query = await accept(state);
    expect(await state.attempts.setEngineHandle(query, "first")).toBe(true);
    expect(await state.attempts.setEngineHandle(query, "second")).toBe(true);
    await reopen();
    const [taken] = await state.leases.takeOver();
    expect(taken).toMatchObject({ id: query.id, epoch: 2, engineHandle: "second" });
    expect(await state.attempts.setEngineHandle(query, "late")).toBe(false);
    expect(await state.queries.get(query.id)).toMatchObject({ engineHandle: "second" });
    await state.attempts.end(taken!, "finished", advance);
    expect(await state.queries.get(query.id)).toMatchObject({ engineHandle: null });
    expect(await state.attempts.setEngineHandle(taken!, "after its end")).toBe(false);
  });

  test("takeOver: what an earlier start has left holds its slot and its folder before it is taken over", async () => {
    const left = await accept(state, submission({ folder: "kept" }));
    await reopen();
    expect(await state.queries.listRunning("c1")).toEqual([left.id]);
    expect((await state.admission.accept(submission(), { ...conditions, slots: 1 })).refused).toBe("slots");
    expect((await state.admission.accept(submission({ folder: "kept/below" }), conditions)).refused).toBe("overlap");
  });

  test("registerCluster: keeps a restart's settings until the config changes", async () => {
    expect(await state.admission.registerCluster("new", duckdb)).toMatchObject(duckdb);
    await state.admission.restartCluster("new", { type: "hive", debug: true }, false);
    expect(await state.admission.registerCluster("new", duckdb)).toMatchObject({ type: "hive", debug: true });
    await reopen();
    expect(await state.admission.registerCluster("new", duckdb)).toMatchObject({ type: "hive", debug: true });
    const changed = { type: "duckdb", debug: true };
    expect(await state.admission.registerCluster("new", changed)).toMatchObject(changed);
  });

  test("restartCluster: refuses while queries run, marks earlier queries as rebooted and cancels them with force", async () => {
    const { listener, told } = recorder();
    state.leases.listen(listener);
    const running = await accept(state);
    const elsewhere = await accept(state, submission({ clusterName: "c2" }));
    expect(await state.admission.restartCluster("c1", duckdb, false)).toEqual({ refused: true, running: [running.id] });
    expect(await state.queries.get(running.id)).toMatchObject({ clusterRebooted: false });
    const restarted = await state.admission.restartCluster("c1", duckdb, true);
    expect(restarted).toMatchObject({ cancelled: [running.id] });
    await expect.poll(() => told.cancelled).toContain(running.id);
    expect(await state.attempts.markPublishing(running, { columns: null, checked: false })).toBe("cancelled");
    expect(await state.queries.get(running.id)).toMatchObject({ clusterRebooted: true });
    expect(await state.queries.get(elsewhere.id)).toMatchObject({ clusterRebooted: false });
    await state.attempts.end(running, "canceled", advance);
    // What was checked before the restart is not accepted after it.
    expect((await state.admission.accept(submission(), conditions)).refused).toBe("restarted");
    const { generation } = restarted.refused ? { generation: 0 } : restarted.cluster;
    expect((await accept(state, submission(), { generation })).clusterRebooted).toBe(false);
  });

  test("restartCluster against accept: a query is refused, accepted after the restart, or forbids it", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { generation } = await state.admission.registerCluster("c1", duckdb);
      const [accepted, restarted] = await Promise.all([
        state.admission.accept(submission(), { slots: 1000, generation }),
        state.admission.restartCluster("c1", duckdb, false),
      ]);
      const forbids = accepted.refused ? [] : [accepted.query.id];
      expect(accepted.refused).toBe(restarted.refused ? undefined : "restarted");
      expect(restarted.refused ? restarted.running : []).toEqual(forbids);
      if (!accepted.refused) await state.attempts.end(accepted.query, "finished", advance);
    }
  });
}
