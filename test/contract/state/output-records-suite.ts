/** What every adapter of the state does with the records of what attempts write to S3. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { StateAdapter } from "../../../service/state/state-adapter";
import { accept, advance, duckdb, type StateStore } from "./state-store";

/** Runs the suite with a store for each test. */
export function outputRecordsSuite(create: () => Promise<StateStore>): void {
  describe("output records", () => {
    let store: StateStore;
    let state: StateAdapter;
    beforeEach(async () => {
      store = await create();
      state = await store.open();
      await state.admission.registerCluster("c1", duckdb);
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
      const output = { queryId: id, epoch, name: `${epoch}-a${id}`, bucket };
      expect(await state.outputRecords.begin(output)).toBe(true);
      return output;
    };
    const manifest = [
      { name: "000000_0", size: 3, etag: '"x"' },
      { name: "s/000001_0", size: 0, etag: null },
    ];

    test("begin: records an output, also when the state is opened again", async () => {
      const output = await begun();
      await reopen();
      const stored = { ...output, manifest: null, published: false, discarded: false };
      expect(await state.outputRecords.of(output.queryId)).toEqual([stored]);
      expect(await state.outputRecords.of(output.queryId + 1)).toEqual([]);
    });

    test("begin: records nothing for an attempt that is not the query's last one, or has ended", async () => {
      const query = await accept(state);
      await reopen();
      const [later] = await state.leases.takeOver();
      expect(later).toMatchObject({ id: query.id, epoch: 2 });
      const of = (epoch: number) => ({ queryId: query.id, epoch, name: `${epoch}-a`, bucket: "out" });
      expect(await state.outputRecords.begin(of(1))).toBe(false);
      expect(await state.outputRecords.begin(of(2))).toBe(true);
      await state.attempts.end(later!, "finished", advance);
      expect(await state.outputRecords.begin({ ...of(2), name: "2-b" })).toBe(false);
      expect((await state.outputRecords.of(query.id)).map(({ name }) => name)).toEqual(["2-a"]);
    });

    test("setManifest and setPublished: are stored for the query's last attempt, which may be a later one, and for no other", async () => {
      const output = await begun();
      await reopen();
      await state.leases.takeOver();
      expect(await state.outputRecords.setManifest(output, 1, manifest)).toBe(false);
      expect(await state.outputRecords.setPublished(output, 1)).toBe(false);
      expect(await state.outputRecords.of(output.queryId)).toMatchObject([{ manifest: null, published: false }]);
      expect(await state.outputRecords.setManifest(output, 2, manifest)).toBe(true);
      expect(await state.outputRecords.of(output.queryId)).toMatchObject([{ manifest, published: false }]);
      expect(await state.outputRecords.setPublished(output, 2)).toBe(true);
      await reopen();
      expect(await state.outputRecords.of(output.queryId)).toMatchObject([
        { manifest, published: true, discarded: false },
      ]);
    });

    test("ended: returns the outputs of queries that do not run, also of deleted ones", async () => {
      const [runs, ended, deleted] = [await begun(), await begun(), await begun()];
      expect(await state.outputRecords.ended()).toEqual([]);
      for (const { queryId: id, epoch } of [ended, deleted]) await state.attempts.end({ id, epoch }, "error", advance);
      await state.retention.removeQueries([deleted.queryId]);
      expect((await state.outputRecords.ended()).map(({ queryId }) => queryId)).toEqual([
        ended.queryId,
        deleted.queryId,
      ]);
      await state.outputRecords.remove(ended);
      await state.outputRecords.remove(deleted);
      expect(await state.outputRecords.ended()).toEqual([]);
      expect(await state.outputRecords.of(runs.queryId)).toHaveLength(1);
    });

    test("isUsed: is true while an output in the bucket is neither discarded nor removed", async () => {
      const [first, second] = [await begun(), await begun()];
      await begun("other");
      expect(await state.outputRecords.isUsed("out")).toBe(true);
      await state.outputRecords.setDiscarded(first);
      expect(await state.outputRecords.isUsed("out")).toBe(true);
      await state.outputRecords.remove(second);
      expect(await state.outputRecords.isUsed("out")).toBe(false);
      expect(await state.outputRecords.isUsed("other")).toBe(true);
      expect(await state.outputRecords.of(first.queryId)).toMatchObject([{ discarded: true }]);
    });
  });
}
