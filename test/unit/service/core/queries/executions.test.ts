import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errors } from "../../../../../contract";
import { restartCluster } from "../../../../../service/core/clusters/cluster-operations";
import { cancelQuery, getQuery, getQueryLog } from "../../../../../service/core/queries/query-operations";
import { Harness, startHarness } from "../harness";

test("run: a finished select replaces all objects under outputResourcePath and leaves no temporary object", async () => {
  const h = await startHarness();
  h.put("dag://out/r/old", "old");
  h.put("dag://out/r/deep/older", "older");
  const id = await h.select({ outputResourcePath: "dag://out/r" });
  const job = await h.working(id);
  expect(h.entries("out")).toEqual(expect.arrayContaining(["tmp_$folder$", `tmp/${id}`, "r/old"]));
  job.finish("new");
  expect(await h.ended(id)).toBe("finished");
  expect(h.entries("out")).toEqual(["r", "r/000000_0"]);
  expect(h.get("dag://out/r/000000_0")).toBe("new");
  expect(await getQuery(h.context, id)).toMatchObject({ progress: "100%", outputResourcePath: "dag://out/r/" });
});

test("run: a failed select leaves the old output and says why in its log", async () => {
  const h = await startHarness();
  h.put("dag://out/r/old", "old");
  const id = await h.select({ outputResourcePath: "dag://out/r" });
  (await h.working(id)).fail(new Error("division of labour by zero"));
  expect(await h.ended(id)).toBe("error");
  expect(h.entries("out")).toEqual(["r", "r/old"]);
  expect((await getQueryLog(h.context, id)).log).toContain("failed: division of labour by zero");
});

test("run: reports the engine's progress, stage and jobId while it runs", async () => {
  const h = await startHarness();
  h.put("dag://data/in.csv", "1,2\n");
  const id = await h.split();
  const { context } = await h.working(id);
  context.progress(41.7, 2);
  expect(await getQuery(h.context, id)).toMatchObject({ status: "running", progress: "41%", jobId: `memory-${id}` });
  context.progress(12, 2);
  context.progress(100, 3);
  expect(await getQuery(h.context, id)).toMatchObject({ progress: "99%" });
  const select = await h.select();
  (await h.working(select)).context.progress(5, 4);
  expect(await getQuery(h.context, select)).toMatchObject({ progress: "5%", stage: 4 });
});

test("run: limits the engine output in the log, but always logs why the query ended", async () => {
  const h = await startHarness();
  const id = await h.select();
  const { context, fail } = await h.working(id);
  for (let line = 0; line < 40; line += 1) context.log("x".repeat(50_000));
  fail(new Error("the end"));
  await h.ended(id);
  const { log } = await getQueryLog(h.context, id);
  expect(log.length).toBeLessThan(1_200_000);
  expect(log).toContain("further engine output is omitted");
  expect(log).toContain("failed: the end");
});

test("cancelQuery: ends the job, deletes the temporary objects and keeps the old output", async () => {
  const h = await startHarness();
  h.put("dag://out/r/old", "old");
  const id = await h.select({ outputResourcePath: "dag://out/r" });
  await h.working(id);
  await cancelQuery(h.context, id);
  expect(await h.status(id)).toBe("canceled");
  expect(h.entries("out")).toEqual(["r", "r/old"]);
  expect(h.family.jobs.size).toBe(0);
});

test("cancelQuery: two concurrent cancellations succeed, a later one is InvalidQueryState", async () => {
  const h = await startHarness();
  const id = await h.select();
  await h.working(id);
  await Promise.all([cancelQuery(h.context, id), cancelQuery(h.context, id)]);
  await expect(cancelQuery(h.context, id)).rejects.toThrow(errors.InvalidQueryState);
});

test("cancelQuery: a query whose result is being published is refused for that reason, and finishes", async () => {
  const h = await startHarness();
  const { outputs } = h.context.platform;
  const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const publish = outputs.publishReplacing.bind(outputs);
  outputs.publishReplacing = async (...given) => {
    started.resolve();
    await released.promise;
    return publish(...given);
  };
  const id = await h.select();
  (await h.working(id)).finish("new");
  await started.promise;
  const cancelled = cancelQuery(h.context, id);
  await expect(cancelled).rejects.toThrow(errors.InvalidQueryState);
  await expect(cancelled).rejects.toThrow(`query ${id} is complete, and its result is being published`);
  released.resolve();
  expect(await h.ended(id)).toBe("finished");
});

test("cancelQuery: works right after the submission, before the engine has the job", async () => {
  const h = await startHarness();
  const id = await h.select();
  await cancelQuery(h.context, id);
  expect(await h.status(id)).toBe("canceled");
  expect(h.entries("out")).toEqual([]);
});

test("cancelQuery: while the state file is gone, stops the job and is ServiceUnavailable; stored when the file is back", async () => {
  const h = await startHarness();
  const id = await h.select();
  await h.working(id);
  const file = join(h.directory, "state.sqlite");
  renameSync(file, `${file}.moved`);
  for (let turn = 0; turn < 2; turn += 1) {
    const cancelled = cancelQuery(h.context, id);
    await expect(cancelled).rejects.toThrow(errors.ServiceUnavailable);
    await expect(cancelled).rejects.toThrow(`the job of query ${id} is stopped`);
    expect(h.family.jobs.size).toBe(0);
  }
  renameSync(`${file}.moved`, file);
  expect(await h.ended(id)).toBe("canceled");
});

