/** What every adapter of the state does with the jobs on servers that no attempt goes on with. */
import { expect, test } from "vitest";
import type { State } from "../../../service/core/ports/state";
import { accept, advance, submission, useState, type StateStore } from "./state-store";

export function jobsToEndSuite(create: () => Promise<StateStore>): void {
  let state: State;
  const { reopen } = useState(create, (opened) => (state = opened));
  const claimed = async (...clusters: string[]) => state.jobsToEnd.claim(clusters, 0);

  test.each(["canceled", "error"] as const)(
    "end: the job of a query that ends as %s is one to end, until it is removed, also when the state is opened again",
    async (status) => {
      const query = await accept(state);
      await state.attempts.setEngineHandle(query, "first");
      expect(await claimed("c1")).toEqual([]);
      await state.attempts.end(query, status, advance);
      const job = { id: expect.any(Number), queryId: query.id, clusterName: "c1", handle: "first" };
      expect(await claimed("c1")).toEqual([{ ...job, since: expect.any(Number) }]);
      await reopen();
      const [found] = await claimed("c1");
      expect(found).toMatchObject(job);
      await state.jobsToEnd.remove(found!.id);
      expect(await claimed("c1")).toEqual([]);
    },
  );

  test("end: a finished query, one without a job, and an attempt that is not the last one leave none", async () => {
    const [finished, plain, lost] = [await accept(state), await accept(state), await accept(state)];
    await state.attempts.setEngineHandle(finished, "f");
    await state.attempts.setEngineHandle(lost, "l");
    await state.attempts.end(finished, "finished", advance);
    await state.attempts.end(plain, "canceled", advance);
    expect(await state.attempts.end({ ...lost, epoch: 7 }, "canceled", advance)).toBe(false);
    expect(await claimed("c1")).toEqual([]);
  });

  test("setEngineHandle: a job in whose place another one runs is one to end", async () => {
    const query = await accept(state);
    for (const handle of ["first", "second", "second"]) await state.attempts.setEngineHandle(query, handle);
    expect(await claimed("c1")).toMatchObject([{ queryId: query.id, handle: "first" }]);
    expect(await state.attempts.setEngineHandle({ ...query, epoch: 7 }, "third")).toBe(false);
    await state.attempts.end(query, "canceled", advance);
    expect((await claimed("c1")).map(({ handle }) => handle)).toEqual(["first", "second"]);
  });

  test("claim: returns the jobs of the clusters that are named, and old ones of any cluster", async () => {
    for (const clusterName of ["c1", "c2"]) {
      const query = await accept(state, submission({ clusterName }));
      await state.attempts.setEngineHandle(query, clusterName);
      await state.attempts.end(query, "canceled", advance);
    }
    expect((await claimed("c2")).map(({ handle }) => handle)).toEqual(["c2"]);
    const later = Date.now() + 60_000;
    expect((await state.jobsToEnd.claim([], later)).map(({ handle }) => handle)).toEqual(["c1", "c2"]);
  });
}
