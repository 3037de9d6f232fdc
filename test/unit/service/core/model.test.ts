/** Compares the service with a model of the state machine under random operations. */
import fc from "fast-check";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ApiError, type QueryStatus } from "../../../../contract";
import { restartCluster } from "../../../../service/core/clusters/cluster-operations";
import { cancelQuery, getQuery, listQueries } from "../../../../service/core/queries/query-operations";
import { Harness } from "./harness";

interface ModelQuery {
  status: QueryStatus;
  rebooted: boolean;
  folder: number;
}

/** The expected state of the service as its callers see it. */
interface Model {
  readonly queries: Map<number, ModelQuery>;
  /** Content of the output folders, by number. */
  readonly folders: Map<number, string>;
}

interface Real {
  h: Harness;
  readonly directory: string;
}

const slots = 3;

const running = (model: Model) => [...model.queries].filter(([, { status }]) => status === "running");

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "";
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

/** Ends the service like kill -9, so that it runs and writes nothing more, then starts another one on its folder. */
async function killService(real: Real): Promise<void> {
  const old = real.h;
  await old.service.stop();
  real.h = new Harness(real.directory, { clusters: { c1: [{ grade: "small", quantity: slots + 1 }] } });
  await real.h.service.start();
}

const pick = (model: Model, index: number) => {
  const found = running(model);
  return found.length === 0 ? undefined : found[index % found.length];
};

type Step = fc.AsyncCommand<Model, Real>;
const step = (
  name: string,
  check: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): Step => ({
  check,
  toString: () => name,
  async run(model, real) {
    await run(model, real);
    await agree(model, real);
  },
});

const submit = (folder: number) =>
  step(
    `submit ${folder}`,
    () => true,
    async (model, { h }) => {
      const busy = running(model);
      const isTaken = busy.some(([, query]) => query.folder === folder);
      const expected = busy.length >= slots ? "TooManyQueries" : isTaken ? "InvalidOutputResourcePath" : "";
      let id = 0;
      const code = await codeOf(h.select({ outputResourcePath: `dag://out/f${folder}` }).then((given) => (id = given)));
      expect(code).toBe(expected);
      if (code !== "") return;
      expect(Math.max(0, ...model.queries.keys())).toBeLessThan(id);
      model.queries.set(id, { status: "running", rebooted: false, folder });
      await h.working(id);
    },
  );

const end = (index: number, well: boolean) =>
  step(
    well ? `finish ${index}` : `fail ${index}`,
    (model) => running(model).length > 0,
    async (model, { h }) => {
      const [id, query] = pick(model, index)!;
      const job = await h.working(id);
      if (well) job.finish(`by ${id}`);
      else job.fail(new Error("failed"));
      query.status = await h.ended(id);
      expect(query.status).toBe(well ? "finished" : "error");
      if (well) model.folders.set(query.folder, `by ${id}`);
    },
  );

const cancel = (index: number) =>
  step(
    `cancel ${index}`,
    (model) => model.queries.size > 0,
    async (model, { h }) => {
      const all = [...model.queries];
      const [id, query] = all[index % all.length]!;
      expect(await codeOf(cancelQuery(h.context, id))).toBe(query.status === "running" ? "" : "InvalidQueryState");
      if (query.status === "running") query.status = "canceled";
    },
  );

const restart = (force: boolean) =>
  step(
    `restart ${force}`,
    () => true,
    async (model, { h }) => {
      const refused = running(model).length > 0 && !force;
      expect(await codeOf(restartCluster(h.context, "c1", { force }))).toBe(refused ? "QueryIsRunning" : "");
      if (refused) return;
      for (const [, query] of running(model)) query.status = "canceled";
      for (const query of model.queries.values()) query.rebooted = true;
      await h.up();
    },
  );

const crash = () =>
  step(
    "crash",
    () => true,
    async (model, { h }) => {
      h.family.engine!.crash("killed");
      // For a second only; the ends of queries take longer on a slow disk.
      await h.until("failed", () => h.context.clusters.get("c1")!.status === "failed");
      for (const [id, query] of running(model)) query.status = await h.ended(id);
      h.clock.advance(60_000);
      await h.up();
    },
  );

const kill = () =>
  step(
    "kill",
    () => true,
    async (model, real) => {
      await killService(real);
      for (const [id] of running(model)) await real.h.working(id);
    },
  );

async function agree(model: Model, { h }: Real): Promise<void> {
  const listed = (await listQueries(h.context, { order: "asc" })).queries;
  expect(listed.map(({ id, status, clusterRebooted }) => [id, status, clusterRebooted])).toEqual(
    [...model.queries].map(([id, { status, rebooted }]) => [id, status, rebooted]),
  );
  for (const [id, { status }] of model.queries) expect((await getQuery(h.context, id)).status).toBe(status);
  const ids = running(model).map(([id]) => id);
  expect(await h.context.state.queries.listRunning("c1")).toEqual(ids);
  expect(h.context.executions.idsOn("c1").sort()).toEqual(ids.sort());
  const temporaries = running(model).map(([id]) => `tmp/${id}`);
  const visible = h.entries("out").filter((name) => name === "tmp_$folder$" || /^tmp\/\d+$/.test(name));
  expect(visible.sort()).toEqual([...temporaries, ...(temporaries.length > 0 ? ["tmp_$folder$"] : [])].sort());
  for (const [folder, content] of model.folders) expect(h.get(`dag://out/f${folder}/000000_0`)).toBe(content);
}

test("state machine: agrees with the model under random submissions, ends, cancels, restarts, crashes and kills", async () => {
  const index = fc.nat(50);
  const commands = fc.commands<Model, Real, false>(
    [
      fc.nat(4).map(submit),
      fc.nat(4).map(submit),
      fc.tuple(index, fc.boolean()).map(([at, well]) => end(at, well)),
      index.map(cancel),
      fc.boolean().map(restart),
      fc.constant(undefined).map(crash),
      fc.constant(undefined).map(kill),
    ],
    { maxCommands: 25 },
  );
  const agreement = fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      const directory = mkdtempSync(join(tmpdir(), "dag-model-"));
      const real: Real = {
        h: new Harness(directory, { clusters: { c1: [{ grade: "small", quantity: slots + 1 }] } }),
        directory,
      };
      await real.h.service.start();
      try {
        await fc.asyncModelRun(() => ({ model: { queries: new Map(), folders: new Map() }, real }), sequence);
      } finally {
        await real.h.service.stop();
        rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
      }
    }),
    { numRuns: 25 },
  );
  await expect(agreement).resolves.toBeUndefined();
}, 60_000);
