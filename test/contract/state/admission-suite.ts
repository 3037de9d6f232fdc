/** What every adapter of the state accepts, and what it keeps for whom. */
import { expect, test } from "vitest";
import { parseLocation } from "../../../contract";
import type { AcceptedQuery, State } from "../../../service/core/ports/state";
import { accept, advance, submission, conditions, useState, type StateStore } from "./state-store";

/** Tests of queries, folders and exports that come at once. */
export function admissionSuite(create: () => Promise<StateStore>): void {
  let state: State;
  const { reopen } = useState(create, (opened) => (state = opened));

  test("accept: stores the submission, also when the state is opened again", async () => {
    const hostile = "it's; DROP TABLE queries -- \u0000 \u{1F989}";
    const given = submission({ label: hostile });
    const { id: select } = await accept(state, given);
    const split = await accept(state, submission({ type: "split", folder: "t" }));
    await state.attempts.end(split, "finished", advance);
    await reopen();
    expect(await state.queries.get(select)).toEqual({
      ...given,
      id: select,
      epoch: 1,
      status: "running",
      publishing: false,
      publishedEpoch: 0,
      engineHandle: null,
      endTime: null,
      rows: null,
      movedTime: null,
      clusterRebooted: false,
      progress: 0,
      stage: 0,
      jobId: null,
      columns: null,
      checked: false,
    });
    expect(await state.queries.get(split.id)).toMatchObject({
      ...submission({ type: "split", folder: "t" }),
      status: "finished",
      ...advance,
    });
    expect(await state.queries.get(split.id + 1)).toBeUndefined();
  });

  test("accept: keeps the text of a statement, and lists a short form of a long one", async () => {
    const query = `select '\u0000 \u{1F989} ${"x".repeat(20_000)}'`;
    const { id } = await accept(state, { ...submission(), type: "select", query } as AcceptedQuery);
    expect(await state.queries.get(id)).toMatchObject({ query });
    const [listed] = await state.queries.list({ order: "desc", limit: 1 });
    expect(listed!.excerpt!.length).toBeLessThan(query.length);
    expect(query.startsWith(listed!.excerpt!.slice(0, 100))).toBe(true);
  });

  test("accept: never gives an ID again, not even after a reset", async () => {
    const first = await accept(state);
    await state.attempts.end(first, "finished", advance);
    await state.reset();
    await reopen();
    expect((await accept(state)).id).toBeGreaterThan(first.id);
  });

  test("accept: takes exactly as many queries as there are slots, however many come at once", async () => {
    const all = await Promise.all(
      Array.from({ length: 60 }, () => state.admission.accept(submission(), { ...conditions, slots: 4 })),
    );
    const taken = all.flatMap((one) => (one.refused ? [] : [one.query]));
    expect(taken).toHaveLength(4);
    expect(all.filter(({ refused }) => refused === "slots")).toHaveLength(56);
    expect(await state.queries.listRunning("c1")).toEqual(taken.map(({ id }) => id).sort((a, b) => a - b));
    await state.attempts.end(taken[0]!, "finished", advance);
    const next = await Promise.all(
      Array.from({ length: 9 }, () => state.admission.accept(submission(), { ...conditions, slots: 4 })),
    );
    expect(next.filter(({ refused }) => refused === undefined)).toHaveLength(1);
    const other = await state.admission.accept(submission({ clusterName: "c2" }), { ...conditions, slots: 4 });
    expect(other.refused).toBeUndefined();
  });

  test("accept: of concurrent queries with equal or nested folders, takes exactly one on all clusters", async () => {
    const folders = ["a/b", "a/b", "a", "a/b/c", "a/b"];
    const all = await Promise.all(
      folders.map((folder, index) =>
        state.admission.accept(submission({ folder, clusterName: index % 2 === 0 ? "c1" : "c2" }), conditions),
      ),
    );
    const [taken, ...more] = all.flatMap((one) => (one.refused ? [] : [one.query]));
    expect(more).toEqual([]);
    const refused = all.filter((one) => one.refused);
    expect(refused).toHaveLength(4);
    for (const one of refused) expect(one).toMatchObject({ refused: "overlap", owner: `query ${taken!.id}` });
    expect((await state.admission.accept(submission({ folder: "a/bc" }), conditions)).refused).toBe(
      taken!.type === "select" && taken!.outputResourcePath === "dag://out/a/" ? "overlap" : undefined,
    );
    await state.attempts.end(taken!, "error", advance);
    await accept(state, submission({ folder: "a/b/c/d" }));
  });

  test("reserve: keeps a folder from every writer until it is released or a query takes it over", async () => {
    const reservation = await state.admission.reserve(parseLocation("dag://data/t/"), "a submission");
    if (reservation.refused) throw new Error("refused");
    const given = submission({ type: "split", folder: "t" });
    expect(await state.admission.reserve(parseLocation("dag://data/t/x/"), "another")).toMatchObject({
      refused: "overlap",
      owner: "a submission",
      folder: { bucket: "data", key: "t/" },
    });
    expect((await state.admission.accept(given, conditions)).refused).toBe("overlap");
    const query = await accept(state, given, { reservation });
    expect(await state.admission.reserve(parseLocation("dag://data/t/"), "another")).toMatchObject({
      owner: `query ${query.id}`,
    });
    await state.attempts.end(query, "finished", advance);
    const again = await state.admission.reserve(parseLocation("dag://data/t/"), "another");
    if (again.refused) throw new Error("refused");
    await again.release();
    await accept(state, given);
  });

  test("reserve: of concurrent calls for one folder, exactly one has it", async () => {
    const folder = parseLocation("dag://out/one/");
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) => state.admission.reserve(folder, `writer ${index}`)),
    );
    expect(all.filter(({ refused }) => refused === undefined)).toHaveLength(1);
  });

  test("beginExport: one at a time on each cluster, exact under concurrency", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => state.admission.beginExport("c1")));
    const [running, ...more] = all.filter((one) => one !== undefined);
    expect(more).toEqual([]);
    expect(await state.admission.beginExport("c2")).toBeDefined();
    await running!.release();
    expect(await state.admission.beginExport("c1")).toBeDefined();
  });
}
