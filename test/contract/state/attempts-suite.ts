/** What every adapter of the state does with the attempts that write to S3. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { State } from "../../../service/core/ports/state";
import { accept, advance, duckdb, type StateStore } from "./state-store";

/** Runs the suite with a store for each test. */
export function attemptsSuite(create: () => Promise<StateStore>): void {
  describe("attempts", () => {
    let store: StateStore;
    let state: State;
    beforeEach(async () => {
      store = await create();
      state = await store.open();
      await state.registerCluster("c1", duckdb);
    });
    afterEach(async () => {
      await state.close();
      await store.delete();
    });
    const reopen = async () => {
      await state.close();
      state = await store.open();
    };
    const begun = async (bucket = "out") => {
      const { id, epoch } = await accept(state);
      const attempt = { queryId: id, epoch, name: `${epoch}-a${id}`, bucket };
      expect(await state.attempts.begin(attempt)).toBe(true);
      return attempt;
    };
    const manifest = [
      { name: "000000_0", size: 3, etag: '"x"' },
      { name: "s/000001_0", size: 0, etag: null },
    ];

    test("begin: records an attempt, also when the state is opened again", async () => {
      const attempt = await begun();
      await reopen();
      const stored = { ...attempt, manifest: null, published: false, discarded: false };
      expect(await state.attempts.of(attempt.queryId)).toEqual([stored]);
      expect(await state.attempts.of(attempt.queryId + 1)).toEqual([]);
    });

    test("begin: records nothing for an attempt that is not the query's last one, or has ended", async () => {
      const query = await accept(state);
      await reopen();
      const [later] = await state.takeOver();
      expect(later).toMatchObject({ id: query.id, epoch: 2 });
      const of = (epoch: number) => ({ queryId: query.id, epoch, name: `${epoch}-a`, bucket: "out" });
      expect(await state.attempts.begin(of(1))).toBe(false);
      expect(await state.attempts.begin(of(2))).toBe(true);
      await state.end(later!, "finished", advance);
      expect(await state.attempts.begin({ ...of(2), name: "2-b" })).toBe(false);
      expect((await state.attempts.of(query.id)).map(({ name }) => name)).toEqual(["2-a"]);
    });

    test("setManifest and setPublished: are stored for the query's last attempt, which may be a later one, and for no other", async () => {
      const attempt = await begun();
      await reopen();
      await state.takeOver();
      expect(await state.attempts.setManifest(attempt, 1, manifest)).toBe(false);
      expect(await state.attempts.setPublished(attempt, 1)).toBe(false);
      expect(await state.attempts.of(attempt.queryId)).toMatchObject([{ manifest: null, published: false }]);
      expect(await state.attempts.setManifest(attempt, 2, manifest)).toBe(true);
      expect(await state.attempts.of(attempt.queryId)).toMatchObject([{ manifest, published: false }]);
      expect(await state.attempts.setPublished(attempt, 2)).toBe(true);
      await reopen();
      expect(await state.attempts.of(attempt.queryId)).toMatchObject([{ manifest, published: true, discarded: false }]);
    });

    test("ended: returns the attempts of queries that do not run, also of deleted ones", async () => {
      const [runs, ended, deleted] = [await begun(), await begun(), await begun()];
      expect(await state.attempts.ended()).toEqual([]);
      for (const { queryId: id, epoch } of [ended, deleted]) await state.end({ id, epoch }, "error", advance);
      await state.remove([deleted.queryId]);
      expect((await state.attempts.ended()).map(({ queryId }) => queryId)).toEqual([ended.queryId, deleted.queryId]);
      await state.attempts.remove(ended);
      await state.attempts.remove(deleted);
      expect(await state.attempts.ended()).toEqual([]);
      expect(await state.attempts.of(runs.queryId)).toHaveLength(1);
    });

    test("isUsed: is true while an attempt in the bucket is neither discarded nor removed", async () => {
      const [first, second] = [await begun(), await begun()];
      await begun("other");
      expect(await state.attempts.isUsed("out")).toBe(true);
      await state.attempts.setDiscarded(first);
      expect(await state.attempts.isUsed("out")).toBe(true);
      await state.attempts.remove(second);
      expect(await state.attempts.isUsed("out")).toBe(false);
      expect(await state.attempts.isUsed("other")).toBe(true);
      expect(await state.attempts.of(first.queryId)).toMatchObject([{ discarded: true }]);
    });
  });
}
