/** What every adapter of the state does with the runs whose OpenLineage events are to be sent. */
import { expect, test } from "vitest";
import type { State } from "../../../service/core/ports/state";
import { accept, advance, submission, useState, type StateStore } from "./state-store";

export function lineageRunsSuite(create: () => Promise<StateStore>): void {
  let state: State;
  const { reopen } = useState(create, (opened) => (state = opened));
  const parent = { namespace: "pulumi", name: "p/dev", runId: "01890a5d-ac96-774b-bcce-b302099a8057" };
  const lineageRun = { inputs: [{ bucket: "data", key: "t/" }], parent };
  const waiting = async () => (await state.lineageRuns.waiting(10)).map(({ queryId }) => queryId);

  test("accept: stores a run only where one is given, and opening the state again keeps it", async () => {
    await accept(state);
    const { id } = await accept(state, submission(), { lineageRun });
    const expected = [{ ...lineageRun, queryId: id, isStarted: false, failure: null }];
    expect(await state.lineageRuns.waiting(10)).toEqual(expected);
    await reopen();
    expect(await state.lineageRuns.waiting(10)).toEqual(expected);
  });

  test("accept: a refused submission stores no run", async () => {
    const first = submission();
    await accept(state, first);
    expect(await state.admission.accept(first, { slots: 1000, generation: 0, lineageRun })).toMatchObject({
      refused: "overlap",
    });
    expect(await state.lineageRuns.count()).toBe(0);
  });

  test("waiting: a started run waits again when its query has ended, until it is removed", async () => {
    const query = await accept(state, submission(), { lineageRun });
    await state.lineageRuns.setStarted(query.id);
    expect(await waiting()).toEqual([]);
    await state.attempts.end(query, "error", advance, {}, "no \0 such column");
    expect(await state.lineageRuns.waiting(10)).toMatchObject([{ isStarted: true, failure: "no \0 such column" }]);
    await state.lineageRuns.remove(query.id);
    expect(await waiting()).toEqual([]);
    expect(await state.lineageRuns.count()).toBe(0);
  });

  test("end: an attempt that is not the last one stores no failure", async () => {
    const query = await accept(state, submission(), { lineageRun });
    expect(await state.attempts.end({ ...query, epoch: 7 }, "error", advance, {}, "late")).toBe(false);
    expect(await state.lineageRuns.waiting(10)).toMatchObject([{ failure: null }]);
  });

  test("keepNewest: deletes the oldest runs and says how many", async () => {
    const ids: number[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await accept(state, submission(), { lineageRun })).id);
    expect(await state.lineageRuns.keepNewest(2)).toBe(3);
    expect(await waiting()).toEqual(ids.slice(3));
    expect(await state.lineageRuns.keepNewest(2)).toBe(0);
  });

  test("remove: the run of a deleted query still waits, so that its loss is told", async () => {
    const query = await accept(state, submission(), { lineageRun });
    await state.attempts.end(query, "finished", advance);
    await state.retention.removeQueries([query.id]);
    expect(await waiting()).toEqual([query.id]);
  });
}