test("crash: ends the running queries with the reason, and the cluster restarts with increasing back-off", async () => {
  const h = await startHarness();
  const id = await h.select();
  await h.working(id);
  h.family.engine!.crash("the engine ran out of memory (limit 1.0 GB)");
  expect(await h.ended(id)).toBe("error");
  const cluster = h.context.clusters.get("c1")!;
  expect(cluster.status).toBe("failed");
  expect((await getQueryLog(h.context, id)).log).toContain("the engine ran out of memory (limit 1.0 GB)");
  expect((await getQuery(h.context, id)).clusterRebooted).toBe(false);
  await expect(h.select()).rejects.toThrow(errors.InvalidClusterState);

  h.family.failStarts.push(new Error("no luck"));
  h.clock.advance(500);
  await h.until("second failure", () => h.family.starts.length === 2 && cluster.status === "failed");
  h.clock.advance(500);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(h.family.starts).toHaveLength(2);
  h.clock.advance(500);
  await h.up();
  expect(h.family.starts).toHaveLength(3);
});

test("recovery: what ran runs again under the same id, and nothing half-written is left", async () => {
  const first = await startHarness();
  first.put("dag://out/r/old", "old");
  const id = await first.select({ outputResourcePath: "dag://out/r", label: "keep" });
  await first.working(id);
  first.put(`dag://out/tmp/${id}/1/000000_0`, "half");
  first.put("dag://out/tmp/999999/000000_0", "left by an earlier query");
  first.put("dag://out/tmp/mine/notes.txt", "a user's own");

  const second = await startHarness({ directory: first.directory });
  const job = await second.working(id);
  expect(second.entries("out").filter((name) => name.startsWith(`tmp/${id}`))).toEqual([`tmp/${id}`, `tmp/${id}/2`]);
  expect(second.get("dag://out/tmp/999999/000000_0")).toBeUndefined();
  expect(second.get("dag://out/tmp/mine/notes.txt")).toBe("a user's own");
  expect(second.get("dag://out/r/old")).toBe("old");
  await expect(second.select({ outputResourcePath: "dag://out/r/below" })).rejects.toThrow(
    `query ${id} writes to dag://out/r/`,
  );
  job.finish("again");
  expect(await second.ended(id)).toBe("finished");
  expect(second.get("dag://out/r/000000_0")).toBe("again");
  expect(await getQuery(second.context, id)).toMatchObject({ id, label: "keep" });
});

test.each([
  ["nothing was moved", (h: Harness, id: number) => h.put(`dag://out/tmp/${id}/1/000000_0`, "new")],
  [
    "the old output was moved aside",
    (h: Harness, id: number) => {
      h.put(`dag://out/tmp/${id}.old/old`, "old");
      h.put(`dag://out/tmp/${id}/1/000000_0`, "new");
    },
  ],
  [
    "the new output is in place, the old one not deleted",
    (h: Harness, id: number) => {
      h.put(`dag://out/tmp/${id}.old/old`, "old");
      h.put("dag://out/r/000000_0", "new");
    },
  ],
])("recovery: completes an interrupted publication: %s", async (_, leave) => {
  const first = await startHarness();
  const id = await first.select({ outputResourcePath: "dag://out/r" });
  await first.working(id);
  await first.context.state.attempts.markPublishing({ id, epoch: 1 }, { columns: null, checked: false });
  await first.storage.deleteFolder({ bucket: "out", key: "tmp/" });
  leave(first, id);

  const second = await startHarness({ directory: first.directory });
  expect(await second.ended(id)).toBe("finished");
  expect(second.entries("out")).toEqual(["r", "r/000000_0"]);
  expect(second.get("dag://out/r/000000_0")).toBe("new");
  expect(second.family.jobs.size).toBe(0);
});

test("recovery: a query of a cluster that is no longer configured ends as error", async () => {
  const first = await startHarness();
  const id = await first.select();
  await first.working(id);
  const second = await startHarness({
    directory: first.directory,
    clusters: { c2: [{ grade: "small", quantity: 2 }] },
  });
  expect(await second.ended(id)).toBe("error");
  await expect(getQueryLog(second.context, id)).rejects.toThrow(errors.InvalidClusterState);
});

test("stop: keeps running queries for the next start", async () => {
  const first = await startHarness();
  const id = await first.select();
  await first.working(id);
  await first.service.stop();
  const second = await startHarness({ directory: first.directory });
  (await second.working(id)).finish();
  expect(await second.ended(id)).toBe("finished");
});

test("restartCluster: with force, cancels running queries, marks earlier queries as rebooted and deletes their logs", async () => {
  const h = await startHarness();
  const id = await h.select();
  await h.working(id);
  await expect(restartCluster(h.context, "c1", {})).rejects.toThrow(errors.QueryIsRunning);
  await restartCluster(h.context, "c1", { force: true, type: "other", debug: true });
  expect(await h.status(id)).toBe("canceled");
  expect((await getQuery(h.context, id)).clusterRebooted).toBe(true);
  await expect(getQueryLog(h.context, id)).rejects.toThrow(errors.InvalidQueryState);
  await h.up();
  expect(h.other.starts).toMatchObject([{ clusterName: "c1", debug: true }]);
  const later = await h.select();
  expect((await getQuery(h.context, later)).clusterRebooted).toBe(false);
  (await h.working(later)).finish();
  await h.ended(later);
  expect((await getQueryLog(h.context, later)).log).toContain("finished");

  await h.service.stop();
  const again = await startHarness({ directory: h.directory });
  expect(again.context.clusters.get("c1")!.record()).toMatchObject({ type: "other", debug: true });
  expect((await getQuery(again.context, id)).clusterRebooted).toBe(true);
});

test("restartCluster: a failed cluster restarts at once", async () => {
  const h = await startHarness();
  h.family.engine!.crash("bang");
  await h.until("failed", () => h.context.clusters.get("c1")!.status === "failed");
  await restartCluster(h.context, "c1", {});
  await h.up();
  expect(h.family.starts).toHaveLength(2);
});
