import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, test } from "vitest";
import { lineageOf } from "../../../../../service/core/inspection/lineage";
import type { ReadInput } from "../../../../../service/core/ports/read-records";
import type { PublishedFolder } from "../../../../../service/core/ports/state";
import { stateOf } from "../../../../../service/core/queries/read-states";
import { type Harness, startHarness } from "../harness";

/** Tables of a layer, each of which is made of three of the layer before. */
const width = 30;

/** Stores what a finished query would have left, without running it. */
async function leave({ context, storage }: Harness, table: string, sources: readonly string[]): Promise<number> {
  const { state } = context;
  const folder = { bucket: "data", key: `${table}/` };
  const accepted = await state.admission.accept(
    {
      type: "select",
      clusterName: "c1",
      accessKeyId: "AK",
      label: null,
      startTime: 0,
      query: "select 1",
      outputFormat: "csv",
      outputResourcePath: `dag://data/${table}/`,
    },
    { slots: 1000, generation: 0 },
  );
  if (accepted.refused) throw new Error(accepted.refused);
  const { id, epoch } = accepted.query;
  const reads: ReadInput[] = [];
  for (const source of sources) {
    const read = { bucket: "data", key: `${source}/` };
    reads.push({ kind: "table", folder: read, isDirect: true, ...(await stateOf(storage, read)) });
  }
  await state.attempts.markPublishing({ id, epoch }, { columns: null, checked: false, reads });
  const known = { type: "select", format: "csv", columns: null, fingerprint: null, content: null } as const;
  const published: PublishedFolder = { ...known, queryId: id, folder };
  await state.attempts.end({ id, epoch }, "finished", { progress: 100, stage: 3, jobId: null }, { published });
  return id;
}

test("lineageOf: of more than 500 nodes returns the nearest 500, and other work has its turn meanwhile", async () => {
  const harness = await startHarness();
  await harness.up();
  for (let index = 0; index < 560; index += 1) {
    for (const object of ["a", "b", "c"]) harness.put(`dag://data/t${index}/${object}`, "1\n");
    const before = index - width;
    const sources = before < 0 ? [] : [before, Math.max(0, before - 1), Math.max(0, before - 2)];
    await leave(
      harness,
      `t${index}`,
      [...new Set(sources)].map((source) => `t${source}`),
    );
  }
  const lastLayer = Array.from({ length: width }, (_, index) => `t${559 - index}`);
  await leave(harness, "last", lastLayer);
  harness.put("dag://data/t0/d", "2\n");
  const delay = monitorEventLoopDelay({ resolution: 5 });
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  delay.enable();
  const found = await lineageOf(harness.context, { path: "data/last" }, harness.caller);
  delay.disable();
  isDone = true;
  expect(found.nodes).toHaveLength(500);
  expect(found.isCut).toBe(true);
  expect(found.edges.length).toBeGreaterThan(500);
  // Without a turn for others, a request that comes meanwhile would wait for the whole graph.
  expect(turns).toBeGreaterThan(100);
  console.log(`lineage of 500 nodes: the event loop was held for ${(delay.max / 1e6).toFixed(1)} ms at most`);
  const all = await lineageOf(harness.context, { path: "data/t0" }, harness.caller);
  expect(all.nodes.find(({ name }) => name === "data.t0")).not.toHaveProperty("stale");
  expect(all.nodes.find(({ name }) => name === `data.t${width}`)).toMatchObject({ stale: "data.t0 was changed" });
}, 60_000);

test("lineageOf: a folder of which nothing is known is told, but one with an object or a reader is there", async () => {
  const harness = await startHarness();
  await harness.up();
  const { context, caller } = harness;
  for (const path of ["nope/nope", "data/nope"]) {
    await expect(lineageOf(context, { path }, caller)).rejects.toMatchObject({
      code: "InputObjectNotFound",
      message: `dag://${path}/ does not exist: it has no object, and no table, view or result of this service is there`,
    });
  }
  harness.put("dag://data/there/a", "1\n");
  expect((await lineageOf(context, { path: "data/there" }, caller)).nodes).toHaveLength(1);
  await leave(harness, "reader", ["gone"]);
  expect((await lineageOf(context, { path: "data/gone" }, caller)).nodes).toHaveLength(2);
});
